"""The workspace: what is kept comes back, also after a crash; what is deleted is gone."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.processes import kill
from tripletscope.core import run as runs
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.sandbox.workers import workers
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.ui.choosing import in_order

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


def test_what_is_new_is_said_once_where_another_version_was_at_work(workspace, triplets):
    assert workspace.news == (), "nothing is new to who begins"
    keep(workspace, triplets)
    workspace.close()
    (workspace.folder / "version").write_text("0.4.0")
    after = Workspace(workspace.folder)
    assert len(after.news) == 3
    after.close()
    again = Workspace(workspace.folder)
    assert again.news == ()
    again.close()


@pytest.mark.parametrize("damage", [
    lambda path: path.write_bytes(b"\xff\xfe"), lambda path: path.mkdir(),
])
def test_a_version_that_cannot_be_read_or_noted_keeps_nobody_out(workspace, damage):
    workspace.close()
    (workspace.folder / "version").unlink()
    damage(workspace.folder / "version")
    after = Workspace(workspace.folder)
    assert (after.read_only, after.news) == ("", ())
    after.close()


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
    for name in ("nothing.png", f"{info.id}/../about.json"):
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


def test_arrays_of_runs_stay_in_memory_up_to_a_limit(workspace, triplets):
    info = keep(workspace, triplets)
    keys = []
    for seed in range(3):
        done = run("fit", STE(n_init=1, seed=seed), triplets)
        keys.append(workspace.add_run(info, done, "STE").key)
    first = workspace.run(info.id, keys[0]).arrays["embedding_"]
    assert workspace.run(info.id, keys[0]).arrays["embedding_"] is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0
    workspace._arrays.most = 1
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
    workspace.describe_run(listed.id, name="My map")
    assert workspace.runs(info.id, "fit")[1].name == "My map"
    workspace.delete_run(listed.id)  # its bootstrap goes along
    assert [r.key for r in workspace.runs(info.id)] == [other.key]
    workspace.delete_run(listed.id)


def test_results_of_one_key_are_told_apart(workspace, triplets):
    info = keep(workspace, triplets)
    whole = run("fit", STE(n_init=1), triplets)
    others = [replace(whole, complete=False), replace(whole, seconds=whole.seconds / 2), None]
    assert len({edition_of(one) for one in (whole, *others)}) == 4
    for one in (others[0], whole):
        workspace.add_run(info, one, "")
        (listed,) = workspace.runs(info.id)
        assert edition_of(listed) == edition_of(one) == edition_of(workspace.run(info.id, one.key))


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


def test_deleting_takes_the_folder_and_nothing_else(workspace, triplets):
    info = keep(workspace, triplets)
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "STE")
    for picture in info.pictures.values():
        workspace.picture(picture, 64)
    kept = keep(workspace, triplets.take(np.arange(100)))
    (workspace.folder / "notes").mkdir()
    (workspace.folder / "notes" / "answers.txt").write_text("somebody's")
    workspace.delete_dataset(info.id)
    assert workspace.datasets() == [kept]
    assert workspace.runs(info.id) == []
    assert {path.name for path in workspace.folder.iterdir()} == {
        kept.id, "notes", "opened.json", "server.lock", "small pictures", "trash",
        "version",
    }
    assert workspace.picture(kept.pictures["0.png"], 64).name.endswith(".64px.png")


def test_a_folder_can_be_copied_taken_away_and_put_back(workspace, triplets, tmp_path):
    info = keep(workspace, triplets)
    done = run("fit", STE(n_init=1), triplets)
    workspace.add_run(info, done, "My map")
    shutil.copytree(workspace.folder / info.id, workspace.folder / "A copy (1)")
    both = {one.id: one for one in workspace.datasets()}
    assert set(both) == {info.id, "A copy (1)"}
    workspace.rename_dataset("A copy (1)", "Copied")
    assert workspace.dataset(info.id) == info
    shutil.move(workspace.folder / info.id, tmp_path / "elsewhere")
    assert [one.name for one in workspace.datasets()] == ["Copied"]
    assert workspace.dataset(info.id) is None
    other = Workspace(tmp_path / "other")
    shutil.move(tmp_path / "elsewhere", other.folder / "by mail")
    (found,) = other.datasets()
    assert (found.name, found.fingerprint) == (info.name, info.fingerprint)
    (listed,) = other.runs("by mail")
    assert (listed.name, other.run("by mail", listed.key).key) == ("My map", done.key)
    assert other.picture(found.pictures["1.png"]).read_bytes() == png("blue")


def test_a_person_finds_what_it_is_by_names(workspace, triplets):
    info = keep(workspace, triplets.renamed("Äpfel & birnen / 2"))
    listed = workspace.add_run(info, run("fit", STE(n_init=1), triplets), "STE")
    folder = workspace.folder / info.id
    assert info.id.startswith("Apfel-birnen-2-")
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == {
        "about.json", "answers.parquet", "objects.parquet", "pictures/0.png", "pictures/1.png",
        f"results/{listed.key}/run.json", f"results/{listed.key}/arrays.npz",
    }
    about = json.loads((folder / "about.json").read_text())
    assert (about["name"], about["origin"], about["n_answers"]) == (
        "Äpfel & birnen / 2", "a.csv", 2500
    )


def test_sessions_come_back(workspace):
    assert workspace.session("s") is None
    workspace.save_session("s", {"drafts": {"a": 1}})
    workspace.save_session("s", {"drafts": {"a": 2}})
    assert Workspace(workspace.folder).session("s") == {"drafts": {"a": 2}}
    for name in ("../opened", "", "a" * 65, "s/../s"):
        workspace.save_session("s", {})
        assert workspace.session(name) is None


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match=r"file cannot be written .* --workspace"):
        Workspace(tmp_path / "file")


def test_a_data_set_of_a_newer_version_is_left_alone(workspace, triplets):
    info, other = keep(workspace, triplets), keep(workspace, triplets)
    about = workspace.folder / info.id / "about.json"
    newer = about.read_text().replace('"format": 1', '"format": 99')
    about.write_text(newer)
    workspace.close()
    again = Workspace(workspace.folder)
    assert again.datasets() == [other]
    assert "newer version of TripletScope" in again.notes[0]
    assert about.read_text() == newer


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "true", '"1"', "null"])
def test_a_format_that_there_never_was_is_refused_in_words(workspace, triplets, number):
    about = workspace.folder / keep(workspace, triplets).id / "about.json"
    odd = about.read_text().replace('"format": 1', f'"format": {number}')
    about.write_text(odd)
    workspace.close()
    again = Workspace(workspace.folder)
    assert again.datasets() == []
    assert "the entry 'format' is not as this program writes it" in again.notes[0]
    assert about.read_text() == odd


def test_folders_and_results_without_a_number_are_of_the_first_format(workspace, triplets):
    info = keep(workspace, triplets)
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "map")
    for path in (workspace.folder / info.id).rglob("*.json"):
        text = path.read_text()
        path.write_text(re.sub(r'"format": 1,\s*', "", text))
        assert path.read_text() != text
    workspace.close()
    again = Workspace(workspace.folder)
    assert (again.datasets(), again.notes) == ([info], [])
    assert again.triplets(info).fingerprint == triplets.fingerprint
    assert [one.name for one in again.runs(info.id)] == ["map"]
    again.rename_dataset(info.id, "Renamed")
    assert json.loads((again.folder / info.id / "about.json").read_text())["format"] == 1


WRITER = """
import os
import sys
import numpy as np
from pathlib import Path
from tripletscope.core.run import run
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.store.workspace import Workspace

