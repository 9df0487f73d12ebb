"""Sessions, samples, imports and names: the dashboard's logic without its widgets."""

from __future__ import annotations

import gc
import os
import threading
import time

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.store.test_workspace import png
from tests.pages.harness import APP, PAGES, crowd
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import load, propose
from tripletscope.dashboard import state
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.controls import summary
from tripletscope.dashboard.ui.first_look import first_page
from tripletscope.dashboard.ui.panels import ago, plain
from tripletscope.dashboard.upload import ingest, waiting_upload

CSV = b"subject,head,winner,loser\nann,cat,dog,car\nbob,car,bus,dog\nann,dog,cat,bus\n"


@pytest.fixture
def opened(services, planted):
    """A session with the planted data open."""
    current = Session("s")
    info = services.workspace.add_dataset(planted, origin="a.csv", report=[])
    current.open(info.id)
    return current


# Sessions -------------------------------------------------------------------------------------


def test_a_sheet_of_figures_survives_a_refresh_and_goes_with_the_last_tab(services):
    first = Session("s")
    first.sheet.append("a drawing")
    second = Session("s")
    del first
    gc.collect()
    assert second.sheet == ["a drawing"]
    assert Session("t").sheet == []
    del second
    gc.collect()
    assert not services.sheets


def test_selection_replaces_adds_and_toggles(opened):
    opened.select(["1", "2", "1"])
    assert opened.selection == ["1", "2"]
    opened.select(["2", "5"], "add")
    assert opened.selection == ["1", "2", "5"]
    opened.select(["1", "7"], "toggle")
    assert opened.selection == ["2", "5", "7"]
    opened.select_positions([3])
    assert opened.selection == ["3"]
    assert opened.selected_positions(opened.triplets()) == [3]
    opened.select([])
    assert opened.selected_positions(opened.triplets()) == []


def test_a_press_is_kept_until_it_is_asked_for_or_the_page_has_no_such_button(opened):
    opened.press("fit")
    assert not opened.take_press("other")
    assert opened.take_press("fit")
    assert not opened.take_press("fit"), "a press counts once"
    opened.press("fit")
    opened.press("of a later run")
    opened.forget_presses({"fit", "other"})
    assert not opened.take_press("fit")
    assert opened.take_press("of a later run")


def test_a_dialog_is_forgotten_with_its_figure(opened):
    opened.composing = "map"
    for _ in range(2):
        assert opened.is_composing("map")
        assert not opened.is_composing("tree")
        opened.forget_composing()
    assert opened.composing == "map", "the page ran anew"
    assert not opened.is_composing("tree")
    opened.forget_composing()
    assert not opened.is_composing("map"), "another page was shown, or the data set was deleted"


def test_selections_are_undone_one_after_the_other(opened):
    """A click beside all objects had cost a selection of many."""
    assert not opened.can_undo_selection
    opened.select(["1", "2"])
    opened.select(["3"], "add")
    opened.select(["3"], "add")  # which changes nothing
    opened.select([])
    left = []
    while opened.can_undo_selection:
        opened.undo_selection()
        left.append(opened.selection)
    assert left == [["1", "2", "3"], ["1", "2"], []]
    opened.undo_selection()
    assert opened.selection == []


def test_every_data_set_has_its_own_selection(opened, services, planted):
    opened.select(["1"])
    first = opened.dataset.id
    opened.open(services.workspace.add_dataset(planted, origin="b", report=[]).id)
    assert opened.selection == []
    opened.open(first)
    assert opened.selection == ["1"]


def test_a_session_comes_back_as_it_was_saved(opened, services):
    opened.select(["4"])
    opened.drafts["x"] = 3
    opened.save()
    back = Session("s", services.workspace.session("s"))
    assert (back.dataset, back.selection, back.drafts) == (opened.dataset, ["4"], {"x": 3})


def test_a_deleted_data_set_is_not_open(opened, services):
    services.workspace.delete_dataset(opened.dataset.id)
    assert opened.dataset is None


# Samples --------------------------------------------------------------------------------------


def test_samples_are_complete():
    for sample in samples():
        assert sample.thumbnail.stat().st_size < 200_000
        assert 8 <= len(sample.about.split()) <= 18, "a card is read at a glance"
        assert (sample.folder / "README.md").exists()
        assert sample.page in PAGES


