"""A lost catalogue comes back: from its backups, from the files, and with what was done since."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.dashboard.keeping.damage import WAYS, lose
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping import backups as backups_module
from tripletscope.dashboard.keeping import opened as opened_module
from tripletscope.dashboard.keeping.backups import backups
from tripletscope.dashboard.keeping.catalogue import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.package import pack
from tripletscope.dashboard.keeping.workspace import Workspace


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "catalogue.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def used(tmp_path, truth) -> tuple[Path, list[DatasetInfo]]:
    """A workspace that nobody has open: a backup of two sets, and what was changed after it."""
    workspace = Workspace(tmp_path / "ws")
    infos = []
    for seed in range(3):
        triplets = simulate(truth, 100, noise="logistic", seed=seed)
        infos.append(workspace.add_dataset(
            triplets.renamed(f"Set {seed}"), origin="a.csv", report=["Read."]
        ))
    workspace.add_run(infos[0], run("fit", STE(n_init=1), workspace.triplets(infos[0])), "before")
    workspace.save_session("s", {"drafts": {"a": 1}})
    workspace.close()
    workspace = Workspace(tmp_path / "ws")  # which makes a backup
    workspace.delete_dataset(infos.pop(0).id)
    triplets = simulate(truth, 100, noise="logistic", seed=7).renamed("Later")
    infos.append(workspace.add_dataset(triplets, origin="b.csv", report=[]))
    workspace.add_run(infos[2], run("fit", STE(n_init=1), triplets), "after")
    workspace.add_run(None, run("plan", STE(), None, {
        "n_objects": 8, "most": 100, "points": 2, "repeats": 2,
    }), "plan")
    workspace.rename_dataset(infos[0].id, "Renamed")
    cleaning = workspace.cleaning(infos[1]).excluding(Exclusion(answers=(1, 2), reason="slow"))
    workspace.update_dataset(infos[1], cleaning)
    infos = [workspace.dataset(info.id) for info in infos]
    workspace.close()
    return workspace.folder, infos


def check(workspace: Workspace, infos: list[DatasetInfo]) -> None:
    """Everything is there as it was, but for the times of opening."""
    found = {info.id: info for info in workspace.datasets()}
    assert set(found) == {info.id for info in infos}, "and what was deleted stays so"
    for info in infos:
        back = found[info.id]
        assert (back.name, back.state, back.report) == (info.name, info.state, info.report)
        assert workspace.triplets(back).fingerprint == info.fingerprint
    (listed,) = workspace.runs(infos[2].id)
    assert listed.name == "after"
    assert workspace.run(infos[2].id, listed.key).fitted().n_objects_ == 30
    (plan,) = workspace.runs(None)
    assert workspace.run(None, plan.key).result().judgement


@pytest.mark.parametrize("way", list(WAYS))
def test_a_lost_catalogue_is_restored_with_all_that_was_done_since(used, way):
    folder, infos = used
    lose(folder / "catalogue.sqlite", way)
    workspace = Workspace(folder)
    check(workspace, infos)
    if way != "no rows":  # of which the records say it all
        assert "restored from the backup" in workspace.notes[0]
        assert WAYS[way] in workspace.notes[0]
        assert workspace.session("s") == {"drafts": {"a": 1}}
    workspace.close()
    again = Workspace(folder)
    assert again.notes == []
    check(again, infos)


@pytest.mark.parametrize("way", list(WAYS))
def test_without_a_sound_backup_the_list_is_made_again_from_the_files(used, way):
    folder, infos = used
    for path in backups(folder):
        path.write_bytes(b"damaged")
    damaged = folder / "catalogue.sqlite"
    lose(damaged, way)
    left = damaged.read_bytes() if way == "garbage" else b""
    workspace = Workspace(folder)
    check(workspace, infos)
    assert "from the files" in workspace.notes[0] or "did not list" in workspace.notes[0]
    if left:
        kept = workspace.trash.find("", "catalogue.sqlite")
        assert kept.read_bytes() == left, "nothing is deleted at once"


def test_a_folder_in_the_place_of_a_new_catalogue_is_said(tmp_path):
    (tmp_path / "catalogue.sqlite").mkdir()
    with pytest.raises(WorkspaceError, match=r"catalogue\.sqlite is a folder, .* Put back"):
        Workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="is a folder"):
        pack(tmp_path, tmp_path / "backup.zip")


def test_the_newest_sound_backup_is_taken_where_nothing_else_records_what_there_is(used):
    folder, _ = used
    shutil.rmtree(folder / "records")
    newest = backups(folder)[0]
    shutil.copy(newest, newest.with_name("catalogue-000099-2026-01-01.sqlite"))
    (folder / "backups" / "catalogue-000100-2026-01-01.sqlite").write_bytes(b"damaged")
    for way in ("missing", "no rows"):
        lose(folder / "catalogue.sqlite", way)
        shutil.rmtree(folder / "records", ignore_errors=True)
        workspace = Workspace(folder)
        names = {info.name for info in workspace.datasets()}
        assert names == {"Set 1", "Set 2"}, "the files of the first are in the trash"
        assert ("backup of 2026-01-01" in workspace.notes[0]) == (way == "missing")
        workspace.close()  # and the next one begins with a backup of its own


def test_an_older_catalogue_is_brought_up_to_date_from_the_files(used):
    folder, infos = used
    shutil.copy(backups(folder)[0], folder / "catalogue.sqlite")
    workspace = Workspace(folder)
    found = {info.id: info for info in workspace.datasets()}
    assert all(found[info.id].name == info.name for info in infos)
    assert found[infos[1].id].state == infos[1].state
    assert [listed.name for listed in workspace.runs(infos[2].id)] == ["after"]
    assert "did not list what the files contain: Later" in workspace.notes[0]


def test_a_workspace_of_an_earlier_version_gets_records(used):
    folder, infos = used
    names = {path.name for path in (folder / "records").iterdir()}
    shutil.rmtree(folder / "records")
    workspace = Workspace(folder)
    assert workspace.notes == []
    assert {path.name for path in (folder / "records").iterdir()} == names
    check(workspace, infos)


@pytest.mark.parametrize(("column", "value"), [
    ("report", "'[\"cut'"), ("pictures", "'5'"), ("exclusions", "'null'"), ("extra", "x'ff00'"),
    ("exclusions", "'[{}]'"), ("n_objects", "'many'"), ("created", "'yesterday'"),
])
def test_a_damaged_entry_is_read_from_its_record_or_else_alone_not_shown(used, column, value):
    folder, infos = used
    statement = f"UPDATE datasets SET {column} = {value} WHERE id = '{infos[0].id}'"
    change(folder, statement)
    workspace = Workspace(folder)
    check(workspace, infos)
    assert "Renamed in the catalogue was damaged" in workspace.notes[0]
    workspace.close()

    change(folder, statement)
    (folder / "records" / f"{infos[0].id}.json").write_text('{"version": 1, "id":')
    before = {path.name for path in (folder / "data").iterdir()}
    workspace = Workspace(folder)
    assert {info.id for info in workspace.datasets()} == {info.id for info in infos[1:]}
    assert workspace.dataset(infos[0].id) is None
    assert "is damaged, and it is not shown" in workspace.notes[0]
    workspace.delete_dataset(infos[1].id)
    assert {path.name for path in (folder / "data").iterdir()} == before, "which are whose?"


def test_a_damaged_entry_of_a_result_is_read_from_its_record_or_computed_again(used):
    folder, infos = used
    statement = f"UPDATE runs SET record = '{{' WHERE dataset = '{infos[2].id}'"
    change(folder, statement)
    workspace = Workspace(folder)
    check(workspace, infos)
    workspace.close()
    change(folder, statement)
    (record,) = (folder / "records").glob(f"{infos[2].id}.*.json")
    record.write_text("[]")
    workspace = Workspace(folder)
    assert workspace.runs(infos[2].id) == []
    assert "the result after was damaged" in workspace.notes[0]
    done = run("fit", STE(n_init=1), workspace.triplets(infos[2]))
    workspace.add_run(infos[2], done, "after")
    check(workspace, infos)


def test_records_that_are_damaged_or_not_ours_are_passed_over(used):
    folder, infos = used
    known = json.loads((folder / "records" / f"{infos[0].id}.json").read_text())
    for name, content in {
        "0123456789abcdef": "{", "1123456789abcdef": json.dumps({**known, "version": 99}),
        "2123456789abcdef": json.dumps(known), "notes": "[1]",
        "3123456789abcdef": json.dumps(
            {**known, "id": "3123456789abcdef", "imported": "../../catalogue"}
        ),
    }.items():
        (folder / "records" / f"{name}.json").write_text(content)
    workspace = Workspace(folder)
    check(workspace, infos)
    assert len(workspace.notes) == 3
    assert all("is damaged" in note for note in workspace.notes)


# Backups -------------------------------------------------------------------------------------


def test_the_last_five_different_catalogues_are_kept(tmp_path):
    for number in range(8):
        workspace = Workspace(tmp_path)
        workspace.save_session("s", {"number": number})
        workspace.close()
        Workspace(tmp_path).close()
        Workspace(tmp_path).close()  # nothing has changed
    kept = backups(tmp_path)
    assert [int(path.name.split("-")[1]) for path in kept] == [8, 7, 6, 5, 4]
    assert len(list(workspace.trash.folder.rglob("catalogue-*"))) == 3
    with closing(sqlite3.connect(kept[0])) as database:
        assert database.execute("SELECT state FROM sessions").fetchall() == [('{"number": 7}',)]
    assert {path.name for path in (tmp_path / "backups").iterdir()} == {p.name for p in kept}


def test_a_backup_is_made_once_a_day_of_use_also_when_the_clock_goes_back(tmp_path, monkeypatch):
    workspace = Workspace(tmp_path)
    for number, day in enumerate(("2027-01-01", "2027-01-01", "2026-01-01"), 1):
        for module in (backups_module, opened_module):
            monkeypatch.setattr(module, "today", lambda day=day: day)
        for turn in range(2):
            workspace.save_session("s", {"number": number, "turn": turn})
    days = [path.name[17:27] for path in backups(tmp_path)]
    assert days == ["2026-01-01", "2027-01-01"], "the newest first, whatever it says"


def test_what_cannot_be_copied_stops_nobody(tmp_path, caplog):
    Workspace(tmp_path).close()
    (tmp_path / "backups").write_text("")
    Workspace(tmp_path).save_session("s", {})
    assert "could not be copied" in caplog.text
