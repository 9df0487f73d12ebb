"""Ratings, confusions, piles and arrangements: from the file to the map."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.ratings.planted import confused, points, rated
from tests.pages.harness import figure, settled, start, words
from tests.paths import ROOT, SAMPLES
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import NMDS
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.report.gathering import offered
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.dataset_words import size_of
from tripletscope.dashboard.upload.ingest import accept_measured, open_archive
from tripletscope.dashboard.upload.waiting_upload import ask_aside

MEASURED = ROOT / "tests" / "fixtures" / "measured"
PLACE = "embedding.dissimilarities"


def csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()


@pytest.fixture
def kept(services):
    """A data set of ratings by nine people, of eight objects."""
    content = csv(rated(points(8), 9))
    return accepted("rated.csv", content)


def accepted(name, content):
    """What is kept of a file of ratings."""
    read = ask_aside("measured", name, files=[(name, content)], kind=None, options={})
    return accept_measured(name, read)


def mapped(app, services):
    """The app once the dissimilarities and their replicates are mapped, which takes a while."""
    app.button(key=f"{PLACE}.run").click().run()
    for job in services.jobs.of(app.session_state[_KEY].id):
        assert job.wait(300)
    return settled(app, services)


def uploaded(*files: tuple[str, bytes]):
    app = start()
    upload = app.file_uploader(key="upload")
    for name, content in files:
        upload.upload(name, content, "text/csv")
    app.run()
    assert not app.exception
    return app


def test_ratings_come_to_a_map_with_ellipses(services):
    app = uploaded(("rated.csv", csv(rated(points(8), 9))))
    assert "it holds ratings" in app.info[0].value
    text = words(app)
    assert "Similarity ratings** of 8 objects by 9 people" in text
    assert "p0 rated o00 and o01" in text.replace("\\", "")
    app.button(key="measured.go").click().run()
    assert app.title[0].value == "Embedding"
    titles = [job.title for job in services.jobs.of(app.session_state[_KEY].id)]
    assert titles.count("NMDS: rated") == 1  # the map that was asked for
    (info,) = services.workspace.datasets()
    assert info.n_participants == 9
    assert info.n_trials == 9
    assert "two different values" in " ".join(info.report)
    app = mapped(app, services)
    (found,) = services.workspace.runs(info.id, "map_measured")
    assert not found.unasked, "who has pressed the button has asked: the report tells of it"
    text = words(app).replace("\\", "")
    assert "NMDS, 2 dimensions" in text
    assert "Similarity ratings of 9 participants" in text
    assert "Ellipses contain 95 % of an object’s positions in maps of other raters" in text
    assert "ellipses" in [trace.get("name") for trace in figure(app, f"{PLACE}.map")["data"]]
    app.selectbox(key=f"{PLACE}.method").select("mds").run()
    app.toggle(key=f"{PLACE}.weigh").set_value(True).run()
    app = mapped(app, services)
    assert "weighted by one over their squared standard errors" in words(app)


def test_a_map_of_ratings_is_there_after_a_restart(services, kept):
    """It is a result as others are: no job is needed to see it, and report and archive have it."""
    session = Session("first")
    session.open(kept.id)
    session.save()
    app = mapped(start("embedding", session.id, "dissimilarities"), services)
    (run,) = services.workspace.runs(kept.id, "map_measured")
    assert run.complete
    another = Session("second")
    another.open(kept.id)
    another.save()
    app = start("embedding", another.id, "dissimilarities")
    assert figure(app, f"{PLACE}.map")["data"]
    assert not services.jobs.of(another.id)
    assert app.button(key=f"{PLACE}.run").disabled
    app.number_input(key=f"{PLACE}.nmds.n_components").set_value(1).run()
    assert "NMDS, 1 dimension" in words(settled(app, services))


def test_a_map_of_uploaded_distances_is_there_after_a_restart(services, kept):
    session = Session("first")
    session.open(kept.id)
    session.save()
    answers = services.workspace.triplets(kept)
    apart = np.abs(np.subtract.outer(*[np.arange(answers.n_objects) ** 2.0] * 2))
    app = start("embedding", session.id, "dissimilarities")
    square = pd.DataFrame(apart, answers.ids, answers.ids).to_csv().encode()
    app.file_uploader(key=PLACE).upload("apart.csv", square, "text/csv").run()
    app = mapped(app, services)
    assert "of 8 objects, apart. Values of pairs. Stress-1" in words(app).replace("\\", "")
    another = Session("second")
    another.open(kept.id)
    another.save()
    app = start("embedding", another.id, "dissimilarities")
    app.selectbox(key=f"{PLACE}.table@{kept.id}").select("apart").run()
    assert "of 8 objects, apart." in words(app).replace("\\", "")
    (of_table,) = (run for run in services.workspace.runs(kept.id, "map_measured")
                   if run.record["numbers"]["table"])
    assert of_table.state is None
    _, usual = offered(Context(another, services.workspace.dataset(kept.id), "report", None, None))
    assert {run.key for run in services.workspace.runs(kept.id, "map_measured")} <= {*usual}


def test_a_map_that_was_stopped_says_so(services, kept):
    data, answers = services.workspace.measured(kept), services.workspace.triplets(kept)
    whole = run("map_measured", NMDS(), data, {"replicates": 5})
    stopped = run("map_measured", NMDS(), data, progress=lambda done, **_: done >= 0.15)
    said = "The computation was stopped"
    for found, has in ((whole, False), (stopped, True)):
        assert (said in ts.drawings([found], answers)[0].caption) == has
        assert "judged twice" not in ts.drawings([found], answers)[0].caption


def test_the_direction_can_be_said(services):
    app = uploaded(("rated.csv", csv(rated(points(8), 2))))
    app.selectbox(key="measured.direction.similar").select("dissimilar").run()
    app.button(key="measured.go").click().run()
    (info,) = services.workspace.datasets()
    assert services.workspace.measured(info).options["direction"] == "dissimilar"


def test_the_colours_come_to_a_map_in_two_clicks(services):
    app = uploaded(("ekman.csv", (SAMPLES / "ekman_colors" / "similarity.csv").read_bytes()))
    app.button(key="matrix.go").click().run()
    assert app.title[0].value == "Embedding"
    text = words(mapped(app, services)).replace("\\", "")
    assert "Stress-1 0.0231" in text  # that of R's vegan
    assert "errors cannot be estimated" in text


@pytest.mark.parametrize("said", ["diagonal", "confused"])
def test_counts_that_differ_by_direction_are_confusions(services, said):
    labels = [f"letter {k}" for k in range(6)]
    table = pd.DataFrame(confused(points(6), 60), index=labels, columns=labels)
    app = uploaded(("heard.csv", table.to_csv().encode()))
    assert "a matrix of confusions" in app.info[0].value
    app.selectbox(key="matrix.values").select(said).run()
    assert "was shown letter 0 and responded letter 0" in words(app)
    app.button(key="measured.go").click().run()
    (info,) = services.workspace.datasets()
    assert services.workspace.measured(info).kind == "confusions"
    assert "are too small here" in info.report[-1]


def test_examples_are_of_two_objects(services):
    table = rated(points(8), 9)
    own = table.drop_duplicates("item1").assign(item2=lambda one: one["item1"])
    text = words(uploaded(("rated.csv", csv(pd.concat([own, table])))))
    assert "rated o00 and o01" in text
    assert "rated o00 and o00" not in text


def test_matrices_of_several_raters_belong_together(services):
    labels = list("abcdef")
    files = []
    for seed in range(3):
        apart = np.random.default_rng(seed).integers(1, 8, (6, 6))
        square = pd.DataFrame(np.triu(apart, 1) + np.triu(apart, 1).T, labels, labels)
        files.append((f"r{seed}.csv", square.to_csv().encode()))
    app = uploaded(*files)
    assert "As you stated" not in words(app), "nobody has said anything"
    app.button(key="measured.go").click().run()
    (info,) = services.workspace.datasets()
    assert services.workspace.measured(info).raters == ["r0", "r1", "r2"]
    assert info.name == "3 files", "none of the three is the data set"


def squares(values):
    """A matrix of each person in one file, one below the other."""
    labels = [f"o{k}" for k in range(len(next(iter(values.values()))))]
    parts = [pd.DataFrame(each, labels, labels).rename_axis("food").reset_index().assign(judge=who)
             for who, each in values.items()]
    return csv(pd.concat(parts)[["judge", "food", *labels]])


def test_matrices_in_one_file_keep_their_people_and_direction(services):
    """What the browser keeps of a file is what Python reads of it."""
    apart = np.linalg.norm(points(8)[:, None] - points(8), axis=2)
    content = squares({who: (9 - apart - 0.01 * k * (apart > 0)).round(2)
                       for k, who in enumerate(("J1", "J2", "J3"))})
    read = ts.ratings.read_measured(content)
    app = uploaded(("foods.csv", content))
    assert "of 8 objects by 3 people" in words(app)
    app.button(key="measured.go").click().run()
    (info,) = services.workspace.datasets()
    kept = services.workspace.measured(info)
    assert (kept.raters, info.n_participants) == (read.raters, 3)
    found = kept.dissimilarities(0).mean
    assert np.array_equal(found, read.dissimilarities(0).mean)
    upper = np.triu_indices(8, 1)
    assert np.corrcoef(found[upper], apart[upper])[0, 1] > 0.99, "large was similar, as detected"


@pytest.mark.parametrize("name", ["piles.csv", "arrangements.csv"])
def test_other_kinds_are_kept(services, name):
    app = uploaded((name, (MEASURED / name).read_bytes()))
    app.button(key="measured.go").click().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert services.workspace.measured(info).kind == name.removesuffix(".csv")


def test_mistakes_are_told_with_their_row(services):
    app = uploaded(("r.csv", b"item1,item2,rating\na,b,5\na,c,often\nb,c,2\na,d,3\nb,d,4\n"))
    assert "row 3: 'often'" in (app.error[0].value if app.error else "").replace("\\", "")
    ties = csv(rated(points(5), 2).assign(rating=3))
    with pytest.raises(DataError, match="no pair was judged"):
        accepted("t.csv", ties)


def test_people_who_are_left_out_rate_no_more(services, kept):
    cleaning = services.workspace.cleaning(kept)
    left = services.workspace.update_dataset(
        kept, cleaning.excluding(Exclusion(participants=("p3",)))
    )
    assert len(services.workspace.measured(left).raters) == 8
    assert len(services.workspace.measured(kept).raters) == 9


@pytest.mark.parametrize("hidden", [False, True])
def test_the_map_of_what_was_measured_is_in_archives(services, kept, hidden, tmp_path):
    before = services.workspace.measured(kept)
    found = run("map_measured", NMDS(), before, {"replicates": 5})
    services.workspace.add_run(kept, found, "NMDS")
    content = archive(services.workspace, kept, Terms("Rated", pseudonyms=hidden))
    with ZipFile(BytesIO(content)) as file:
        file.extractall(tmp_path)
    assert b"p3" not in b"".join(
        path.read_bytes() for path in tmp_path.rglob("*.csv")) or not hidden
    (script,) = tmp_path.rglob("*.py")
    assert "confirm(map_measured_nmds" in script.read_text()
    if not hidden:  # it computes the same of either
        return
    subprocess.run([sys.executable, script.name], cwd=script.parent, check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})  # bits depend on its linear algebra
    (made,) = tmp_path.rglob("*map_measured*.npz")
    with np.load(made) as again:
        np.testing.assert_array_equal(again["embedding"], found.arrays["embedding"])


def test_what_was_measured_goes_into_archives(services, kept):
    before = services.workspace.measured(kept)
    for hidden in (False, True):
        content = archive(services.workspace, kept, Terms("Rated", pseudonyms=hidden))
        services.workspace.delete_dataset(kept.id)
        kept = open_archive("rated.zip", content).info
        again = services.workspace.measured(kept)
        assert np.array_equal(again.dissimilarities(0).mean, before.dissimilarities(0).mean)
        assert again.raters[0] == ("sub-001" if hidden else "p0")
        assert kept.extra["measured"]["options"] == before.options
    assert (services.workspace.folder / kept.id / "measured.parquet").exists()


def test_ratings_under_a_name_that_says_nothing_wait_until_somebody_says_what_large_means(services):
    """Of five objects a map fits either way."""
    table = rated(points(5), 3)
    table = table.rename(columns={table.columns[-1]: "value"})
    app = uploaded(("rated.csv", csv(table)))
    assert "it holds ratings" in app.info[0].value
    assert "Nothing tells whether large numbers mean similar or different" in words(app)
    assert app.button(key="measured.go").disabled
    app.selectbox(key="measured.direction.").select("dissimilar").run()
    assert not app.exception
    assert "Nothing tells whether" not in words(app)
    app.button(key="measured.go").click().run()
    (info,) = services.workspace.datasets()
    assert services.workspace.measured(info).options["direction"] == "dissimilar"


def test_derived_answers_are_called_so(services, kept):
    """Findings spoke of answers, as if somebody had given them."""
    assert f"{kept.n_answers:,} derived comparisons" in size_of(kept)