def test_samples_open_once_with_everything(services):
    sizes = {}
    for sample in samples():
        info = open_sample(sample)
        assert open_sample(sample) == info
        sizes[sample.name] = (info.n_objects, info.n_answers, len(info.pictures))
        objects = services.workspace.triplets(info).objects
        images = objects["image"] if info.pictures else []
        assert {name for name in images if isinstance(name, str)} >= set(info.pictures)
        assert first_page(info) == sample.page
    assert sizes == {
        "alien_eggs": (300, 17611, 30), "crowd": (40, 4140, 0),
        "difference_scaling": (11, 1485, 11), "ekman_colors": (14, 800, 14),
        "odd_one_out": (60, 4320, 0), "pebbles": (128, 8316, 128),
    }
    assert len(services.workspace.datasets()) == len(sizes)
    crowd = next(i for i in services.workspace.datasets() if i.origin == "sample:crowd")
    assert len(services.workspace.cleaning(crowd).catch_trials) == 270


def test_colour_circle_closes_where_the_spectrum_ends(services):
    """What the card of Ekman's colours promises: violet and red are neighbours."""
    sample = next(s for s in samples() if s.name == "ekman_colors")
    triplets = services.workspace.triplets(open_sample(sample))
    distances = STE().fit(triplets).distances()
    shortest, longest = 0, 13
    opposite = triplets.objects.index[triplets.objects["wavelength_nm"] == 555][0]
    assert distances[shortest, longest] < distances[shortest, opposite]


# Imports --------------------------------------------------------------------------------------


def test_an_upload_waits_and_becomes_a_data_set(services):
    upload = waiting_upload.take_in("s", [("pets.csv", CSV)])
    assert waiting_upload.waiting("s") == upload
    kinds = b"id,kind\ncat,animal\ndog,animal\ncar,thing\nbus,thing\n"
    upload = waiting_upload.add("s", upload, "objects", [("objects.csv", kinds)])
    upload = waiting_upload.add(
        "s", upload, "pictures", [("cat.png", png("red")), ("unused.png", png("blue"))]
    )
    info = ingest.accept("s", upload, "Pets")
    assert waiting_upload.waiting("s") is None
    triplets = services.workspace.triplets(info)
    assert (info.name, info.n_objects, info.n_answers, info.n_participants) == ("Pets", 4, 3, 2)
    kinds = dict(zip(triplets.ids, triplets.objects["kind"], strict=True))
    assert kinds == {"cat": "animal", "dog": "animal", "car": "thing", "bus": "thing"}
    assert any("3 answers" in line for line in info.report)
    assert "cat.png" in info.pictures


def test_what_was_read_is_not_read_again(services, monkeypatch):
    upload = waiting_upload.take_in("s", [("pets.csv", CSV)])
    first = waiting_upload.look(upload)
    assert waiting_upload.look(upload) is first
    added = waiting_upload.add("s", upload, "objects", [("o.csv", b"id\ncat\ndog\ncar\nbus\n")])
    assert waiting_upload.look(added).report != first.report
    assert waiting_upload.look(upload) is first, "an answer is of its question"


def test_rows_and_columns_can_be_cut_anew(services):
    upload = waiting_upload.take_in("s", [("pets.csv", CSV)])
    upload = waiting_upload.cut("s", upload, {"header": False, "delimiter": ","})
    assert waiting_upload.opened(upload).sheet.rows == [1, 2, 3, 4]
    anew = propose(load(CSV, name="pets.csv", header=False), insist=True)
    assert upload.readings == tuple(anew)
    with pytest.raises(DataError):
        waiting_upload.cut("s", upload, {"header": True, "delimiter": ";"})
    assert waiting_upload.waiting("s") == upload, "a failed attempt loses nothing"


# The analysis ---------------------------------------------------------------------------------


def test_an_analysis_keeps_every_result_and_computes_it_once(opened, services, monkeypatch):
    triplets, info = opened.triplets(), opened.dataset
    tasks = {"bootstrap": {"replicates": 3}, "cross_validate": {"folds": 3}}
    job = analysis.start(opened, info, triplets, STE(n_init=1), tasks)
    assert job.wait(300)
    assert job.state == "done", job.message
    assert {run.task for run in services.workspace.runs(info.id)} == {
        "fit", "bootstrap", "cross_validate"
    }
    for task, options in {"fit": {}, **tasks}.items():
        assert analysis.find(info, triplets, STE(n_init=1), task, options).complete
        assert analysis.find(info, triplets, STE(n_init=1), task).task == task
        assert analysis.find(info, triplets, STE(n_init=2), task) is None

    monkeypatch.setattr(analysis, "pool", None)  # computing anything would fail now
    again = analysis.start(opened, info, triplets, STE(n_init=1), tasks)
    assert again.wait(300)
    assert again.state == "done", again.message


