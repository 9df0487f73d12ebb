"""Workspaces of versions 0.2 and 0.3 are opened once, with all that was in them."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.dashboard.keeping.test_damaged_files import damage
from tripletscope.dashboard.keeping import earlier
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.package import unpack
from tripletscope.dashboard.keeping.workspace import Workspace

FIXTURE = Path(__file__).parents[2] / "fixtures" / "workspaces" / "0.3.zip"
#: Fingerprint of the birds' answers as they were imported.
IMPORTED = "d785cae37e861bb10a2ac48a0222a9db"


@pytest.fixture
def old(tmp_path) -> Path:
    """A workspace that version 0.3 has made."""
    with zipfile.ZipFile(FIXTURE) as archive:
        archive.extractall(tmp_path / "old")
    return tmp_path / "old"


def change(folder: Path, *statements: str, version: int | None = None) -> None:
    with closing(sqlite3.connect(folder / "catalogue.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)
        if version is not None:
            connection.execute(f"PRAGMA user_version = {version}")


def check(workspace: Workspace, sessions: bool = True) -> None:
    """Everything is there."""
    birds, pairs = sorted(workspace.datasets(), key=lambda info: info.name)
    assert (birds.name, birds.origin, birds.report) == ("Birds", "birds.csv", ["Read 120 answers."])
    assert (pairs.name, pairs.has_only_pairs, pairs.n_pairs) == ("Pairs only", True, 2)
    assert birds.extra["asked"] == "like"
    cleaning = workspace.cleaning(birds)
    assert (len(cleaning.raw), len(cleaning.triplets)) == (120, 80) == (120, birds.n_answers)
    assert cleaning.raw.fingerprint == birds.imported
    assert workspace.triplets(birds).fingerprint == birds.fingerprint
    assert birds.exclusions[0]["reason"] == "asleep"
    assert cleaning.catch_trials["correct"].tolist() == [True, False]
    np.testing.assert_array_equal(cleaning.gold.rows, cleaning.raw.rows[:5])
    assert cleaning.gold.fingerprint == birds.gold
    assert set(birds.pictures) == {"bird 0.png", "bird 1.png"}
    assert workspace.picture(birds.pictures["bird 1.png"], 64).is_file()
    (table,) = workspace.tables(birds)
    np.testing.assert_array_equal(
        workspace.table(birds, table, cleaning.raw).values, np.arange(16.0).reshape(8, 2)
    )
    assert len(workspace.pairs(pairs)) == 2
    (less,) = workspace.runs(birds.id)
    assert less.name == "without q"
    assert workspace.run(birds.id, less.key).fitted().n_objects_ == 8
    assert workspace.first_map(birds.id).name == "all answers"
    (plan,) = workspace.runs(None, "plan")
    assert workspace.run(None, plan.key).result().judgement
    if sessions:
        assert workspace.session("tab-1") == {
            "dataset": birds.id, "drafts": {f"map.colour@{birds.id}": "kind"}, "selections": {},
        }


def test_a_workspace_of_0_3_is_taken_over_once(old):
    before = {path.name: path.read_bytes() for path in old.rglob("*.*")}
    workspace = Workspace(old)
    assert "2 data sets and 3 results were taken over" in workspace.notes[0]
    check(workspace)
    assert [info.name for info in workspace.datasets()] == ["Birds", "Pairs only"]
    aside = {path.name: path.read_bytes() for path in (old / earlier.ASIDE).rglob("*.*")}
    assert aside == before
    workspace.close()
    shutil.rmtree(old / earlier.ASIDE)
    again = Workspace(old)
    assert again.notes == []
    check(again)


def test_a_workspace_of_0_2_is_taken_over(old):
    for part in ("records", "backups"):
        shutil.rmtree(old / part)
    columns = ("imported", "exclusions", "gold", "catch_trials", "pairs", "n_pairs", "extra")
    change(
        old, *(f"ALTER TABLE datasets DROP COLUMN {column}" for column in columns),
        "ALTER TABLE runs DROP COLUMN exclusions", "DELETE FROM runs WHERE dataset IS NULL",
        version=1,
    )
    workspace = Workspace(old)
    birds = next(info for info in workspace.datasets() if info.name == "Birds")
    assert (birds.n_answers, birds.exclusions, birds.gold) == (80, [], None)
    assert workspace.triplets(birds).fingerprint == birds.fingerprint == birds.imported
    assert {run.name for run in workspace.runs(birds.id)} == {"without q", "all answers"}


def test_a_backup_that_0_3_has_made_is_opened(old, tmp_path):
    package = tmp_path / "backup.zip"
    names = [path.relative_to(old).as_posix() for path in old.rglob("*.*")
             if path.parent.name not in ("backups", "data") or path.suffix != ".sqlite"]
    with zipfile.ZipFile(package, "w") as archive:
        for name in names:
            archive.write(old / name, name)
        sums = ", ".join(f'"{name}": ""' for name in names)
        archive.writestr("about.json", f'{{"format": 1, "sums": {{{sums}}}}}')
    assert unpack(package, tmp_path / "new") == len(names)
    check(Workspace(tmp_path / "new"))


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "garbage", "a folder", "no rows"])
@pytest.mark.parametrize("copies", [True, False])
def test_a_lost_catalogue_is_read_from_its_copy_and_the_records(old, how, copies):
    catalogue = old / "catalogue.sqlite"
    if how == "no rows":
        change(old, "DELETE FROM runs", "DELETE FROM datasets")
    elif how in ("garbage", "a folder"):
        catalogue.unlink()
        catalogue.mkdir() if how == "a folder" else catalogue.write_bytes(b"garbage" * 3000)
    else:
        damage(catalogue, how)
    if not copies:
        shutil.rmtree(old / "backups")
    check(Workspace(old), sessions=copies or how == "no rows")


def test_records_are_newer_than_the_catalogue(old):
    change(old, "UPDATE datasets SET exclusions = 'null', report = '[\"cut' WHERE name = 'Birds'",
           "UPDATE datasets SET name = 'Old'", "UPDATE runs SET record = '{'")
    check(Workspace(old))


@pytest.mark.parametrize("how", ["missing", "garbage"])
def test_files_of_which_nothing_tells_are_left_alone(old, how):
    for part in ("records", "backups"):
        shutil.rmtree(old / part)
    (old / "catalogue.sqlite").unlink()
    if how == "garbage":
        (old / "catalogue.sqlite").write_bytes(b"garbage" * 3000)
    before = {path: path.read_bytes() for path in old.rglob("*.*")}
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=r"lost its catalogue.*Nothing was changed"):
            Workspace(old)
    after = {path: path.read_bytes() for path in old.rglob("*.*") if path.name != "server.lock"}
    assert after == before


def test_a_catalogue_of_a_newer_version_is_left_alone(old):
    change(old, version=99)
    with pytest.raises(WorkspaceError, match="newer version"):
        Workspace(old)
    assert (old / "catalogue.sqlite").exists()


def test_what_is_damaged_is_found_to_be_where_it_is_used(old):
    damage(old / "data" / f"{IMPORTED}.answers.parquet", "a bit behind")
    missing = sorted((old / "pictures").iterdir())[0]
    missing.unlink()
    workspace = Workspace(old)
    birds = workspace.datasets()[0]
    assert (len(birds.pictures), birds.imported) == (1, IMPORTED)
    with pytest.raises(WorkspaceError, match="is damaged"):
        workspace.triplets(birds)


def test_a_data_set_whose_answers_are_missing_is_named_and_stays_aside(old):
    (old / "data" / f"{IMPORTED}.answers.parquet").unlink()
    workspace = Workspace(old)
    assert [info.name for info in workspace.datasets()] == ["Pairs only"]
    assert "Not taken over, because files are missing: Birds" in workspace.notes[0]
    assert (old / earlier.ASIDE / "data" / f"{IMPORTED}.objects.parquet").is_file()


def test_what_a_crash_has_left_is_taken_over_the_next_time(old, monkeypatch):
    def crash(folder):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(earlier, "_put_aside", crash)
        with pytest.raises(KeyboardInterrupt):
            Workspace(old)
    with monkeypatch.context() as patch:
        patch.setattr(earlier, "_take_run", crash)
        with pytest.raises(TypeError):
            Workspace(old)
    check(Workspace(old))


def test_where_links_cannot_be_made_files_are_copied(old, monkeypatch):
    def none(source, target):
        raise OSError("not here")

    monkeypatch.setattr(earlier.os, "link", none)
    check(Workspace(old))


def test_files_of_others_stay_where_they_are(old):
    (old / "data" / "mine.csv").write_text("a,b")
    (old / "notes").mkdir()
    (old / "notes" / "records.json").write_text("{}")
    workspace = Workspace(old)
    check(workspace)
    assert (old / "data" / "mine.csv").is_file()
    workspace.close()
    for name in ("records", "data"):  # somebody's data sets
        birds = next(path for path in old.iterdir() if path.name.startswith("Birds"))
        shutil.copytree(birds, old / name, dirs_exist_ok=True)
    again = Workspace(old)
    assert again.notes == []
    assert {info.id for info in again.datasets()} >= {"records", "data"}
    again.close()
    with zipfile.ZipFile(FIXTURE) as archive:  # put in once more
        archive.extractall(old)
    assert len(Workspace(old).datasets()) == 4


def test_what_cannot_be_taken_over_is_said(old, monkeypatch):
    def refused(folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tripletscope.dashboard.keeping.opened.Hold", refused)
    workspace = Workspace(old)
    assert workspace.read_only
    assert "Open it once where it can be written" in workspace.notes[1]
