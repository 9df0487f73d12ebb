"""A damaged file is one sentence; everything else can be used, and it can be had again."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.store.trashed import trashed
from tests.dashboard.upload.uploads import png
from tripletscope import __version__
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.files import storage as files_module
from tripletscope.dashboard.files.errors import DamagedFile, DamagedResult, WorkspaceError
from tripletscope.dashboard.store import change as change_module
from tripletscope.dashboard.store import workspace_base as opened_module
from tripletscope.dashboard.store.workspace import Workspace


def turned(path: Path, byte: int) -> None:
    content = bytearray(path.read_bytes())
    content[byte] ^= 1
    path.write_bytes(content)


def damage(path: Path, how: str) -> None:
    size = path.stat().st_size
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[: size // 2])
    else:
        turned(path, {"a bit in front": 60, "a bit behind": size - 9}[how])


def pictured(triplets):
    return triplets.with_objects(triplets.objects.assign(image=["a", *[None] * 29]))


HOW = ["missing", "empty", "cut", "a bit in front", "a bit behind"]


@pytest.fixture
def two(tmp_path, truth):
    """A workspace that nobody has open, with two data sets about the same objects."""
    workspace = Workspace(tmp_path / "ws")
    infos = [
        workspace.add_dataset(
            pictured(simulate(truth, 300, noise="logistic", seed=seed)).renamed(f"Set {seed}"),
            origin="a.csv", report=[], pictures={"a": png(seed)},
            catch_trials=pd.DataFrame({"row": [seed, 7], "correct": [True, False]}),
        )
        for seed in range(2)
    ]
    for info in infos:
        workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), info.name)
    workspace.close()
    return workspace.folder, infos


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["answers", "objects"])
def test_damaged_answers_are_one_sentence_and_come_back_by_putting_them_back(two, kind, how):
    folder, (first, second) = two
    path = folder / first.id / f"{kind}.parquet"
    whole = path.read_bytes()
    damage(path, how)
    workspace = Workspace(folder)
    assert len(workspace.datasets()) == 2
    for read in (workspace.triplets, workspace.cleaning):
        with pytest.raises(DamagedFile, match=rf"{first.id}/{path.name} of the workspace is"):
            read(first)
    assert workspace.triplets(second).fingerprint == second.fingerprint
    if kind == "objects":
        assert workspace.about_the_same_objects(second) == []
    assert workspace.run(first.id, workspace.runs(first.id)[0].key) is not None
    path.write_bytes(whole)
    assert workspace.triplets(first).fingerprint == first.fingerprint
    workspace.delete_dataset(first.id)
    assert workspace.datasets() == [second]


def test_a_missing_description_is_made_again(two):
    folder, (first, _) = two
    workspace = Workspace(folder)
    cleaning = workspace.cleaning(first).excluding(Exclusion(answers=(1,), reason="slow"))
    workspace.update_dataset(first, cleaning)
    workspace.rename_dataset(first.id, "Renamed")
    workspace.close()
    (folder / first.id / "about.json").unlink()
    workspace = Workspace(folder)
    assert "It was restored from the version before the last change" in workspace.notes[0]
    found = workspace.dataset(first.id)
    assert (found.name, len(found.exclusions)) == ("Set 0", 1)
    assert workspace.triplets(found).fingerprint == found.fingerprint
    workspace.close()

    for name in ("about.json", "about.before.json"):
        (folder / first.id / name).unlink()
    workspace = Workspace(folder)
    assert "Its exclusions, gold questions and" in workspace.notes[0]
    found = workspace.dataset(first.id)
    assert (found.imported, found.exclusions) == (first.imported, [])
    assert workspace.triplets(found).fingerprint == first.fingerprint
    assert len(workspace.cleaning(found).catch_trials) == 2
    assert workspace.picture(found.pictures["a"]).read_bytes() == png(0)
    (listed,) = workspace.runs(first.id)
    assert workspace.run(first.id, listed.key).fitted().n_objects_ == 30
    workspace.close()
    again = Workspace(folder)
    assert again.notes == []


@pytest.mark.parametrize("how", [one for one in HOW if one != "missing"])
def test_a_damaged_description_is_said_and_left_until_it_is_put_right(two, how):
    folder, (first, second) = two
    workspace = Workspace(folder)
    workspace.update_dataset(
        first, workspace.cleaning(first).excluding(Exclusion(answers=(1,), reason="slow")))
    workspace.close()
    about = folder / first.id / "about.json"
    whole = about.read_bytes()
    damage(about, how if not how.startswith("a bit") else "cut")
    content = about.read_bytes()
    for _ in range(2):
        workspace = Workspace(folder)
        assert f"The data set in {first.id} is not shown" in workspace.notes[0]
        assert "about.before.json beside it" in workspace.notes[0]
        assert "(line " in workspace.notes[0]
        assert [info.id for info in workspace.datasets()] == [second.id]
        for change in (
            lambda now=workspace: now.rename_dataset(first.id, "Other"),
            lambda now=workspace: now.note(first.id, "asked", "triplets"),
            lambda now=workspace: now.update_dataset(first, now.cleaning(second)),
        ):
            with pytest.raises(WorkspaceError, match="is not shown"):
                change()
        assert about.read_bytes() == content
        workspace.close()
    about.write_bytes(whole)
    workspace = Workspace(folder)
    assert workspace.notes == []
    assert len(workspace.dataset(first.id).exclusions) == 1


@pytest.mark.parametrize(("field", "value"), [
    ("report", "cut"), ("pictures", 5), ("exclusions", None), ("exclusions", [{}]),
    ("n_objects", "many"), ("created", "yesterday"), ("files", {}),
    ("files", {"answers": "../../answers.parquet", "objects": "objects.parquet"}),
    ("pictures", {"a": "/etc/passwd"}), ("extra", {"tables": [{"file": "..\\x"}]}),
    ("extra", {"tables": 5}), ("extra", {"measured": 5}), ("name", "\ud800"),
    ("created", "9999-12-31T23:59:59-05:00"), ("sums", {"../other/about.json": "x"}),
    ("files", {"answers": "D:answers.parquet", "objects": "objects.parquet"}),
])
def test_a_description_that_says_what_cannot_be_is_said_and_left(two, field, value):
    folder, (first, _) = two
    about = folder / first.id / "about.json"
    said = json.loads(about.read_text())
    about.write_text(json.dumps({**said, field: value}))
    content = about.read_bytes()
    workspace = Workspace(folder)
    assert f"The data set in {first.id} is not shown" in workspace.notes[0]
    assert f"the entry {field!r} is not as" in workspace.notes[0] or value == "\ud800"
    assert about.read_bytes() == content
    assert not trashed(workspace, f"{first.id}/about.json")


def test_a_description_that_is_damaged_while_it_is_open_hides_that_data_set_alone(two):
    folder, (first, second) = two
    workspace = Workspace(folder)
    (folder / first.id / "about.json").write_text("{")
    assert [info.id for info in workspace.datasets()] == [second.id]
    assert workspace.runs(first.id) == []


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_result_is_said_left_and_can_be_computed_again(two, how):
    folder, (first, second) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)
    workspace.close()
    path = folder / first.id / "results" / listed.key / "arrays.npz"
    damage(path, how)
    content = path.read_bytes() if path.exists() else None
    workspace = Workspace(folder)
    if content is not None:
        if workspace.runs(first.id):  # its heads are as they were
            with pytest.raises(DamagedResult, match=r"The result Set 0 cannot .*\(it is not"):
                workspace.run(first.id, listed.key)
        (told,) = workspace.unreadable(first.id)
        assert (told.name, told.id) == ("Set 0", listed.id)
        assert path.read_bytes() == content
    assert workspace.runs(first.id) == []
    assert workspace.unreadable(second.id) == []
    assert workspace.run(second.id, workspace.runs(second.id)[0].key).fitted().n_objects_ == 30
    workspace.add_run(first, run("fit", STE(n_init=1), workspace.triplets(first)), "again")
    workspace.close()
    again = Workspace(folder)
    assert again.notes == again.unreadable(first.id) == []
    assert again.run(first.id, listed.key).fitted().n_objects_ == 30


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"format": 1, "run": {}}'])
def test_a_damaged_description_of_a_result_hides_that_result(two, content):
    folder, (first, second) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)
    path = folder / first.id / "results" / listed.key / "run.json"
    path.write_text(content)
    assert workspace.runs(first.id) == []
    assert [one.id for one in workspace.unreadable(first.id)] == [listed.id]
    assert path.read_text() == content
    assert len(workspace.runs(second.id)) == 1
    workspace.add_run(first, run("fit", STE(n_init=1), workspace.triplets(first)), "again")
    assert workspace.run(first.id, listed.key).fitted().n_objects_ == 30


@pytest.mark.parametrize("how", HOW)
def test_damaged_tables_and_pictures_are_noticed(two, how):
    folder, (first, second) = two
    picture = first.pictures["a"]
    damage(folder / first.id / "catch_trials.parquet", how)
    damage(folder / first.id / "pictures" / "a.png", how)
    workspace = Workspace(folder)
    with pytest.raises(DamagedFile, match=r"catch_trials\.parquet"):
        workspace.cleaning(first)
    for size in (None, 64):
        with pytest.raises(FileNotFoundError):
            workspace.picture(picture, size)
    assert workspace.triplets(first).fingerprint == first.fingerprint
    assert len(workspace.cleaning(second).catch_trials) == 2
    workspace.update_dataset(second, workspace.cleaning(second), {"a": png(5)})
    assert workspace.picture(workspace.dataset(second.id).pictures["a"], 64).is_file()


def test_every_file_is_compared_once(two, monkeypatch):
    folder, infos = two
    summed = []
    sum_of = files_module.sum_of
    monkeypatch.setattr(files_module, "sum_of", lambda path: summed.append(path) or sum_of(path))
    monkeypatch.setattr(opened_module, "_FEW", 1)
    workspace = Workspace(folder)
    for info in infos * 3:
        workspace.triplets(info)
        workspace.run(info.id, workspace.runs(info.id)[0].key)
        workspace.picture(info.pictures["a"], 64)
    assert len(summed) == len(set(summed)) == 2 * (2 + 1 + 1)


def test_comparisons_of_pairs_are_checked_too(tmp_path, truth):
    workspace = Workspace(tmp_path)
    pairs = Pairs(np.array([[0, 1, 2, 3]], dtype=np.int32), pd.DataFrame(index=[0]),
                  np.array([2]), 30)
    info = workspace.add_dataset(
        simulate(truth, 100, seed=0), origin="a", report=[], pairs=pairs
    )
    damage(tmp_path / info.id / "pairs.parquet", "cut")
    again = Workspace(tmp_path)
    with pytest.raises(DamagedFile, match="is damaged"):
        again.pairs(info)


@pytest.mark.skipif(sys.platform != "linux", reason="only there is known what is synchronised")
def test_files_are_on_the_disk_before_they_are_mentioned(tmp_path, truth, monkeypatch):
    """A power cut does not leave a description of what is not there."""
    workspace = Workspace(tmp_path)
    replace, fsync = os.replace, os.fsync
    renamed: set[str] = set()
    late: list[set[str]] = []

    def note_and_replace(source, target, **further):
        if Path(target).name == "about.json":
            late.append(set(renamed))
        replace(source, target, **further)
        if Path(target).name != "about.before.json" and Path(target).parent != tmp_path:
            renamed.add(Path(target).parent.name)

    def note_and_sync(descriptor):
        fsync(descriptor)
        renamed.discard(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

    monkeypatch.setattr(os, "replace", note_and_replace)
    monkeypatch.setattr(os, "fsync", note_and_sync)
    info = workspace.add_dataset(
        simulate(truth, 50, seed=0), origin="a.csv", report=[], pictures={"dog": png()},
    )
    renamed.clear()
    cleaning = workspace.cleaning(info).excluding(Exclusion(answers=(1,), reason="slow"))
    info = workspace.update_dataset(info, cleaning, {"cat": png(3)})
    changed = cleaning.raw.with_objects(cleaning.raw.objects.assign(kind="x"))
    workspace.renew_dataset(info, changed, report=[])
    assert len(late) >= 3
    assert not any(late)


def test_a_change_that_fails_leaves_what_was_before(two, monkeypatch):
    folder, (first, _) = two
    workspace = Workspace(folder)

    def everything() -> dict[Path, bytes | bool]:
        return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")
                if path.name != "about.before.json"}

    def full(*given, **how):
        raise OSError(28, "No space left on device")

    before = everything()
    for module, name in ((change_module, "write_json"), (files_module, "put")):
        for change in (
            lambda: workspace.update_dataset(first, workspace.cleaning(first), {"cat": png(3)}),
            lambda: workspace.add_dataset(workspace.triplets(first), origin="a", report=[]),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(module, name, full)
                with pytest.raises(WorkspaceError, match="disk of the workspace is full"):
                    change()
            assert everything() == before


def test_a_folder_that_is_gone_is_said_to_be(two):
    workspace = Workspace(two[0])
    info = two[1][0]
    cleaning = workspace.cleaning(info)
    shutil.rmtree(workspace.folder)
    for use in (
        lambda: workspace.rename_dataset(info.id, "Other"),
        lambda: workspace.update_dataset(info, cleaning),
        lambda: workspace.delete_dataset(info.id),
        lambda: workspace.trash.what_becomes,
    ):
        with pytest.raises(WorkspaceError, match=r"No such file or directory|no longer there"):
            use()


# At the same time --------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [{"task": "compare_geometries"}, {"method": "gone"}])
def test_a_result_of_what_is_not_computed_any_more_is_not_called_damaged(two, other):
    folder, (first, _) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)
    workspace.close()
    place = folder / first.id / "results" / listed.key / "run.json"
    said = json.loads(place.read_text())
    place.write_text(json.dumps({**said, "run": {**said["run"], **other}}))
    again = Workspace(folder)
    (told,) = again.unreadable(first.id)
    assert told.problem.startswith(
        f"Version {__version__} computed {listed.key}/run.json; in this one there is no"
    )
    assert "damaged" not in told.problem
    assert next(iter(other.values())) in told.problem
    assert again.run(first.id, listed.key) is None
    assert json.loads(place.read_text())["run"] == {**said["run"], **other}


def test_memory_never_shows_what_a_result_was(two):
    folder, (first, _) = two
    workspace = Workspace(folder)
    done = run("fit", STE(n_init=1), workspace.triplets(first))
    for number in range(4):
        arrays = {**done.arrays, "losses_": np.array([float(number)])}
        workspace.add_run(first, replace(done, arrays=arrays), "map")
        assert workspace.run(first.id, done.key).arrays["losses_"][0] == number
    workspace.delete_run(workspace.runs(first.id)[0].id)
    workspace.add_run(first, replace(done, arrays={**done.arrays, "losses_": np.ones(1)}), "map")
    assert workspace.run(first.id, done.key).arrays["losses_"][0] == 1.0


def test_pictures_of_one_name_have_addresses_of_their_own(two):
    folder, (first, _) = two
    workspace = Workspace(folder)
    names, info = set(), first
    for seed in range(5, 9):
        info = workspace.update_dataset(info, workspace.cleaning(info), {"a": png(seed)})
        names.add(info.pictures["a"])
        assert workspace.picture(info.pictures["a"]).read_bytes() == png(seed)
    assert len(names) == 4
    with pytest.raises(FileNotFoundError):
        workspace.picture(first.pictures["a"])


def test_results_of_earlier_answers_are_not_those_of_the_new_ones(two, truth, monkeypatch):
    folder, (first, _) = two
    workspace = Workspace(folder)
    more = pictured(simulate(truth, 400, noise="logistic", seed=0))
    with monkeypatch.context() as patch:
        patch.setattr(workspace.trash, "take", lambda paths: None)  # as after a crash
        now = workspace.renew_dataset(first, more, report=[])
    assert workspace.runs(now.id) == []
    late = run("fit", STE(n_init=1), workspace.cleaning(now).raw.take(np.arange(300)))
    workspace.add_run(first, late, "begun before")
    assert workspace.runs(now.id) == []
    workspace._answers.clear()
    with pytest.raises(WorkspaceError, match="changed in another tab"):
        workspace._imported(first)


def test_a_description_of_answers_that_are_gone_is_not_taken(two, truth):
    folder, (first, _) = two
    workspace = Workspace(folder)
    more = pictured(simulate(truth, 400, noise="logistic", seed=0))
    workspace.renew_dataset(first, more, report=[])
    workspace.close()
    (folder / first.id / "about.json").unlink()
    (folder / first.id / "answers-7.parquet").write_bytes(b"")  # reserved by a process that ended
    workspace = Workspace(folder)
    found = workspace.dataset(first.id)
    assert (found.n_answers, len(workspace.triplets(found))) == (400, 400)


def test_what_the_folder_says_already_is_not_undone(two, truth, monkeypatch):
    folder, (first, _) = two
    workspace = Workspace(folder)
    whole = files_module.sync_folder

    def failing(path):
        if (path / "about.before.json").exists():
            raise OSError(5, "Input/output error")
        whole(path)

    monkeypatch.setattr(files_module, "sync_folder", failing)
    more = pictured(simulate(truth, 400, noise="logistic", seed=0))
    with pytest.raises(WorkspaceError, match="Input/output error"):
        workspace.renew_dataset(first, more, report=[])
    monkeypatch.undo()
    again = Workspace(folder)
    assert len(again.triplets(again.dataset(first.id))) in (300, 400)


def test_a_disk_that_cannot_be_read_now_loses_no_result(two, monkeypatch):
    folder, (first, _) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)

    def failing(path):
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(files_module, "sum_of", failing)
        with pytest.raises(WorkspaceError, match="Too many open files"):
            workspace.run(first.id, listed.key)
    assert workspace.run(first.id, listed.key).fitted().n_objects_ == 30


@pytest.mark.parametrize("name", ["CON", "nul.jpg", "Com1"])
def test_names_that_windows_keeps_for_itself_are_changed(name):
    assert files_module.slug(Path(name).stem).lower() not in ("con", "nul", "com1")
