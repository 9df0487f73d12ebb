"""A backup of a workspace in use is as the workspace was, and opens elsewhere."""

from __future__ import annotations

import subprocess
import threading
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from tests.server import COMMAND, UNHURRIED, running
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping import package
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.package import pack, unpack
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.serving.cli import main


@pytest.fixture
def workspace(tmp_path, truth) -> Workspace:
    made = Workspace(tmp_path / "ws")
    for seed in range(3):
        triplets = simulate(truth, 100, noise="logistic", seed=seed).renamed(f"Set {seed}")
        info = made.add_dataset(
            triplets, origin="a.csv", report=["Read."],
            catch_trials=pd.DataFrame({"row": [seed], "correct": [True]}),
        )
        made.add_run(info, run("fit", STE(n_init=1), triplets), "map")
    made.save_session("s", {"a": 1})
    return made


def test_a_backup_of_a_workspace_in_use_opens_elsewhere(workspace, tmp_path):
    (workspace.folder / "notes.txt").write_text("somebody's")
    packed = pack(workspace.folder, tmp_path / "a.zip")
    assert packed.missing == []
    infos = workspace.datasets()
    for info in infos:
        workspace.delete_dataset(info.id)
    (tmp_path / "new").mkdir()
    assert unpack(tmp_path / "a.zip", tmp_path / "new") == packed.files
    other = Workspace(tmp_path / "new")
    assert other.datasets() == infos
    assert other.notes == []
    assert other.session("s") == {"a": 1}
    for info in infos:
        assert other.triplets(info).fingerprint == info.fingerprint
        (listed,) = other.runs(info.id)
        assert other.run(info.id, listed.key).fitted().n_objects_ == 30
        assert len(other.cleaning(info).catch_trials) == 1
    assert not list(tmp_path.glob("*.partial"))


def test_what_is_changed_while_others_are_packed_is_as_it_was_before(
    workspace, tmp_path, monkeypatch
):
    infos = workspace.datasets()
    described = package._described

    def and_somebody_changes(*arguments):
        found = list(described(*arguments))
        cleaning = workspace.cleaning(infos[0]).excluding(Exclusion(answers=(1, 2), reason="slow"))
        workspace.update_dataset(infos[0], cleaning)
        workspace.rename_dataset(infos[1].id, "Renamed")
        return found

    monkeypatch.setattr(package, "_described", and_somebody_changes)
    assert pack(workspace.folder, tmp_path / "a.zip").missing == []
    unpack(tmp_path / "a.zip", tmp_path / "new")
    other = Workspace(tmp_path / "new")
    assert (other.datasets(), other.notes) == (infos, [])
    for info in infos:
        assert other.triplets(info).fingerprint == info.fingerprint


def test_what_is_deleted_while_others_are_packed_is_in_the_backup(workspace, tmp_path, monkeypatch):
    infos = workspace.datasets()
    described = package._described

    def and_somebody_deletes(*arguments):
        found = list(described(*arguments))
        workspace.delete_dataset(infos[0].id)
        return found

    monkeypatch.setattr(package, "_described", and_somebody_deletes)
    assert pack(workspace.folder, tmp_path / "a.zip").missing == []
    unpack(tmp_path / "a.zip", tmp_path / "new")
    other = Workspace(tmp_path / "new")
    assert other.datasets() == infos
    assert all(other.triplets(info).fingerprint == info.fingerprint for info in infos)


def test_backups_are_whole_while_many_write(workspace, truth, tmp_path):
    over = threading.Event()

    def write(number: int) -> None:
        turn = 0
        while not over.is_set():
            triplets = simulate(truth, 50, seed=number * 1000 + turn)
            info = workspace.add_dataset(triplets, origin="x", report=[])
            turn += 1
            if turn % 2:
                workspace.delete_dataset(info.id)

    writers = [threading.Thread(target=write, args=(number,), daemon=True) for number in range(3)]
    for writer in writers:
        writer.start()
    try:
        packed = [pack(workspace.folder, tmp_path / f"{k}.zip") for k in range(5)]
    finally:
        over.set()
        for writer in writers:
            writer.join()
    assert [one.missing for one in packed] == [[]] * 5
    for k in range(5):
        unpack(tmp_path / f"{k}.zip", tmp_path / f"new {k}")
        other = Workspace(tmp_path / f"new {k}")
        assert other.notes == []
        for info in other.datasets():
            assert other.triplets(info).fingerprint == info.fingerprint
        other.close()


def test_what_is_missing_is_named(workspace, tmp_path):
    gone = workspace.folder / workspace.datasets()[0].id / "objects.parquet"
    gone.unlink()
    assert pack(workspace.folder, tmp_path / "a.zip").missing == [f"{gone.parent.name}/{gone.name}"]


