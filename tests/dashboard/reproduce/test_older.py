"""What an earlier version has written runs, and says so where this one computes otherwise.

``ekman-script-0.3.0.zip`` was made by the state of the program that first was version 0.3.0, of a
third of the answers about Ekman's colours; ``ekman-archive-1.zip`` by the first that made archives.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tripletscope as ts
from tests.paths import FIXTURES, ROOT
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard import imports
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.reproduce.recipe import reproduction

ARCHIVE = FIXTURES / "archives" / "ekman-archive-1.zip"
OLD = FIXTURES / "archives" / "ekman-script-0.3.0.zip"
#: Runs a script as a later version would, which gives other results.
LATER = """
import runpy, sys
import tripletscope, tripletscope.core.run
tripletscope.__version__ = tripletscope.core.run.RESULTS_SINCE = "99.0"
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_script_of_an_earlier_version_runs(tmp_path):
    """Its assertions are the only way in which it can say that results have changed since."""
    with zipfile.ZipFile(OLD) as file:
        file.extractall(tmp_path)
    assert "computed from something else" in ran(tmp_path, "Ekman.py").stderr
    ended = ran(tmp_path, "-O", "Ekman.py")
    assert ended.returncode == 0, ended.stderr
    with np.load(tmp_path / "Ekman-fit_ste.npz") as found:
        assert found["embedding_"].shape == (14, 1)


def test_the_first_archive_still_opens(services):
    """Whatever the format has become: what somebody has published is there for good."""
    opened = imports.open_archive(ARCHIVE.name, ARCHIVE.read_bytes())
    info = opened.info
    assert opened.notes == []
    assert (info.name, info.n_objects, info.n_answers) == ("Ekman", 14, 265)
    assert info.left_out == "Excluded: 2 of 267 answers."
    fit, bootstrap = services.workspace.runs(info.id)[::-1]
    assert (fit.key, fit.task) == ("7d0e8b2539f3730127e60c8a4d8ee707", "fit")
    assert bootstrap.task == "bootstrap"
    assert services.workspace.run(info.id, fit.key).fitted().embedding_.shape == (14, 1)


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
    ended = ran(written, "-c", LATER, "Ekman.py")
    assert ended.returncode == 0, ended.stderr
    assert "fit: TripletScope 99.0 computes this from the same data, but not as " in ended.stdout
    assert "numbers may differ" in ended.stdout
    assert "numbers may differ" not in ran(written, "Ekman.py").stdout


def test_other_data_are_no_result_of_this_version(written, tmp_path):
    for path in written.glob("Ekman*"):
        content = path.read_bytes()
        if path.name == "Ekman-imported-answers.csv":
            content = b"\n".join(content.split(b"\n")[:-2]) + b"\n"
        (tmp_path / path.name).write_bytes(content)
    ended = ran(tmp_path, "Ekman.py")
    assert ended.returncode != 0
    assert "AssertionError: fit: computed from something else" in ended.stderr
    ended = ran(tmp_path, "-c", LATER, "Ekman.py")
    assert "reads other data or columns" in ended.stdout
