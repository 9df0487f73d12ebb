"""Folders that others have written or changed: one that is odd hides nothing else."""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest

from tests.dashboard.store.test_damaged_files import two
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.workspace import Workspace

__all__ = ["two"]


def test_sums_of_other_files_move_nothing(two):
    folder, (first, second) = two
    workspace = Workspace(folder)
    about = folder / first.id / "about.json"
    said = json.loads(about.read_text())
    (folder.parent / "outside.txt").write_text("somebody's")
    for place in (f"../{second.id}/about.json", "../../outside.txt", "", "/etc/passwd", "\0"):
        about.write_text(json.dumps({**said, "sums": {**said["sums"], place: "x"}}))
        with pytest.raises(WorkspaceError, match="the entry 'sums' is not as"):
            workspace.rename_dataset(first.id, "Renamed")
        assert workspace.dataset(first.id) is None
        assert workspace.dataset(second.id) == second
    assert (folder.parent / "outside.txt").exists()
    assert any("about.json of the workspace is damaged" in note for note in workspace.notes)
    with pytest.raises(ValueError, match="no part"):
        workspace.trash.throw(folder / first.id / ".." / ".." / "outside.txt")


def test_one_bad_folder_hides_nothing_else(two):
    folder, (first, second) = two
    for name, content in {
        "deep": "[" * 200_000, "newer": '{"format": 2}', "list": "[]", "text": "\"a\"",
    }.items():
        (folder / name).mkdir()
        (folder / name / "about.json").write_text(content)
    (folder / "odd" / "answers.parquet").mkdir(parents=True)
    (folder / first.id / "about.before.json").write_text('{"format": 2}')
    (folder / first.id / "about.json").write_text("{")
    (folder / "opened.json").write_text('{"x": 5, "y": "9999-12-31T23:59:59-05:00"}')
    (folder / second.id / "results" / "file").write_text("")
    workspace = Workspace(folder)
    assert {info.id for info in workspace.datasets()} == {second.id}
    assert len(workspace.runs(second.id)) == 1
    assert len(workspace.notes) == 6
    workspace.datasets()
    assert len(workspace.notes) == 6, "each once"
    shutil.rmtree(folder / second.id / "results")
    (folder / second.id / "results").write_text("")
    assert workspace.runs(second.id) == []


@pytest.mark.parametrize("change", [
    {"file": "run.json"}, {"file": ""}, {"file": "..\\arrays.npz"}, {"renewals": None},
    {"run": {"key": 5}}, {"run": {"other": 1}}, {"run": {"version": None}},
])
def test_a_result_that_says_what_cannot_be_is_not_listed(two, change):
    folder, (first, _) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)
    path = folder / first.id / "results" / listed.key / "run.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({
        **said, **change, "run": {**said["run"], **change.get("run", {})},
    }))
    assert workspace.runs(first.id) == []
    assert workspace.run(first.id, listed.key) is None
    workspace.add_run(first, run("fit", STE(n_init=1), workspace.triplets(first)), "again")
    assert workspace.run(first.id, listed.key).fitted().n_objects_ == 30


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_elsewhere_are_not_followed(two):
    folder, (first, _) = two
    picture = folder / first.id / "pictures" / "a.png"
    (folder.parent / "same.png").write_bytes(picture.read_bytes())
    picture.unlink()
    picture.symlink_to(folder.parent / "same.png")
    with pytest.raises(FileNotFoundError):
        Workspace(folder).picture(first.pictures["a"])


def test_a_folder_that_nobody_may_look_into_is_passed_over(two, monkeypatch):
    folder, infos = two
    (folder / "lost+found").mkdir()
    lstat = os.lstat

    def refused(path, **how):
        if "lost+found/" in os.fspath(path):
            raise PermissionError(13, "Permission denied")
        return lstat(path, **how)

    monkeypatch.setattr(os, "lstat", refused)
    assert len(Workspace(folder).datasets()) == len(infos)