def test_what_changes_while_others_are_packed_is_as_it_was(workspace, tmp_path, monkeypatch, truth):
    """Names of files come again: what is packed is what its sum says."""
    described, (info, *_) = package._described, workspace.datasets()
    fingerprint = info.fingerprint

    def and_somebody_renews(*arguments):
        found = list(described(*arguments))
        for seed in range(4):
            now = workspace.dataset(info.id)
            workspace.renew_dataset(now, simulate(truth, 200 + seed, seed=seed), report=[])
        return found

    monkeypatch.setattr(package, "_described", and_somebody_renews)
    assert pack(workspace.folder, tmp_path / "a.zip").missing == []
    unpack(tmp_path / "a.zip", tmp_path / "new")
    other = Workspace(tmp_path / "new")
    assert other.triplets(other.dataset(info.id)).fingerprint == fingerprint


def test_folders_of_any_name_and_damaged_ones_are_in_a_backup(workspace, tmp_path):
    first, second, third = workspace.datasets()
    (workspace.folder / first.id).rename(workspace.folder / "Study 1: towns")
    (workspace.folder / second.id / "about.json").write_text("{")
    (workspace.folder / third.id / "about.json").write_text('{"format": 2}')
    pack(workspace.folder, tmp_path / "a.zip")
    unpack(tmp_path / "a.zip", tmp_path / "new")
    other = Workspace(tmp_path / "new")
    found = {info.fingerprint for info in other.datasets()}
    assert found == {first.fingerprint}
    assert (tmp_path / "new" / second.id / "about.json").read_text() == "{"
    assert (tmp_path / "new" / third.id / "answers.parquet").is_file()


def test_nothing_is_overwritten(workspace, tmp_path):
    pack(workspace.folder, tmp_path / "a.zip")
    before = (tmp_path / "a.zip").read_bytes()
    with pytest.raises(WorkspaceError, match="exists already"):
        pack(workspace.folder, tmp_path / "a.zip")
    with pytest.raises(WorkspaceError, match=r"not empty\. Nothing was overwritten"):
        unpack(tmp_path / "a.zip", workspace.folder)
    assert (tmp_path / "a.zip").read_bytes() == before
    assert len(workspace.datasets()) == 3


def test_what_is_no_workspace_is_not_backed_up(workspace, tmp_path):
    with pytest.raises(WorkspaceError, match="is missing"):
        pack(tmp_path / "none", tmp_path / "a.zip")
    with pytest.raises(WorkspaceError, match="could not be written"):
        pack(Workspace(tmp_path / "other").folder, tmp_path / "no" / "a.zip")


def changed(source: Path, target: Path, **contents: bytes | None) -> Path:
    """A package with other contents, or without them."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        held = {name: old.read(name) for name in old.namelist()}
        for name, content in {**held, **contents}.items():
            if content is not None:
                new.writestr(name, content)
    return target


def test_a_damaged_or_hostile_backup_is_refused_and_leaves_nothing(workspace, tmp_path):
    whole = tmp_path / "a.zip"
    pack(workspace.folder, whole)
    with zipfile.ZipFile(whole) as archive:
        inside = next(name for name in archive.namelist() if name.endswith(".npz"))
    flipped = bytearray(whole.read_bytes())
    flipped[flipped.find(b"PK\x03\x04", flipped.find(inside.encode()) - 60) + 90 + len(inside)] ^= 1
    (tmp_path / "1.zip").write_bytes(flipped)
    bad = {
        "bit": tmp_path / "1.zip",
        "mark": changed(whole, tmp_path / "2.zip", **{"backup.json": None}),
        "about": changed(whole, tmp_path / "3.zip", **{"backup.json": b"[1"}),
        "newer": changed(whole, tmp_path / "4.zip", **{"backup.json": b'{"format": 99}'}),
    }
    for k, name in enumerate(
        ("../evil", "/tmp/evil", "data/../../evil", "evil", "a\\..\\evil", "C:/evil")
    ):
        bad[name] = changed(whole, tmp_path / f"h{k}.zip", **{name: b"x"})
    (tmp_path / "cut.zip").write_bytes(whole.read_bytes()[:5000])
    bad["cut"], bad["none"] = tmp_path / "cut.zip", tmp_path / "none.zip"
    before = {path.name for path in tmp_path.iterdir()}
    for source in bad.values():
        with pytest.raises(WorkspaceError, match=r"damaged|newer|not there"):
            unpack(source, tmp_path / "new")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_the_command_backs_up_a_running_server_and_opens_the_backup(workspace, tmp_path, capsys):
    infos = workspace.datasets()
    workspace.close()
    target = tmp_path / "a.zip"
    with running(workspace.folder, command=UNHURRIED):
        done = subprocess.run(
            [*COMMAND, "--workspace", str(workspace.folder), "--backup", str(target)],
            capture_output=True, text=True,
        )
    assert done.returncode == 0, done.stderr
    assert "files" in done.stdout
    new = ["--restore", str(target), "--workspace", str(tmp_path / "new")]
    assert main(new) == 0
    assert "To use it" in capsys.readouterr().out
    assert {info.id for info in Workspace(tmp_path / "new").datasets()} == {i.id for i in infos}
    assert main(new) == 1
    assert "Nothing was overwritten" in capsys.readouterr().err
    assert main(["--restore", str(target)]) == 2
    assert "name the new folder" in capsys.readouterr().err
