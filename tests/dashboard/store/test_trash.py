"""What nothing needs is in the trash for a month; what is not the workspace's is left alone."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.dashboard.store.trashed import trashed
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.store import experiments
from tripletscope.dashboard.store import trash as trash_module
from tripletscope.dashboard.store import workspace_base as opened_module
from tripletscope.dashboard.store.folder import OWN, SESSIONS, SIMULATIONS, SMALL
from tripletscope.dashboard.store.jatos import FETCHED
from tripletscope.dashboard.store.trash import Trash
from tripletscope.dashboard.store.workspace import Workspace

HASH = "0123456789abcdef" * 2


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "ws")


def contents(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_deleted_files_wait_in_the_trash_and_come_back_by_hand(workspace, truth):
    triplets = simulate(truth, 50, seed=0)
    info = workspace.add_dataset(triplets, origin="a.csv", report=[])
    before = contents(workspace.folder / info.id)
    workspace.delete_dataset(info.id)
    assert not (workspace.folder / info.id).exists()
    assert workspace.trash.size() > 1000
    assert {Path(name).name for name in contents(workspace.trash.folder)} == before
    assert trashed(workspace, f"{info.id}/answers.parquet")
    assert trashed(workspace, f"{info.id}/other") == []

    for entry in workspace.trash.folder.iterdir():
        shutil.copytree(entry, workspace.folder, dirs_exist_ok=True)
    (again,) = workspace.datasets()
    assert again.fingerprint == info.fingerprint
    assert workspace.triplets(again).fingerprint == triplets.fingerprint


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
        trash.throw(tmp_path / f"{number}")
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
        if Path(target).is_relative_to(workspace.trash.folder):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replace(source, target, **further)

    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="a.csv", report=[])
    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, within_a_disk)
    workspace.delete_dataset(info.id)
    assert workspace.datasets() == []
    assert trashed(workspace, f"{info.id}/answers.parquet")


def test_what_is_not_the_workspaces_is_never_touched(workspace, truth):
    triplets = simulate(truth, 50, seed=0)
    info = workspace.add_dataset(triplets, origin="a.csv", report=[])
    kept = workspace.add_dataset(triplets, origin="a.csv", report=[])
    foreign = {
        f"{kept.id}/.hidden.0123abcd.partial", f"{kept.id}/notes.txt", f"{kept.id}/a.partial",
        f"{kept.id}/answers-2.parquet", f"{kept.id}/results/readme.txt", "notes.txt",
        "scripts/plot.R", ".git/config",
    }
    for name in foreign:
        (workspace.folder / name).parent.mkdir(exist_ok=True)
        (workspace.folder / name).write_bytes(b"somebody's")
    own = f"{kept.id}/objects.parquet.0123abcd.partial"
    (workspace.folder / own).write_bytes(b"left by a process that was killed")
    workspace.rename_dataset(kept.id, "Renamed")
    workspace.delete_dataset(info.id)
    workspace.close()
    again = Workspace(workspace.folder)
    assert [one.name for one in again.datasets()] == ["Renamed"]
    left = contents(workspace.folder)
    assert foreign <= left
    assert own not in left
    assert trashed(again, own)[0].read_bytes().startswith(b"left by")


def test_where_the_disk_is_full_deleting_frees_its_room_at_once(workspace, truth, monkeypatch):
    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="a.csv", report=[])
    assert "for 30 days" in workspace.trash.what_becomes
    monkeypatch.setattr(trash_module, "_LITTLE", 2**63)
    assert "at once, for good" in workspace.trash.what_becomes
    workspace.delete_dataset(info.id)
    assert {path.name for path in workspace.folder.iterdir()} == {
        "opened.json", "server.lock", "version",
    }


@pytest.mark.parametrize("name", sorted(OWN))
def test_folders_that_the_workspace_uses_are_no_data_sets(tmp_path, truth, name):
    """One called trash was listed, and could not be deleted."""
    workspace = Workspace(tmp_path / "ws")
    info = workspace.add_dataset(simulate(truth, 50, seed=0), origin="a.csv", report=[])
    workspace.close()
    copied = workspace.folder / name
    shutil.copytree(workspace.folder / info.id, copied, dirs_exist_ok=True)
    again = Workspace(workspace.folder)
    try:
        assert [one.id for one in again.datasets()] == [info.id]
        assert [note for note in again.notes if f"The data set in {name} is not shown" in note]
        assert (copied / "about.json").exists(), "it is left as it is"
        again.delete_dataset(info.id)
        assert not again.datasets()
    finally:
        again.close()


def test_all_folders_of_a_workspace_are_known():
    assert {trash_module.NAME, experiments.NAME, FETCHED, SESSIONS, SIMULATIONS, SMALL} <= OWN
