"""What becomes of uploads: they wait, are accepted, and are read as their like before."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tripletscope as ts
from tests.core.reading.layouts import FORMATS
from tests.core.reading.test_hostile import GOOD
from tests.core.studies.quality.answers import people_data
from tests.dashboard.upload.uploads import OTHERS, PEOPLE, forget, png
from tests.pages.harness import settled, start, unfold, words
from tests.processes import kill
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.reading import Reading, file_of_measured, load
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality import participants
from tripletscope.core.studies.quality.importing import read
from tripletscope.core.writing import WRITERS, write_answers
from tripletscope.dashboard.files.export import bundle
from tripletscope.dashboard.sandbox import workers as door
from tripletscope.dashboard.sandbox.workers import workers
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.uploads import new_archive
from tripletscope.dashboard.upload import ingest, waiting_upload

PETS = b"anchor,near,far\n" + b"cat,dog,car\ndog,cat,car\n" * 3
OBJECTS = ("objects.csv", b"id,kind\ncat,animal\ndog,animal\ncar,thing\n")

# Waiting


def full(*_, **__):
    raise OSError(28, "No space left on device")


def stored(services) -> set[str]:
    return {path.suffix for path in (services.workspace.folder / "uploads").iterdir()}


def test_many_uploads_at_once_all_wait(services, monkeypatch):
    """Each keeps its own data and reading, and few of them take up memory."""
    def content(k: int) -> bytes:
        return f"head,winner,loser\ncat,dog,car{k}\ndog,cat,car{k}\n".encode()

    def reading(k: int) -> Reading:
        near, far = ("winner", "loser") if k % 2 else ("loser", "winner")
        return Reading.from_roles(anchor="head", near=near, far=far)

    monkeypatch.setattr(door, "_AT_MOST", 2)
    monkeypatch.setattr(door, "_KEPT", 4)
    together = threading.Barrier(8)

    def wait(k: int) -> None:
        upload = waiting_upload.take_in(f"s{k}", [(f"{k}.csv", content(k))])
        together.wait(300)
        waiting_upload.use(f"s{k}", upload, reading(k))

    def accept(k: int) -> DatasetInfo:
        return ingest.accept(f"s{k}", waiting_upload.waiting(f"s{k}"), f"set {k}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(wait, range(8)))
    assert sum(worker.alive for worker in workers()._taken.values()) <= 2
    assert len(workers()._answers) <= 4
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(accept, range(8)))
    for k, info in enumerate(kept):
        expected = interpret(load(content(k), f"{k}.csv"), reading(k)).triplets
        assert (info.name, info.origin) == (f"set {k}", f"{k}.csv")
        assert services.workspace.triplets(info).fingerprint == expected.fingerprint
    assert stored(services) == set()


def test_an_upload_waits_through_a_restart_of_the_server_as_it_was(services):
    upload = waiting_upload.take_in("s", [
        *PEOPLE, *OTHERS, ("dog.png", png()), ("sad.gif", b"GIF89a"),
    ])
    upload = waiting_upload.cut("s", upload, {"header": True, "delimiter": ","})
    upload = waiting_upload.use("s", upload, upload.readings[-1])
    upload = waiting_upload.add("s", upload, "objects", [OBJECTS])
    shown, before = waiting_upload.opened(upload), waiting_upload.answers(upload)
    services.close()
    services_module._services.cache_clear()
    forget()
    assert waiting_upload.waiting("s") == upload
    assert waiting_upload.opened(upload) == shown
    now = waiting_upload.answers(upload)
    assert (now.triplets.fingerprint, now.report) == (before.triplets.fingerprint, before.report)


@pytest.mark.parametrize("harm", [lambda tar: tar.unlink(), lambda tar: tar.write_bytes(b"?" * 99)])
def test_an_upload_that_was_damaged_on_the_disk_is_let_go(services, harm):
    waiting_upload.take_in("s", [("pets.csv", GOOD)])
    (archive,) = (services.workspace.folder / "uploads").glob("*.tar")
    harm(archive)
    assert waiting_upload.waiting("s") is None
    assert stored(services) == set()
    waiting_upload.take_in("s", [("pets.csv", GOOD)])
    assert waiting_upload.waiting("s").name == "pets.csv"


def test_a_full_disk_loses_nothing_of_an_upload(services, monkeypatch):
    upload = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    with monkeypatch.context() as patch:
        patch.setattr(services.uploads, "pack", full)
        for write in (
            lambda: waiting_upload.add("s", upload, "objects", [OBJECTS]),
            lambda: waiting_upload.take_in("s", [("other.csv", GOOD)]),
        ):
            with pytest.raises(DataError, match=r"to the disk \(No space left on device\)"):
                write()
    assert waiting_upload.waiting("s") == upload
    added = waiting_upload.add("s", upload, "objects", [OBJECTS])
    assert waiting_upload.opened(added).objects.n_objects == 3


def test_the_form_stays_where_the_disk_is_full(services, anchor_last, monkeypatch):
    app = start()
    app.file_uploader(key="upload").upload("bare.csv", anchor_last, "text/csv").run()
    settled(app, services)
    session = app.session_state[_KEY].id
    with monkeypatch.context() as patch:
        patch.setattr(services.uploads, "change", full)
        app.selectbox(key=f"layout.{waiting_upload.waiting(session).version}").set_value(1).run()
        assert not app.exception
        assert any("No space left on device" in warning.value for warning in app.warning)
        assert any(button.key.startswith("keep.go") for button in app.button)
    assert not any("No space left" in warning.value for warning in app.run().warning)
    assert waiting_upload.waiting(session).chosen == 1, "what was set is not lost"
    settled(app, services)


def test_a_test_that_nobody_waits_for_is_not_shown_at_work(services, holding):
    with holding():
        session = Session("s")
        upload = waiting_upload.take_in("s", [("pets.csv", GOOD)])
        job = waiting_upload.direction("s", upload)
        assert session.jobs() == [job]
        waiting_upload.discard("s", upload)
        assert job.state == "stopped"
        assert session.jobs() == []


def test_what_is_decided_in_one_tab_is_not_kept_by_another(services):
    first = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    waiting_upload.discard("s", first)
    with pytest.raises(DataError, match="the upload is no longer there"):
        waiting_upload.add("s", first, "pictures", [("a.png", png())])
    waiting_upload.use("s", first, first.reading)
    assert waiting_upload.waiting("s") is None
    assert stored(services) == set()
    second = waiting_upload.take_in("s", [("more_pets.csv", GOOD)])
    waiting_upload.use("s", first, first.reading)
    assert waiting_upload.waiting("s") == second
    waiting_upload.discard("s", first)
    assert waiting_upload.waiting("s") == second
    waiting_upload.discard("s", second)
    assert waiting_upload.waiting("s") is None


def test_what_two_tabs_change_at_once_is_all_kept(services):
    upload = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    waiting_upload.add("s", upload, "objects", [OBJECTS])
    waiting_upload.use("s", upload, Reading.from_roles(anchor="far", near="near", far="anchor"))
    upload = waiting_upload.waiting("s")
    assert waiting_upload.opened(upload).objects.name == OBJECTS[0]
    assert upload.reading.roles["anchor"] == "far"


def test_an_upload_that_comes_while_another_is_kept_goes_on_waiting(services, monkeypatch):
    first, second = waiting_upload.take_in("s", [("pets.csv", GOOD)]), []
    add_dataset = services.workspace.add_dataset

    def slowly(*arguments, **further):
        second.append(waiting_upload.take_in("s", [("more.csv", GOOD)]))
        return add_dataset(*arguments, **further)

    monkeypatch.setattr(services.workspace, "add_dataset", slowly)
    assert ingest.accept("s", first, "Pets").origin == "pets.csv"
    assert [waiting_upload.waiting("s")] == second
    assert waiting_upload.look(second[0])


def test_a_second_file_that_is_damaged_takes_nothing_from_the_first(services):
    first = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    compared = waiting_upload.direction("s", first)
    second = ingest.begin("s", "key", [("bad.xlsx", b"PK\x03\x04garbage")], insist=False)
    assert second.job.wait(300)
    assert "bad.xlsx: the zip file is damaged" in second.job.message
    assert compared.wait(300)
    assert compared.state == "done"
    assert waiting_upload.waiting("s") == first


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed so there")
def test_a_reader_that_is_killed_is_not_what_the_file_is_blamed_for(services):
    upload = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    for ask in (waiting_upload.look, waiting_upload.answers):
        kill(workers()._taken[upload.id].pid)  # as where memory is short
        assert ask(upload).report


def test_buttons_of_an_upload_that_another_tab_has_replaced_do_nothing(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", GOOD, "text/csv").run()
    session = app.session_state[_KEY].id
    other = waiting_upload.take_in(session, [("other.csv", GOOD)])
    next(button for button in app.button if button.key.startswith("keep.not")).click().run()
    assert not app.exception
    assert waiting_upload.waiting(session) == other


def test_uploads_of_sessions_that_are_gone_are_removed(services):
    folder = services.workspace.folder / "uploads"
    waiting_upload.take_in("s", [("pets.csv", GOOD)])
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    other = waiting_upload.take_in("other", [("pets.csv", GOOD)])
    assert waiting_upload.waiting("s") is None
    assert len(list(folder.iterdir())) == 2, "what the other session has"
    services.uploads.pack(new_archive(), [("pets.csv", GOOD)])  # and then the server is killed
    (folder / "0123.json").write_bytes(b"damaged")
    services.close()
    services_module._services.cache_clear()
    assert waiting_upload.waiting("other") == other
    assert {path.name for path in folder.glob("*.tar")} == {*other.archives.values()}


def test_reading_that_takes_long_is_watched_and_cancelled(services, monkeypatch):
    asked = []

    def slowly(session_id, files, *, progress, **given):
        asked.append(files)
        while not progress(0.5):
            time.sleep(0.01)
        raise Stopped

    monkeypatch.setattr(ingest, "SOON", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(waiting_upload, "take_in", slowly)
        app = start()
        app.file_uploader(key="upload").upload("pets.csv", GOOD, "text/csv").run()
        job = ingest.opening(app.session_state[_KEY].id).job
        assert job.title == "Reading pets.csv"
        assert job.active
        app.run()
        next(b for b in app.button if b.label == "Cancel").click().run()
        assert job.wait(300)
        app.run()
        assert [info.value for info in app.info] == [
            "Reading was stopped. Nothing is kept."
        ]
        assert len(asked) == 1, "looking at the page again reads nothing again"
    monkeypatch.setattr(ingest, "SOON", 60.0)
    next(b for b in app.button if b.label == "Read it again").click().run()
    assert not app.exception
    assert waiting_upload.waiting(app.session_state[_KEY].id).name == "pets.csv"


# Readings that are kept


def test_an_accepted_reading_is_offered_for_the_next_file(services):
    data = b"image1,image2,image3,choice\n1,2,3,3\n4,5,6,1\n7,8,9,2\n"
    upload = waiting_upload.take_in("s", [("odd.csv", data)])
    central = next(reading for reading in upload.readings if reading.task == "most_central")
    upload = waiting_upload.use("s", upload, central)
    info = ingest.accept("s", upload, "Cars")
    assert info.extra["columns"] == ["image1", "image2", "image3", "choice"]

    following = waiting_upload.take_in("s", [("next.csv", data)])
    assert following.reading.title == "As in Cars"
    assert (following.reading.task, following.reading.roles) == (
        "most_central", upload.reading.roles
    )
    rows = interpret(load(data), following.reading).triplets.rows
    assert (rows == services.workspace.triplets(info).rows).all()
    wider = b"\n".join(line + b",0" for line in data.splitlines())
    other = waiting_upload.take_in("t", [("more.csv", wider)])
    assert other.reading.task == "odd_one_out"
    assert other.readings[-1].title == "As in Cars"
    readings = waiting_upload.take_in("t", [("a.csv", GOOD)]).readings
    assert "As in Cars" not in [reading.title for reading in readings]

    # The same reading of two data sets is offered once.
    ingest.accept("s", following, "Cars again")
    titles = [r.title for r in waiting_upload.take_in("t", [("next.csv", data)]).readings]
    assert titles[0] == "As in Cars again"
    assert "As in Cars" not in titles


@pytest.mark.parametrize("name", ["pets.csv", "kk1.csv"])
def test_the_line_for_python_reads_the_same_answers(services, name):
    """That of comparisons of pairs named a reader that refuses them."""
    data = (FORMATS.parent / "mlds" / name).read_bytes() if name == "kk1.csv" else GOOD
    info = ingest.accept("s", waiting_upload.take_in("s", [(name, data)]), "Named")
    said = info.report[-1].removeprefix("In Python: ").removesuffix(".")
    again = eval(said.replace("…", "data"), {"tripletscope": ts, "data": data})
    kept = services.workspace.answers(info)
    assert (np.array(again.ids)[again.rows] == np.array(kept.ids)[kept.rows]).all()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_a_table_of_objects_may_come_with_the_answers(services, order, packed):
    """It was left out, as its columns are others"""
    files = [("pets.csv", PETS), ("info.csv", b"id,kind\ncat,animal\ndog,animal\ncar,thing\n")]
    if packed:
        files = [("all.zip", bundle(dict(files[::order])))]
    upload = waiting_upload.take_in("s", files[::order])
    assert waiting_upload.opened(upload).objects.name == "all.zip/" * packed + "info.csv"
    assert waiting_upload.opened(upload).sheet.refused == {}
    info = ingest.accept("s", upload, "Pets")
    objects = services.workspace.triplets(info).objects
    assert dict(zip(objects["id"], objects["kind"], strict=True)) == {
        "cat": "animal", "dog": "animal", "car": "thing"}


@pytest.mark.parametrize("objects", [True, False])
@pytest.mark.parametrize("numbered", [True, False])
def test_a_table_of_participants_is_none_of_objects(services, objects, numbered):
    names = [str(k) for k in range(1, 13)] if numbered else [*"abcdefghijkl"]
    rng = np.random.default_rng(1)
    lines = ["participant,anchor,near,far"] + [
        ",".join([str(1 + k % 20), *rng.permutation(names)[:3]]) for k in range(400)]
    table = "id,kind\n" + "\n".join(f"{name},thing" for name in names)
    people = "id,age\n" + "\n".join(f"{k},{20 + k}" for k in range(1, 21))
    files = [("people.csv", people), ("answers.csv", "\n".join(lines)), ("things.csv", table)]
    upload = waiting_upload.take_in("s", [
        (name, text.encode()) for name, text in files[: 2 + objects]])
    opened = waiting_upload.opened(upload)
    assert (opened.objects and opened.objects.name) == ("things.csv" if objects else None)
    assert "people.csv" in opened.sheet.refused
    info = ingest.accept("s", upload, "Numbered")
    assert (info.n_objects, info.n_answers) == (12, 400)


def test_a_table_of_others_beside_answers_is_left_out(services):
    other = ("info.csv", b"id,kind\nann,old\nbob,young\ncarl,old\n")
    upload = waiting_upload.take_in("s", [("pets.csv", PETS), other])
    assert waiting_upload.opened(upload).objects is None
    assert [*waiting_upload.opened(upload).sheet.refused] == ["info.csv"]


def test_a_reading_goes_into_a_file_and_comes_back(services):
    upload = waiting_upload.take_in("s", [("pets.csv", GOOD)])
    turned = Reading.from_roles(anchor="far", near="near", far="anchor")
    upload = waiting_upload.load_reading(
        "s", upload, "mine.json", json.dumps(turned.to_dict()).encode()
    )
    assert upload.reading == turned
    assert upload.readings[upload.chosen] == turned
    for wrong in (b"", b"[]", b"{}", b"\xff", b'{"layout": "a"}', b"[" * 100_000,
                  b'{"layout": "a", "title": "b", "roles": {"anchor": 1}}',
                  b'{"layout": "a", "title": "b", "roles": ["anchor"]}',
                  b'{"layout": "a", "title": "b", "only": {"a": "b"}}',
                  b'{"layout": "a", "title": "b", "reasons": "b"}',
                  b'{"layout": "a", "title": "b", "index_base": {}}',
                  b'{"layout": "a", "title": "b", "task": "guess"}',
                  b'{"layout": "a", "title": "b", "colour": "red"}'):
        with pytest.raises(DataError, match=r"mine\.json: this is not a description"):
            waiting_upload.load_reading("s", upload, "mine.json", wrong)
    absent = Reading.from_roles(anchor="head", near="near", far="far")
    with pytest.raises(DataError, match="no column 'head'"):
        waiting_upload.load_reading("s", upload, "mine.json", json.dumps(absent.to_dict()).encode())
    assert waiting_upload.waiting("s").reading == turned


# Further columns


def test_the_form_keeps_the_columns_that_one_names(services):
    """A condition without asking, others when asked, and none that plays a role."""
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", (
        b"anchor,near,far,condition,mood\ncat,dog,car,lab,good\ncar,cat,dog,crowd,bad\n"
    ), "text/csv")
    app.run()
    kept = next(box for box in app.multiselect if box.label == "Response metadata")
    assert kept.options == ["condition", "mood"]
    assert kept.value == ["condition", "mood"]
    kept.set_value(["condition", "mood"]).run()
    unfold(app, "Other columns")
    next(box for box in app.selectbox if box.label == "Block").select("condition").run()
    kept = next(box for box in app.multiselect if box.label == "Response metadata")
    assert kept.options == ["mood"]
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    settled(app, services)
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info).answers
    assert answers["block"].tolist() == ["lab", "crowd"]
    assert answers["mood"].tolist() == ["good", "bad"]


# Downloads


def test_answers_can_be_downloaded_in_every_layout_that_holds_them(services):
    odd = read(b"image1,image2,image3,choice\n1,2,3,3\n4,5,6,1\n7,8,9,2\n")
    for triplets, can_not in (
        (odd, {"CSV, most central", "CSV, triads of levels (MLDS)"}),
        (Triplets.from_array(odd.rows, weight=np.arange(6)),
         {"CSV, odd one out", "CSV, most central", "CSV, triads of levels (MLDS)", "Salmon"}),
    ):
        info = services.workspace.add_dataset(triplets, origin="x", report=[])
        session = Session("s")
        session.open(info.id)
        session.save()
        app = start("data", "s", "answers")
        assert not app.exception
        buttons = {b.proto.label: b.proto for b in app.get("download_button")}
        assert {writer.title for writer in WRITERS.values()} <= set(buttons)
        assert {label for label, proto in buttons.items() if proto.disabled} == can_not
        assert "cblearn" in buttons["NumPy array"].help


# Pictures in the form


def test_the_form_lists_what_has_no_picture_and_what_is_refused(services):
    app = start()
    app.file_uploader(key="upload").set_value([
        ("pets.csv", b"head,left,right,winner\n<img src='a/cat.png'>,<p>dog</p>,car,car\n",
         "text/csv"),
        ("cat.png", png(), "image/png"), ("dog.png", png(), "image/png"),
        ("elk.png", png(), "image/png"), ("sad.gif", b"GIF89a", "image/gif"),
    ])
    app.run()
    assert not app.exception
    lists = {frame.value.columns[0]: frame.value.iloc[:, 0].tolist() for frame in app.dataframe}
    assert lists["Objects without a picture (1)"] == ["car"]
    assert lists["Pictures that belong to no object (1)"] == ["elk.png"]
    assert "sad.gif was omitted" in words(app).replace("\\", "")


def test_a_corrected_table_of_objects_is_read_again(services):
    app = start()
    app.file_uploader(key="upload").upload("a.csv", GOOD, "text/csv").run()
    for kinds in ("xyy", "yxx"):
        content = "id,kind\n" + "".join(f"{i},{k}\n" for i, k in zip("abc", kinds, strict=True))
        app.file_uploader(key="import.objects").upload("objects.csv", content.encode(), "text/csv")
        app.run()
        assert not app.exception
        upload = waiting_upload.waiting(app.session_state[_KEY].id)
        assert waiting_upload.answers(upload).triplets.objects["kind"].tolist() == list(kinds)


def test_sides_and_trials_of_written_answers_come_back_on_the_page(services):
    data = people_data(each=30)
    app = start()
    app.file_uploader(key="upload").upload("back.csv", write_answers(data), "text/csv").run()
    assert not app.exception
    session = app.session_state[_KEY]
    version = waiting_upload.waiting(session.id).version
    unfold(app, "Other columns")
    assert app.selectbox(key=f"role.side.{version}").value == "side"
    assert app.selectbox(key=f"role.trial.{version}").value == "—"
    app.radio(key=f"coded.{version}").set_value(True).run()
    assert not [w for w in app.selectbox if w.key.startswith(("role.side", "role.trial"))]
    app.radio(key=f"coded.{version}").set_value(False).run()
    # What the file says is offered again under the layout that was proposed.
    upload = waiting_upload.waiting(session.id)
    waiting_upload.use(session.id, upload, upload.readings[0])
    app.run()
    app.button(key=f"keep.go.{waiting_upload.waiting(session.id).id}").click().run()
    (info,) = services.workspace.datasets()
    kept = services.workspace.triplets(info)
    assert kept.answers["side"].tolist() == data.answers["side"].tolist()
    pd.testing.assert_frame_equal(participants(kept), participants(data))
    settled(app, services)


def test_nothing_that_values_have_decided_is_remembered(services):
    """Codes and units of the next file are its own, though its columns are called the same."""
    rng = np.random.default_rng(0)
    where = rng.normal(size=(7, 2))
    across = np.linalg.norm(where[:, None] - where[None], axis=2)
    shown = [rng.permutation(7)[:3] for _ in range(300)]
    second = [across[a, b] > across[a, c] for a, b, c in shown]

    def written(codes, unit):
        rows = "".join(
            f"p{k % 4},{'abcdefg'[a]},{'abcdefg'[b]},{'abcdefg'[c]},{codes[int(other)]},"
            f"{1.25 * unit + k % 7 * unit / 10:g}\n"
            for k, ((a, b, c), other) in enumerate(zip(shown, second, strict=True))
        )
        return f"participant,anchor,left,right,choice,rt\n{rows}".encode()

    kept = []
    for number, (codes, unit) in enumerate([("01", 1000), ("12", 1), ("10", 1000), ("fj", 1)]):
        upload = waiting_upload.take_in("s", [(f"{number}.csv", written(codes, unit))])
        assert not upload.asked
        kept.append(services.workspace.triplets(ingest.accept("s", upload, f"file {number}")))
    assert [len(one) for one in kept] == [300] * 4
    for number in (1, 3):
        assert (kept[number].rows == kept[0].rows).all()
    for one in kept:
        assert 1.2 < one.answers["response_time"].median() < 2
    swapped = kept[2].rows  # 1 is the first option there, and says so by the answers
    assert (swapped == kept[0].rows).all()


# Names


@pytest.mark.parametrize(("name", "kept"), [
    ("pets", ["pets", "pets (2)", "pets (3)"]), ("pets (2)", ["pets (2)", "pets (3)", "pets (4)"]),
    ("p" * 150, ["p" * 120, "p" * 116 + " (2)", "p" * 116 + " (3)"]),
])
def test_names_of_uploads_are_counted_on_and_fit_into_their_field(services, name, kept):
    """A field shortens what it holds: a longer name would change by being looked at."""
    rows = ["a,b,5\na,c,2\nb,c,1\n", "a,b,4\na,c,2\nb,c,1\n", "a,b,5\na,c,2\nb,c,3\n"]
    for _ in range(2):  # the same files again are the same data sets
        found = [ingest.accept_measured(f"{name}.csv", file_of_measured(
            [("r.csv", f"item1,item2,similarity\n{one}".encode())], None, {})) for one in rows]
        assert [info.name for info in found] == kept
    assert len(services.workspace.datasets()) == 3


def test_a_long_name_stays_as_it_is_until_another_one_is_written():
    def script() -> None:
        import streamlit as st

        from tripletscope.dashboard.ui.controls import renamed

        st.session_state["said"] = renamed("field", "n" * 150 + "end")

    app = AppTest.from_function(script).run()
    assert app.session_state["said"] == "n" * 150 + "end"
    for written, said in (("eggs ", "eggs"), ("", "n" * 150 + "end")):
        app.text_input[0].set_value(written).run()
        assert app.session_state["said"] == said
