"""The workspace: what is kept comes back, also after a crash; what is deleted is gone."""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.dashboard.keeping.damage import lose
from tripletscope.core import run as runs
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import Pairs
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.door.workers import workers
from tripletscope.dashboard.keeping.catalogue import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.storage import Storage
from tripletscope.dashboard.keeping.workspace import Workspace

PLAN = {"n_objects": 8, "most": 100, "points": 2, "repeats": 2}


def png(colour: str, size: int = 40) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (size, size // 2), colour).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture
def triplets(planted) -> Triplets:
    objects = planted.objects.assign(kind=pd.Categorical(["a", "b", "c"] * 10), size=np.arange(30))
    objects["image"] = [f"{i}.png" for i in range(30)]
    answers = planted.answers.assign(participant=pd.Categorical(["p", "q"] * 1250))
    return Triplets(planted.rows, objects, answers, "Things")


def keep(workspace, triplets):
    pictures = {"0.png": png("red"), "1.png": png("blue")}
    return workspace.add_dataset(triplets, origin="a.csv", report=["Read."], pictures=pictures)


def test_data_sets_come_back_after_a_restart(workspace, triplets):
    info = keep(workspace, triplets)
    assert (info.n_objects, info.n_answers, info.n_participants) == (30, 2500, 2)
    workspace.close()
    again = Workspace(workspace.folder)
    assert again.datasets() == [info]
    back = again.triplets(again.dataset(info.id))
    assert back.fingerprint == triplets.fingerprint
    assert back.name == "Things"
    pd.testing.assert_frame_equal(back.objects, triplets.objects)
    pd.testing.assert_frame_equal(back.answers, triplets.answers)


def test_last_opened_comes_first_and_names_change(workspace, triplets):
    first, second = keep(workspace, triplets), keep(workspace, triplets)
    assert [info.id for info in workspace.datasets()] == [second.id, first.id]
    workspace.touch(first.id)
    workspace.rename_dataset(first.id, "Other")
    assert [info.name for info in workspace.datasets()] == ["Other", "Things"]
    assert workspace.triplets(workspace.dataset(first.id)).name == "Other"


def test_pictures_have_thumbnails(workspace, triplets):
    info = keep(workspace, triplets)
    assert workspace.picture(info.pictures["0.png"]).read_bytes() == png("red")
    with Image.open(workspace.picture(info.pictures["0.png"], 16)) as small:
        assert small.size == (16, 8)
    for name in ("nothing.png", "../catalogue.sqlite"):
        with pytest.raises(FileNotFoundError):
            workspace.picture(name)


def test_pictures_are_made_small_by_a_reader_of_files(workspace, triplets, monkeypatch):
    info = keep(workspace, triplets)

    def decode(*given, **more):
        raise AssertionError("the server is not to decode what a stranger has drawn")

    with monkeypatch.context() as patch:
        patch.setattr(Image, "open", decode)
        small = workspace.picture(info.pictures["0.png"], 16)
        again = workspace.picture(info.pictures["0.png"], 16)
    assert small == again != workspace.picture(info.pictures["0.png"])
    # One that cannot be decoded is shown by the browser, or not at all.
    damaged = workspace.add_dataset(
        triplets, origin="b.csv", report=[], pictures={"0.png": png("red")[:60]}
    )
    large = workspace.picture(damaged.pictures["0.png"], 16)
    assert large.read_bytes() == png("red")[:60]

    def busy(wanted):
        raise OSError("no more processes")

    monkeypatch.setattr(workers(), "take", busy)
    workspace._shrinker = None
    assert workspace.picture(info.pictures["1.png"], 16).read_bytes() == png("blue")


def stems(workspace: Workspace, part: str, pattern: str = "*") -> set[str]:
    return {path.name.split(".")[0] for path in (workspace.folder / part).glob(pattern)}


def test_a_new_version_takes_the_place_of_the_old(workspace, triplets):
    info = keep(workspace, triplets)
    changed = triplets.with_objects(triplets.objects.assign(kind="x"))
    new = workspace.update_dataset(info, Cleaning(changed), {"2.png": png("green")})
    assert set(new.pictures) == {"0.png", "1.png", "2.png"}
    assert workspace.triplets(workspace.dataset(info.id)).objects["kind"].tolist() == ["x"] * 30


@pytest.mark.parametrize("task", ["fit", "bootstrap", "cross_validate"])
def test_runs_come_back(workspace, triplets, task):
    info = keep(workspace, triplets)
    options = {"bootstrap": {"replicates": 3}}.get(task, {})
    done = run(task, STE(n_init=1), triplets, options)
    workspace.add_run(info, done, "STE")
    back = Workspace(workspace.folder).run(info.id, done.key)
    assert vars(back).keys() == vars(done).keys()
    for name, value in vars(done).items():
        if name == "arrays":
            assert all(np.array_equal(value[a], back.arrays[a]) for a in value)
        else:
            assert getattr(back, name) == value
    assert workspace.run(info.id, "another key") is None


def test_arrays_of_runs_stay_in_memory_up_to_a_limit(workspace, triplets, monkeypatch):
    info = keep(workspace, triplets)
    keys = []
    for seed in range(3):
        done = run("fit", STE(n_init=1, seed=seed), triplets)
        keys.append(workspace.add_run(info, done, "STE").key)
    first = workspace.run(info.id, keys[0]).arrays["embedding_"]
    assert workspace.run(info.id, keys[0]).arrays["embedding_"] is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0
    monkeypatch.setattr("tripletscope.dashboard.keeping.storage._IN_MEMORY", 1)
    last = workspace.run(info.id, keys[1]).arrays["embedding_"]
    assert workspace.run(info.id, keys[1]).arrays["embedding_"] is last, "the latest always"
    assert workspace.run(info.id, keys[0]).arrays["embedding_"] is not first


def test_data_sets_about_the_same_objects_are_found(workspace, triplets):
    info = keep(workspace, triplets)
    part = keep(workspace, triplets.take(np.arange(100)))
    renamed = triplets.objects.assign(id=[f"x{i}" for i in range(triplets.n_objects)])
    keep(workspace, Triplets(triplets.rows, renamed, triplets.answers, "others"))
    assert [other.id for other in workspace.about_the_same_objects(info)] == [part.id]


def test_runs_are_listed_replaced_renamed_and_deleted(workspace, triplets):
    info = keep(workspace, triplets)
    fit = run("fit", STE(n_init=1), triplets)
    boot = run("bootstrap", STE(n_init=1), triplets, {"replicates": 3})
    other = run("fit", STE(n_init=1, seed=1), triplets)
    for done in (fit, boot, other, fit):
        workspace.add_run(info, done, done.task)
    assert [r.key for r in workspace.runs(info.id, "fit")] == [other.key, fit.key]
    listed = workspace.runs(info.id, "fit")[1]
    workspace.rename_run(listed.id, "My map")
    assert workspace.runs(info.id, "fit")[1].name == "My map"
    workspace.delete_run(listed.id)  # its bootstrap goes along
    assert [r.key for r in workspace.runs(info.id)] == [other.key]
    workspace.delete_run(listed.id)


def test_a_fit_of_an_earlier_version_is_deleted_without_what_was_computed_anew(
    workspace, triplets, monkeypatch
):
    info, method = keep(workspace, triplets), STE(n_init=1)
    tasks = {"fit": {}, "bootstrap": {"replicates": 3}}
    with monkeypatch.context() as before:
        before.setattr(runs, "RESULTS_SINCE", "0.2.0")
        old = [run(task, method, triplets, options) for task, options in tasks.items()]
    new = [run(task, method, triplets, options) for task, options in tasks.items()]
    for done in (*(replace(done, version="0.2.0") for done in old), *new):
        workspace.add_run(info, done, done.task)
    *_, fit = workspace.runs(info.id, "fit")
    assert fit.key == old[0].key
    workspace.delete_run(fit.id)
    assert {r.key for r in workspace.runs(info.id)} == {done.key for done in new}
    (fit,) = workspace.runs(info.id, "fit")
    workspace.delete_run(fit.id)
    assert workspace.runs(info.id) == []


def test_deleting_frees_files(workspace, triplets):
    info = keep(workspace, triplets)
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "STE")
    for picture in info.pictures.values():
        workspace.picture(picture, 64)
    kept = keep(workspace, triplets.take(np.arange(100)))
    workspace.update_dataset(kept, workspace.cleaning(kept), {"1.png": png("green")})
    kept = workspace.dataset(kept.id)
    unknown = workspace.folder / "data" / "0123.answers.parquet"
    unknown.write_bytes(b"what a crash, or somebody, has left")
    workspace.delete_dataset(info.id)
    assert workspace.datasets() == [kept]
    assert workspace.runs(info.id) == []
    assert stems(workspace, "data") == {kept.fingerprint, "0123"}
    assert stems(workspace, "runs") == set()
    red, green = (file.split(".")[0] for file in kept.pictures.values())
    assert stems(workspace, "pictures") == {red, green}, "not blue, and nothing small of it"
    assert stems(workspace, "pictures", "*.64px.png") == {red}, "the other set uses it"


