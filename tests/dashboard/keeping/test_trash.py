"""What nothing needs is in the trash for a month; what is not the workspace's is left alone."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.keeping import opened as opened_module
from tripletscope.dashboard.keeping import trash as trash_module
from tripletscope.dashboard.keeping.trash import Trash
from tripletscope.dashboard.keeping.workspace import Workspace

HASH = "0123456789abcdef" * 2


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "ws")


def contents(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_deleted_files_wait_in_the_trash_and_come_back_by_hand(workspace, truth):
    triplets = simulate(truth, 50, seed=0)
    info = workspace.add_dataset(triplets, origin="a.csv", report=[])
    before = contents(workspace.folder / "data")
    workspace.delete_dataset(info.id)
    assert contents(workspace.folder / "data") == set()
    assert workspace.trash.size() > 1000
    names = {Path(name).name for name in contents(workspace.trash.folder)}
    assert names == {*before, f"{info.id}.json"}
    assert workspace.trash.find("data", f"{info.fingerprint}.answers.parquet").is_file()
    assert workspace.trash.find("data", "other") is None

    workspace.close()
    for entry in workspace.trash.folder.iterdir():
        shutil.copytree(entry, workspace.folder, dirs_exist_ok=True)
    again = Workspace(workspace.folder)
    assert again.datasets() == [info]
    assert again.triplets(info).fingerprint == triplets.fingerprint
    assert "did not list" in again.notes[0]


def test_the_trash_is_emptied_of_what_came_a_month_ago(tmp_path):
    now = datetime.now(UTC)
    for days in (-400, 1, 29, 31):
        came = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H%M%S")
        (tmp_path / "trash" / f"{came}-0123abcd" / "data").mkdir(parents=True)
    others = {"2001-01-01 photographs", "2001-13-32T256199-0123abcd"}
    for name in others:
        (tmp_path / "trash" / name).mkdir()
    left = Trash(tmp_path)
    left.empty_old(now)
    assert len(list(left.folder.iterdir())) == 5
    left.empty()
    assert {path.name for path in left.folder.iterdir()} == others


def test_a_clock_that_is_ahead_does_not_empty_the_trash(workspace, truth, monkeypatch):
    for seed in range(2):
        info = workspace.add_dataset(simulate(truth, 50, seed=seed), origin="a.csv", report=[])
    workspace.delete_dataset(info.id)
    workspace.close()
    before = contents(workspace.trash.folder)

    class Ahead(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime(2099, 1, 1, tzinfo=zone)

    for module in (trash_module, opened_module):
        monkeypatch.setattr(module, "datetime", Ahead)
    again = Workspace(workspace.folder)
    assert contents(workspace.trash.folder) == before
    assert again.notes == []


def test_the_size_is_asked_for_while_another_session_empties_the_trash(tmp_path, monkeypatch):
    trash = Trash(tmp_path)
    for number in range(3):
        (tmp_path / f"{number}").write_bytes(bytes(100))
        trash.move([tmp_path / f"{number}"])
    assert trash.size() == 300
    entries = trash._entries()
    monkeypatch.setattr(trash, "_entries", lambda: entries)
    shutil.rmtree(entries[1])
    assert trash.size() == 200
    walk = os.walk

    def and_somebody_empties(top):
        for found in walk(top):
            shutil.rmtree(top)
            yield found

    monkeypatch.setattr(trash_module.os, "walk", and_somebody_empties)
    assert trash.size() == 0


def test_deleting_frees_a_part_that_is_on_another_disk(workspace, truth, monkeypatch):
    replace = os.rename

    def within_a_disk(source, target, **further):
        if Path(target).is_relative_to(workspace.trash.folder) and "data" in Path(source).parts:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replace(source, target, **further)

    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="a.csv", report=[])
    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, within_a_disk)
    workspace.delete_dataset(info.id)
    assert contents(workspace.folder / "data") == set()
    assert workspace.trash.find("data", f"{info.fingerprint}.answers.parquet").is_file()


def test_what_is_not_named_as_a_file_of_the_workspace_is_never_touched(workspace, truth):
    triplets = simulate(truth, 50, seed=0)
    info = workspace.add_dataset(triplets, origin="a.csv", report=[])
    foreign = {
        "data/.hidden.0123abcd.partial", f"data/{info.fingerprint}.notes.txt", "data/a.partial",
        f"data/.{info.fingerprint}.answers.parquet", f"runs/{HASH}.npz.bak", "pictures/cat.png",
        "notes.txt",
    }
    for name in foreign:
        (workspace.folder / name).write_bytes(b"somebody's")
    own = f"{HASH}.table.parquet.0123abcd.partial"
    (workspace.folder / "data" / own).write_bytes(b"left by a process that was killed")
    workspace.delete_dataset(info.id)
    workspace.close()
    again = Workspace(workspace.folder)
    left = contents(workspace.folder)
    assert foreign <= left
    assert f"data/{own}" not in left
    assert again.trash.find("data", own).read_bytes().startswith(b"left by")


def test_where_the_disk_is_full_deleting_frees_its_room_at_once(workspace, truth, monkeypatch):
    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="a.csv", report=[])
    assert "for 30 days" in workspace.trash.what_becomes
    monkeypatch.setattr(trash_module, "_LITTLE", 2**63)
    assert "at once, for good" in workspace.trash.what_becomes
    workspace.delete_dataset(info.id)
    assert contents(workspace.folder / "data") == set()
    assert not workspace.trash.folder.exists()
