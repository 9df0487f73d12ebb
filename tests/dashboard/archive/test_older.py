"""What another version has written opens and runs, and says so where this one computes otherwise.

``ekman-archive-1.zip`` was made by the first version whose archives are folders of data sets, of a
third of the answers about Ekman's colours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tripletscope as ts
from tests.dashboard.archive.changed import ran
from tests.paths import FIXTURES, ROOT
from tripletscope.core import run as core_run
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.upload import ingest

ARCHIVE = FIXTURES / "archives" / "ekman-archive-1.zip"


def ran_later(folder: Path, script: str) -> str:
    """What a script prints where a later version of other results runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ts, "__version__", "99.0")
        patch.setattr(core_run, "RESULTS_SINCE", "99.0")
        return ran(folder, script)


def test_the_first_archive_still_opens(services):
    """Whatever the format has become: what somebody has published is there for good."""
    opened = ingest.open_archive(ARCHIVE.name, ARCHIVE.read_bytes())
    info = opened.info
    assert opened.notes == []
    assert (info.name, info.n_objects, info.n_answers) == ("Ekman", 14, 265)
    assert info.left_out == "View “After exclusions”: 2 of 267 answers excluded."
    fit, bootstrap = services.workspace.runs(info.id)[::-1]
    assert (fit.key, fit.task) == ("d25bbc577c87db29a4fb900593b4fac2", "fit")
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