def test_files_that_are_kept_again_are_not_taken_for_unused_meanwhile(workspace, triplets):
    """Another session may delete the only data set that has them before the new one is listed."""
    info = keep(workspace, triplets)
    added = Storage.keep_triplets

    def and_another_deletes(self, triplets):
        added(self, triplets)
        workspace.delete_dataset(info.id)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Storage, "keep_triplets", and_another_deletes)
        again = keep(workspace, triplets)
    workspace.close()
    found = Workspace(workspace.folder).triplets(again)
    assert found.fingerprint == triplets.fingerprint


def test_sessions_come_back(workspace):
    assert workspace.session("s") is None
    workspace.save_session("s", {"drafts": {"a": 1}})
    workspace.save_session("s", {"drafts": {"a": 2}})
    assert Workspace(workspace.folder).session("s") == {"drafts": {"a": 2}}


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match=r"file cannot be written .* --workspace"):
        Workspace(tmp_path / "file")


def test_a_newer_catalogue_is_left_alone(workspace):
    workspace.close()
    with sqlite3.connect(workspace.folder / "catalogue.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(WorkspaceError, match="newer version"):
        Workspace(workspace.folder)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("how", "words"), [
    ("missing", "is missing"), ("empty", "is empty"), ("garbage", "is damaged"),
    ("half", "is damaged"), ("of others", "is damaged"),
])
def test_files_whose_catalogue_is_lost_are_left_alone(workspace, triplets, how, words, log):
    info = keep(workspace, triplets)
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "STE")
    workspace.close()
    for later in ("records", "backups"):  # an earlier version has made none
        shutil.rmtree(workspace.folder / later, ignore_errors=True)
    catalogue = workspace.folder / "catalogue.sqlite"
    backup = catalogue.read_bytes()
    lose(catalogue, how)
    left = catalogue.with_name("catalogue.sqlite-wal")
    if log:
        left.write_bytes(b"what was changed last")
    (workspace.folder / "data" / "a.partial").write_bytes(b"")
    before = {path: path.read_bytes() for path in workspace.folder.rglob("*.*")}
    del before[workspace.folder / "server.lock"]
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=f"{words}.*a backup.*--workspace") as caught:
            Workspace(workspace.folder)
        assert ("first move catalogue.sqlite-wal elsewhere" in str(caught.value)) == log
    after = {path: path.read_bytes() for path in workspace.folder.rglob("*.*") if path in before}
    assert after == before

    left.unlink(missing_ok=True)
    catalogue.write_bytes(backup)
    assert Workspace(workspace.folder).datasets() == [info]


