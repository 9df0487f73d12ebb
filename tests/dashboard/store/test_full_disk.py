"""A disk that is full or may not be written: all is shown, a sentence says why, room is made.

Linux alone lets a test have a small disk of its own. What is done elsewhere is the same but for the
numbers of errors.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.paths import ROOT
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.store.workspace_base import words_for

_SMALL = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
          'mount -t tmpfs -o size=24m none "$0" && cd "$0" && exec "$@"']
_BEGIN = """
import os
import numpy as np
from pathlib import Path
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.uploads import Uploads
from tripletscope.dashboard.store.workspace import Workspace

truth = np.random.default_rng(0).normal(size=(30, 2))
folder = Path("ws")

def made(workspace, seed, n=2000):
    triplets = simulate(truth, n, noise="logistic", seed=seed)
    info = workspace.add_dataset(triplets, origin="a.csv", report=["Read."])
    workspace.add_run(info, run("fit", STE(n_init=1, max_iter=5), triplets), "map")
    return info

def fill():
    with open("ballast", "wb") as file:
        for size in (2**20, 2**12):
            try:
                while True:
                    os.write(file.fileno(), bytes(size))
            except OSError:
                pass
    assert os.statvfs(".").f_bavail == 0

def check(workspace, infos):
    assert not [*folder.rglob("*.partial")]
    assert {info.id for info in workspace.datasets()} == {info.id for info in infos}
    for info in infos:
        assert workspace.triplets(info).fingerprint == info.fingerprint
        (listed,) = workspace.runs(info.id)
        assert workspace.run(info.id, listed.key).fitted().n_objects_ == 30

workspace = Workspace(folder)
infos = [made(workspace, seed) for seed in range(4)]
"""
_FULL = """
fill()
for what in (
    lambda: made(workspace, 9, 50_000), lambda: workspace.rename_dataset(infos[0].id, "x"),
):
    try:
        what()
        raise AssertionError("it had no room")
    except WorkspaceError as error:
        assert "disk of the workspace is full" in str(error), error
workspace.touch(infos[1].id)
workspace.save_session("s", {"drafts": {"a": "b" * 5000}})
check(workspace, infos)
workspace.close()
fill()

for left in (3, 2):
    workspace = Workspace(folder)
    assert not workspace.read_only
    check(workspace, infos)
    Uploads(folder / "uploads", workspace.trash)
    before = os.statvfs(".").f_bavail
    workspace.delete_dataset(infos.pop().id)
    assert os.statvfs(".").f_bavail > before
    check(workspace, infos)
    workspace.close()
    fill()

os.unlink("ballast")
workspace = Workspace(folder)
infos.append(made(workspace, 10))
check(workspace, infos)
"""
_READ_ONLY = """
import tempfile
from PIL import Image
import io
buffer = io.BytesIO()
Image.new("RGB", (400, 400), "red").save(buffer, "PNG")
pictured = workspace.add_dataset(
    workspace.triplets(infos[0]), origin="x", report=[], pictures={"a": buffer.getvalue()}
)
workspace.delete_dataset(infos.pop(0).id)
workspace.save_session("s", {"a": 1})
workspace.close()
assert os.system("mount -o remount,ro .") == 0
tempfile.tempdir = "/dev/shm"
workspace = Workspace(folder)
assert "cannot be written: you can look at everything" in workspace.read_only
assert workspace.notes == [workspace.read_only]
assert workspace.picture(pictured.pictures["a"], 64).exists(), "the large one"
workspace.touch(infos[0].id)
assert workspace.session("s") == {"a": 1}
workspace.save_session("s", {"a": 2})
Uploads(folder / "uploads", workspace.trash)
for what in (lambda: made(workspace, 9), lambda: workspace.delete_dataset(infos[0].id),
             lambda: workspace.rename_dataset(infos[0].id, "x")):
    try:
        what()
        raise AssertionError("it cannot have been kept")
    except WorkspaceError as error:
        assert "cannot be written" in str(error), error
assert {info.id for info in workspace.datasets()} == {info.id for info in (*infos, pictured)}
for info in infos:
    assert workspace.triplets(info).fingerprint == info.fingerprint
    assert workspace.run(info.id, workspace.runs(info.id)[0].key).fitted().n_objects_ == 30
again = Workspace(folder)
again.close()
workspace.close()
"""


def has_small_disks(folder: Path) -> bool:
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    return subprocess.run([*_SMALL, str(folder), "true"], capture_output=True).returncode == 0


def on_small_disk(folder: Path, code: str) -> None:
    if not has_small_disks(folder):
        pytest.skip("nobody may mount a small disk here")
    done = subprocess.run(
        [*_SMALL, str(folder), sys.executable, "-c", _BEGIN + code], text=True,
        capture_output=True, timeout=300,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, "which is nothing for the terminal"


def test_everything_is_shown_on_a_full_disk_and_in_a_read_only_folder(tmp_path):
    """Deleting makes room on the one; the other says so."""
    on_small_disk(tmp_path, _FULL + _READ_ONLY)


@pytest.mark.parametrize(("error", "words"), [
    (OSError(28, "No space left on device"), "disk of the workspace is full"),
    (OSError(30, "Read-only file system"), "cannot be written"),
    (OSError(5, "Input/output error"), "Input/output error"),
])
def test_what_is_wrong_with_the_disk_is_said_in_words(error, words):
    assert words in words_for(error)


def test_a_clock_that_goes_back_is_noticed_and_leaves_the_trash_alone(tmp_path, truth):
    workspace = Workspace(tmp_path)
    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="x", report=[])
    later = (datetime.now(UTC) + timedelta(days=100)).isoformat()
    (tmp_path / "opened.json").write_text(json.dumps({info.id: later}))
    old = tmp_path / "trash" / "2020-01-01T000000-0123abcd"
    old.mkdir(parents=True)
    workspace.close()
    workspace = Workspace(tmp_path)
    assert "This computer's clock is behind" in workspace.notes[0]
    assert old.exists()
    workspace.touch(info.id)
    workspace.close()
    assert Workspace(tmp_path).notes == []
    assert not old.exists()