truth = np.random.default_rng(0).normal(size=(20, 2))
for attempt in sys.stdin:
    process = os.fork()  # loading takes longer than all the writing
    if process:
        os.waitpid(process, 0)
        print("gone", flush=True)
        continue
    print(os.getpid(), flush=True)
    workspace, number = Workspace(Path(sys.argv[1])), 0
    while True:
        triplets = simulate(truth, 2000, noise="flip", level=0.1, seed=number)
        info = workspace.add_dataset(triplets, origin="x", report=[])
        workspace.add_run(info, run("fit", STE(n_init=1, max_iter=5), triplets), "fit")
        number += 1
        print(number, flush=True)
"""


def test_a_killed_process_loses_at_most_what_it_was_writing(tmp_path):
    """Killed again and again in the midst of writing, every time somewhere else."""
    folder, finished = tmp_path / "ws", 0
    writers = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    for attempt in range(3):
        writers.stdin.write(f"{attempt}\n")
        writers.stdin.flush()
        writer = int(writers.stdout.readline())
        for number in range(1, 4):
            assert int(writers.stdout.readline()) == number
        time.sleep(0.013 * attempt)
        kill(writer)
        finished += 3 + len(list(takewhile("gone\n".__ne__, writers.stdout)))

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
        assert not [*folder.glob("*.partial"), *folder.glob("[!t]*/**/*.partial")]
        workspace.close()
    writers.communicate()


def test_results_have_a_group_and_a_pin(workspace, triplets):
    info = keep(workspace, triplets)
    results = [run("fit", STE(n_init=1, seed=k), triplets) for k in range(3)]
    kept = [workspace.add_run(info, one, f"map {k}") for k, one in enumerate(results)]
    workspace.describe_run(kept[0].id, group="pilot")
    workspace.describe_run(kept[1].id, pinned=True, name="the map")
    workspace.add_run(info, results[1], "map 1")  # computed again
    listed = in_order(workspace.runs(info.id))
    assert [one.listed_name for one in listed] == ["★ the map", "pilot: map 0", "map 2"]
    assert workspace.first_map(info.id).id == kept[0].id
    workspace.close()
    assert in_order(Workspace(workspace.folder).runs(info.id)) == listed


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
        for turn in range(10):
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
    assert {path.name for path in again.folder.iterdir()} == {
        "opened.json", "server.lock", "sessions", "small pictures", "trash",
        "version",
    }


def test_nothing_is_kept_of_a_data_set_that_was_deleted_meanwhile(workspace, triplets):
    info = keep(workspace, triplets)
    done = run("fit", STE(n_init=1), triplets)
    workspace.delete_dataset(info.id)
    assert workspace.add_run(info, done, "map") is None
    workspace.rename_dataset(info.id, "gone")
    workspace.touch(info.id)
    assert workspace.datasets() == []
    assert not (workspace.folder / info.id).exists()


def test_a_page_looks_lists_up_once_and_sees_every_change(workspace, triplets, monkeypatch):
    info, looked = keep(workspace, triplets), []
    real = Workspace._list
    monkeypatch.setattr(Workspace, "_list", lambda *given: looked.append(1) or real(*given))
    first, second = (run("fit", STE(n_init=1, seed=seed), triplets) for seed in (0, 1))
    workspace.add_run(info, first, "first")
    with workspace.snapshot():
        looked.clear()
        assert [workspace.runs(info.id)[0].name for _ in range(5)] == ["first"] * 5
        assert workspace.runs(info.id, "cross_validate") == []
        assert len(looked) == 1
        with ThreadPoolExecutor(1) as another_tab:
            another_tab.submit(workspace.add_run, info, second, "second").result()
        assert [one.name for one in workspace.runs(info.id)] == ["second", "first"]
        workspace.describe_run(workspace.runs(info.id)[0].id, name="renamed")
        assert workspace.runs(info.id)[0].name == "renamed"
        Workspace(workspace.folder).delete_run(workspace.runs(info.id)[0].id)
        assert [one.name for one in workspace.runs(info.id)] == ["first"]
        assert workspace.unreadable(info.id) == []
    shutil.rmtree(workspace.folder / info.id / "results" / first.key)
    assert workspace.runs(info.id) == [], "somebody else may have been at the folder meanwhile"


def test_what_is_renewed_loses_its_results_within_a_page(workspace, triplets):
    info = keep(workspace, triplets)
    workspace.add_run(info, run("fit", STE(n_init=1), triplets), "map")
    with workspace.snapshot():
        assert workspace.first_map(info.id).name == "map"
        workspace.renew_dataset(info, triplets, report=[])
        assert workspace.first_map(info.id) is None