def test_a_log_without_its_catalogue_is_left_alone(tmp_path):
    """SQLite would delete it."""
    log = tmp_path / "catalogue.sqlite-wal"
    log.write_bytes(b"what was changed last")
    with pytest.raises(WorkspaceError, match="is missing"):
        Workspace(tmp_path)
    assert log.exists()


def test_what_is_no_catalogue_is_not_made_one(tmp_path):
    (tmp_path / "catalogue.sqlite").write_bytes(b"garbage" * 3000)
    with pytest.raises(WorkspaceError, match="is damaged"):
        Workspace(tmp_path)


WRITER = """
import sys
import numpy as np
from pathlib import Path
from tripletscope.core.run import run
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.keeping.workspace import Workspace

workspace = Workspace(Path(sys.argv[1]))
truth = np.random.default_rng(0).normal(size=(20, 2))
number = 0
while True:
    triplets = simulate(truth, 2000, noise="flip", level=0.1, seed=number)
    info = workspace.add_dataset(triplets, origin="x", report=[])
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "fit")
    number += 1
    print(number, flush=True)
"""


def test_a_killed_process_loses_at_most_what_it_was_writing(tmp_path):
    """Killed again and again in the midst of writing, every time somewhere else."""
    folder, finished = tmp_path / "ws", 0
    for attempt in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3):
            finished += bool(process.stdout.readline())
        time.sleep(0.013 * attempt)
        os.kill(process.pid, signal.SIGKILL)
        finished += len(process.stdout.read().split())
        process.wait()

        workspace = Workspace(folder)
        listed = workspace.datasets()
        assert finished <= len(listed) <= finished + attempt + 1
        complete = 0
        for info in listed:
            assert workspace.triplets(info).fingerprint == info.fingerprint
            for entry in workspace.runs(info.id):
                assert workspace.run(info.id, entry.key).fitted().n_objects_ == 20
                complete += 1
        assert complete >= finished
        assert not list(folder.glob("[!t]*/*.partial")), "it is in the trash"
        workspace.close()


