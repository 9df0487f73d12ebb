"""A workspace with a data set of everything, and its archive."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from PIL import Image

from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import TERMS
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import as_record
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import Reading
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.store.workspace import Workspace


def png(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A workspace with a data set of everything, and its archive."""
    workspace = Workspace(tmp_path_factory.mktemp("one"))
    data = people_data()
    objects = data.objects.assign(image=[f"{name}.png" for name in data.ids])
    objects["image"] = objects["image"].replace(f"{data.ids[0]}.png", "b: odd.png")
    answers = data.answers.assign(
        age=pd.Series(range(len(data))).map(lambda k: 20.0) + data.answers["participant"].astype(
            "str").str[1:].astype(int),
        file=data.answers["participant"].astype("str") + ".csv",
    )
    catch = pd.DataFrame({"row": [2, 3], "participant": ["p0", "p5"], "correct": [True, False]})
    info = workspace.add_dataset(
        Triplets(data.rows, objects, answers, "Shapes"), origin="shapes.csv",
        report=["All rows were read."], catch_trials=catch,
        pictures={name: png("red" if k % 2 else "blue")
                  for k, name in enumerate(objects["image"])},
        extra={"asked": "triplets", "columns": ["a", "b"],
               "reading": Reading.from_roles(anchor="a", near="b", far="c").to_dict(),
               "report": {"title": "What p1 did"}, "map": as_record(STE(n_init=1))},
    )
    cleaning = workspace.cleaning(info).with_gold(Triplets(data.rows[:3], objects))
    for step in (Exclusion("failed_checks", {"most": 0.4}), Exclusion(participants=("p1",)),
                 Exclusion(answers=(1, 2), reason="the door bell")):
        cleaning = cleaning.excluding(step)
    info = workspace.update_dataset(info, cleaning)
    triplets = workspace.triplets(info)
    for k, (task, method, options) in enumerate((
        ("fit", STE(n_init=1), {}), ("bootstrap", STE(n_init=1), {"replicates": 3}),
        ("fit", AgglomerativeClustering(), {}),
        ("cross_validate", STE(n_init=1), {"folds": 3, "unit": "participants"}),
    )):
        workspace.add_run(info, run(task, method, triplets, options), f"Result {k}")
    settings = {
        f"map.colour@{info.id}": "age", f"compare.maps@{info.id}": [f"{info.id}/f00"],
        "map.other@f00": 1,
        "composer": {"width": 120.0, "nonsense": 3}, "composer.width": 120.0,
    }
    yield workspace, info, archive(
        workspace, info, TERMS, files={"report.html": b"<html></html>"}, settings=settings
    )
    workspace.close()
