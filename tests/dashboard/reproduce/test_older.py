"""What an earlier version has written runs, and says so where this one computes otherwise.

``ekman-script-0.3.0.zip`` was made by the state of the program that first was version 0.3.0, of a
third of the answers about Ekman's colours; ``ekman-archive-1.zip`` by the first that made archives;
``shapes-archive-0.3.zip``, with everything that one could hold, by the last of that form.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tripletscope as ts
from tests.dashboard.reproduce.changed import ran, signed, unzipped
from tests.paths import FIXTURES, ROOT
from tripletscope.core import run as core_run
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard import export, imports
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.reproduce.recipe import reproduction

ARCHIVE = FIXTURES / "archives" / "ekman-archive-1.zip"
SHAPES = FIXTURES / "archives" / "shapes-archive-0.3.zip"
OLD = FIXTURES / "archives" / "ekman-script-0.3.0.zip"


def ran_later(folder: Path, script: str) -> str:
    """What a script prints where a later version of other results runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ts, "__version__", "99.0")
        patch.setattr(core_run, "RESULTS_SINCE", "99.0")
        return ran(folder, script)


def test_a_script_of_an_earlier_version_runs(tmp_path):
    """Its assertions are the only way in which it can say that results have changed since."""
    with zipfile.ZipFile(OLD) as file:
        file.extractall(tmp_path)
    with pytest.raises(AssertionError, match="computed from something else"):
        ran(tmp_path, "Ekman.py")
    ran(tmp_path, "Ekman.py", optimize=1)
    with np.load(tmp_path / "Ekman-fit_ste.npz") as found:
        assert found["embedding_"].shape == (14, 1)


def test_the_first_archive_still_opens(services):
    """Whatever the format has become: what somebody has published is there for good."""
    opened = imports.open_archive(ARCHIVE.name, ARCHIVE.read_bytes())
    info = opened.info
    assert opened.notes == []
    assert (info.name, info.n_objects, info.n_answers) == ("Ekman", 14, 265)
    assert info.left_out == "View “After exclusions”: 2 of 267 answers excluded."
    fit, bootstrap = services.workspace.runs(info.id)[::-1]
    assert (fit.key, fit.task) == ("7d0e8b2539f3730127e60c8a4d8ee707", "fit")
    assert bootstrap.task == "bootstrap"
    assert services.workspace.run(info.id, fit.key).fitted().embedding_.shape == (14, 1)


def test_all_that_an_archive_of_0_3_held_is_there(services):
    opened = imports.open_archive(SHAPES.name, SHAPES.read_bytes())
    workspace, info = services.workspace, opened.info
    assert opened.notes == []
    assert (info.name, info.origin, info.n_answers, info.n_pairs) == (
        "Shapes", "shapes.csv", 298, 20
    )
    assert info.left_out.endswith("62 of 360 answers excluded, 1 participant entirely.")
    assert info.exclusions[1]["reason"] == "the door bell"
    assert info.extra["asked"] == "triplets"
    assert info.extra["report"] == {"title": "Shapes"}
    assert workspace.cleaning(info).catch_trials["correct"].tolist() == [True, False]
    assert len(workspace.cleaning(info).gold) == 3
    assert workspace.measured(replace(info, exclusions=[])).raters == ["p0", "p1"]
    assert len(workspace.pictures(info)) == 12
    assert [one.name for one in workspace.runs(info.id)] == ["Result 1", "Result 0"]
    fit = workspace.run(info.id, "356104a4b914a866b31ea31cb1be6d9e").fitted()
    assert fit.embedding_.shape == (12, 2)
    assert opened.settings == {f"map.colour@{info.id}": "age", "composer": {"width": 120.0}}
    assert imports.open_archive(SHAPES.name, SHAPES.read_bytes()).info.id == info.id


@pytest.mark.parametrize("start", [
    "tripletscope/archive", "tripletscope/gold-answers", "tripletscope/runs/", "materials/",
])
@pytest.mark.parametrize("change", ["cut", "gone"])
def test_a_damaged_file_of_it_is_named_and_nothing_is_kept(services, start, change):
    files = unzipped(SHAPES.read_bytes())
    name = next(name for name in files if name.startswith(start))
    content = files.pop(name)
    if change == "cut":
        files[name] = content[:-9]
    with pytest.raises(DataError, match=r"s\.zip") as error:
        imports.open_archive("s.zip", export.bundle(files))
    assert name in str(error.value) or start == "tripletscope/archive"
    assert services.workspace.datasets() == []


@pytest.mark.parametrize("change", [
    lambda about: about.update(dataset=None), lambda about: about.update(runs=[{"file": "/etc"}]),
    lambda about: about["dataset"].update(pictures={"a": "../../x"}),
    lambda about: about["dataset"].update(exclusions=[{"rule": "none"}]),
    lambda about: about["runs"][0]["record"].update(key="../../x", version=ts.__version__),
])
def test_what_it_says_is_checked_as_that_of_a_folder(services, change):
    files = unzipped(SHAPES.read_bytes())
    about = json.loads(files["tripletscope/archive.json"])
    change(about)
    content = signed({**files, "tripletscope/archive.json": json.dumps(about).encode()})
    with pytest.raises(DataError, match=r"s\.zip"):
        imports.open_archive("s.zip", content)
    assert services.workspace.datasets() == []


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A folder with a script of now."""
    folder = tmp_path_factory.mktemp("script")
    workspace = Workspace(folder / "ws")
    answers = ts.read(ROOT / "sample_data" / "ekman_colors" / "answers.csv")
    part = answers.take(np.arange(len(answers)) % 3 == 0)
    info = workspace.add_dataset(part.renamed("Ekman"), origin="a", report=[])
    done = [run("fit", STE(n_components=1, n_init=1), part)]
    for name, content in reproduction(info, workspace.cleaning(info), done).items():
        (folder / name).write_bytes(content)
    workspace.close()
    return folder


def test_a_later_version_says_that_it_is_another(written):
    printed = ran_later(written, "Ekman.py")
    assert "fit: TripletScope 99.0 computes this from the same data, but not as " in printed
    assert "numbers may differ" in printed
    assert "numbers may differ" not in ran(written, "Ekman.py")


def test_other_data_are_no_result_of_this_version(written, tmp_path):
    for path in written.glob("Ekman*"):
        content = path.read_bytes()
        if path.name == "Ekman-imported-answers.csv":
            content = b"\n".join(content.split(b"\n")[:-2]) + b"\n"
        (tmp_path / path.name).write_bytes(content)
    with pytest.raises(AssertionError, match=r"^fit: computed from something else"):
        ran(tmp_path, "Ekman.py")
    assert "reads other data or columns" in ran_later(tmp_path, "Ekman.py")