def test_exclusions_hide_what_was_computed_without_them_until_they_are_undone(workspace, triplets):
    info = keep(workspace, triplets)
    whole = workspace.add_run(info, run("fit", STE(n_init=1), triplets), "whole")
    uploaded = replace(run("fit", STE(n_init=2), triplets), options={"distances": "d.csv"})
    free = workspace.add_run(info, uploaded, "of given distances")
    cleaning = workspace.cleaning(info).excluding(Exclusion(participants=("q",), reason="asleep"))

    less = workspace.update_dataset(info, cleaning)
    assert (less.n_answers, less.n_participants) == (1250, 1)
    assert less.state
    assert workspace.dataset(info.id) == less
    assert set(workspace.triplets(less).answers["participant"]) == {"p"}
    assert workspace.cleaning(less).raw.fingerprint == triplets.fingerprint
    assert less.exclusions[0]["reason"] == "asleep"
    assert [r.id for r in workspace.runs(info.id)] == [free.id]
    part = workspace.add_run(less, run("fit", STE(n_init=1), workspace.triplets(less)), "part")
    assert [r.id for r in workspace.runs(info.id)] == [part.id, free.id]

    back = workspace.update_dataset(less, workspace.cleaning(less).undone())
    assert workspace.triplets(back).fingerprint == triplets.fingerprint
    assert not back.state
    assert [r.id for r in workspace.runs(info.id)] == [free.id, whole.id]
    assert Workspace(workspace.folder).triplets(back).fingerprint == triplets.fingerprint


def test_gold_catch_trials_and_pairs_come_back(workspace, triplets):
    catch = pd.DataFrame({"row": [3, 4], "participant": ["p", "q"], "correct": [True, False]})
    pairs = Pairs(
        np.array([[0, 1, 2, 3], [4, 5, 0, 1]], dtype=np.int32),
        pd.DataFrame({"participant": pd.Categorical(["p", "q"])}), np.array([2, 7]), 30,
    )
    info = workspace.add_dataset(
        triplets, origin="a.csv", report=[], catch_trials=catch, pairs=pairs, extra={"as": "b"},
    )
    gold = Triplets(triplets.rows[:5], triplets.objects)
    workspace.update_dataset(info, replace(workspace.cleaning(info), gold=gold))

    again = Workspace(workspace.folder)
    info = again.dataset(info.id)
    pd.testing.assert_frame_equal(again.cleaning(info).catch_trials, catch)
    np.testing.assert_array_equal(again.cleaning(info).gold.rows, gold.rows)
    back = again.pairs(info)
    np.testing.assert_array_equal(back.rows, pairs.rows)
    assert back.answers["participant"].tolist() == ["p", "q"]
    assert back.answers["participant"].tolist() == ["p", "q"]
    assert (info.n_pairs, info.n_participants, info.extra) == (2, 2, {"as": "b"})
    again.update_dataset(info, again.cleaning(info))
    assert len(again.pairs(info)) == 2, "still in use"