def test_a_cancelled_fit_is_kept_and_computed_anew_when_asked(opened, services):
    answers = simulate(np.random.default_rng(0).normal(size=(200, 5)), 40_000, seed=0)
    opened.open(services.workspace.add_dataset(answers, origin="b.csv", report=[]).id)
    triplets, info = opened.triplets(), opened.dataset
    # It takes a minute and more, if nobody cancels.
    method = TSTE(n_components=10, alpha=9.0, n_init=100, tol=1e-15, max_iter=10_000)
    job = analysis.start(opened, info, triplets, method, {"bootstrap": {}})
    while not job.losses and job.active:
        time.sleep(0.01)
    job.cancel()
    assert job.wait(300)
    assert job.state == "stopped"
    kept = analysis.find(info, triplets, method, "fit")
    assert not kept.complete
    assert np.isfinite(kept.fitted().embedding_).all()
    assert [run.task for run in services.workspace.runs(info.id)] == ["fit"]
    method.set_params(n_init=1, max_iter=5)
    again = analysis.start(opened, info, triplets, method, {})
    assert again.wait(300)
    assert analysis.find(info, triplets, method, "fit").complete


def test_descriptions_name_what_is_unusual():
    assert analysis.describe(STE()) == "STE, 2 dimensions"
    assert analysis.describe(TSTE(n_components=1, alpha=3.0, seed=4)) == (
        "t-STE, 1 dimension, seed 4, degrees of freedom 3"
    )


# Words ----------------------------------------------------------------------------------------


def test_plain_text_is_not_interpreted():
    for character in r"\`*_{}[]()#+-.!|~$:<>":
        assert plain(f"a{character}b") == f"a\\{character}b"
    assert plain("äöü 12, x") == "äöü 12, x"
    assert plain("two\nlines") == "two lines", "a list in Markdown would end there"


def test_ago():
    now = pd.Timestamp.now("UTC")
    for delta, words in (
        ("3s", "just now"), ("61s", "1 minute ago"), ("50min", "50 minutes ago"),
        ("25h", "1 day ago"), ("49h", "2 days ago"),
    ):
        assert ago((now - pd.Timedelta(delta)).isoformat()) == words


def test_methods_have_a_summary_for_their_help():
    for method in (STE, TSTE):
        assert len(summary(method)) > 80
        assert "\n" not in summary(method)


def test_a_widget_that_follows_a_value_gets_a_new_key_with_it():
    session = Session("s")
    first = session.key_following("shown", "a")
    assert session.key_following("shown", "a") == first
    second = session.key_following("shown", "b")
    assert second != first
    assert session.key_following("shown", "a") not in (first, second)
    assert session.key_following("other", "a") != first


def test_a_job_that_nobody_waits_for_is_not_shown_at_work(services):
    at, go = threading.Event(), threading.Event()

    def work(progress):
        at.set()
        go.wait()

    job = services.jobs.submit(Job("s", "place", "A job", [Step("works", work)]))
    assert at.wait(300)
    assert Session("s").jobs() == [job]
    job.give_up()
    assert job.active
    assert Session("s").jobs() == []
    go.set()


def test_an_address_without_a_session_goes_on_with_the_last_of_the_browser(services, monkeypatch):
    """An entry of the navigation that was opened in a new tab had no data set."""
    info = services.workspace.add_dataset(crowd(5, 30), origin="a.csv", report=[])
    browser = "one"
    monkeypatch.setattr(state, "_browser", lambda: browser)
    first = Session("first")
    first.open(info.id)
    first.save()
    monkeypatch.setattr(state, "_is_shown_elsewhere", lambda name: name == "first")
    app = AppTest.from_file(APP).run()
    current = app.session_state[_KEY]
    assert current.id != "first", "another tab shows that"
    assert current.dataset.id == info.id
    browser = "another"
    assert AppTest.from_file(APP).run().session_state[_KEY].dataset is None
    browser = ""
    assert AppTest.from_file(APP).run().session_state[_KEY].dataset is None


def test_the_last_session_of_a_browser_is_found_among_damaged_ones(services):
    workspace = services.workspace
    for moment, (name, browser) in enumerate([("a", "x"), ("b", "x"), ("c", "y")]):
        workspace.save_session(name, {"browser": browser})
        path = workspace.folder / "sessions" / f"{name}.json"
        os.utime(path, (moment, moment))
    (workspace.folder / "sessions" / "d.json").write_text("[")
    assert workspace.latest_session("x") == "b"
    assert workspace.latest_session("z") == ""