def test_simulations_belong_to_no_data_set(workspace, triplets):
    done = run("plan", STE(), None, PLAN)
    listed = workspace.add_run(None, done, "plan")
    assert [r.id for r in workspace.runs(None, "plan")] == [listed.id]
    assert workspace.run(None, done.key).result().needed == done.result().needed
    assert workspace.runs(keep(workspace, triplets).id) == []


def test_a_catalogue_of_the_first_version_is_brought_up_to_date(tmp_path, triplets):
    new = Workspace(tmp_path)
    info = keep(new, triplets)
    new.add_run(info, run("fit", STE(n_init=1), triplets), "map")
    new.close()
    with sqlite3.connect(tmp_path / "catalogue.sqlite") as catalogue:
        for column in ("imported", "exclusions", "gold", "catch_trials", "pairs", "n_pairs",
                       "extra"):
            catalogue.execute(f"ALTER TABLE datasets DROP COLUMN {column}")
        catalogue.execute("ALTER TABLE runs DROP COLUMN exclusions")
        catalogue.execute("PRAGMA user_version = 1")
    old = Workspace(tmp_path)
    assert old.dataset(info.id) == info
    (kept,) = old.runs(info.id, "fit")
    assert old.run(info.id, kept.key).fitted().n_objects_ == 30
    assert old.cleaning(info).triplets.fingerprint == triplets.fingerprint
    old.add_run(None, run("plan", STE(), None, PLAN), "plan")
    old.delete_dataset(info.id)
    assert old.runs(info.id) == [], "runs go with their data set"


def test_many_can_open_a_new_folder_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: Workspace(tmp_path / "ws"), range(8)))
    assert [workspace.datasets() for workspace in opened] == [[]] * 8


def test_many_sessions_at_once_lose_nothing(workspace, truth):
    """Six import, compute, look at pictures and delete, all about the same few files."""
    data = [simulate(truth, 100, noise="logistic", seed=seed) for seed in range(3)]
    runs = [run("fit", STE(n_init=1), triplets) for triplets in data]
    shared = workspace.add_dataset(data[0], origin="x", report=[])

    def work(number: int) -> list[DatasetInfo]:
        chance, kept = random.Random(number), []
        for turn in range(25):
            which = chance.randrange(3)
            info = workspace.add_dataset(
                data[which], origin="x", report=[],
                pictures={"a": png("red", 200 + which), "b": png("blue", 200)},
            )
            assert workspace.add_run(info, runs[which], "map")
            assert workspace.add_run(shared, runs[which], "map")
            for picture in info.pictures.values():
                assert workspace.picture(picture, 64).exists()
            workspace.save_session("two tabs", {"number": number, "turn": turn})
            if chance.random() < 0.7:
                workspace.delete_dataset(info.id)
            else:
                kept.append(info)
        return kept

    with ThreadPoolExecutor(6) as pool:
        kept = [info for found in pool.map(work, range(6)) for info in found]
    assert len(workspace.runs(shared.id)) == 3, "each was replaced, none is there twice"
    workspace.close()
    again = Workspace(workspace.folder)
    assert {info.id for info in again.datasets()} == {info.id for info in (shared, *kept)}
    for info in kept:
        assert again.triplets(info).fingerprint == info.fingerprint
        (listed,) = again.runs(info.id)
        assert again.run(info.id, listed.key).fitted().n_objects_ == 30
        assert all(again.picture(picture).exists() for picture in info.pictures.values())
    for info in (shared, *kept):
        again.delete_dataset(info.id)
    assert not [path for part in ("data", "runs", "pictures")
                for path in (again.folder / part).iterdir()]


def test_nothing_is_kept_of_a_data_set_that_was_deleted_meanwhile(workspace, triplets):
    info = keep(workspace, triplets)
    done = run("fit", STE(n_init=1), triplets)
    workspace.delete_dataset(info.id)
    assert workspace.add_run(info, done, "map") is None
    workspace.rename_dataset(info.id, "gone")
    workspace.touch(info.id)
    assert workspace.datasets() == []
    assert stems(workspace, "runs") == set()
