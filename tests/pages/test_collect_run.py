"""Collect while people answer: the server, what comes in, and when it is enough."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from urllib.parse import urlsplit

import numpy as np
import pytest

import tripletscope as ts
from tests.dashboard.collect.serving import Page
from tests.pages.harness import on_tab, start, unfold, words
from tests.pages.test_collect import NAMES, fruit, press, said
from tests.ports import taken_port
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.live import CollectedError
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.simulated import simulated_participants
from tripletscope.core.studies.quality import quality
from tripletscope.dashboard.archive import codebook
from tripletscope.dashboard.collect import answer_log, running
from tripletscope.dashboard.collect.answer_log import CollectedPerson, CollectingState
from tripletscope.dashboard.collect.following import state_told
from tripletscope.dashboard.results.collecting import Collected, enough_said
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.results.presentation import ShownResults, Statement
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.description import FORMER_PLANS
from tripletscope.dashboard.store.experiments import keep_experiment, load_experiment
from tripletscope.dashboard.store.looks import (
    KeptLook,
    KeptMap,
    keep_look,
    keep_map,
    kept_looks,
    kept_map,
)
from tripletscope.dashboard.ui.experiment_form import address_to_send
from tripletscope.pages.collect.context import PAGE
from tripletscope.pages.collect.running import is_here_only
from tripletscope.pages.collect.start_server import open_answers


@pytest.fixture
def kept(services) -> str:
    return keep_experiment(services.workspace, fruit(), {})


def test_nothing_runs_at_first_and_the_page_says_how_to_begin(services, kept):
    app = on_tab(start(PAGE), PAGE, "running")
    assert "Nobody has taken part yet" in words(app)
    assert {metric.label: metric.value for metric in app.metric}["Held-out error"] == "—"


def test_an_experiment_is_paused_closed_and_opened_again(services, kept):
    app = on_tab(start(PAGE), PAGE, "running")
    press(app, f"{PAGE}.to_paused.{kept}")
    assert "no questions are asked" in said(app)
    press(app, f"{PAGE}.to_closed.{kept}")
    assert "nobody can begin or go on" in said(app)
    press(app, f"{PAGE}.to_open.{kept}")
    folder = services.workspace.folder / "experiments" / kept
    assert answer_log.state(folder).state == "open"
    assert app.button(key=f"{PAGE}.to_paused.{kept}")


def test_where_jspsych_is_missing_the_page_says_so(services, kept, monkeypatch):
    monkeypatch.setattr("tripletscope.dashboard.collect.jspsych.missing", lambda: "Not there.")
    app = on_tab(start(PAGE), PAGE, "running")
    assert "Not there" in said(app)
    assert app.button(key=f"{PAGE}.start.{kept}").disabled
    assert "Not there" in said(on_tab(app, PAGE, "trying"))


def test_a_server_that_died_is_no_riddle(services, kept):
    folder = services.workspace.folder / "experiments" / kept
    (folder / "server.json").write_text(json.dumps(
        {"address": "http://127.0.0.1:9/", "process": 1, "instance": "gone",
         "folder": str(folder.resolve())}
    ))
    (folder / "server.txt").write_text("Killed by the system.")
    app = on_tab(start(PAGE), PAGE, "running")
    assert "ended by itself" in said(app)
    assert "Killed by the system" in said(app).replace("\\", "")


@pytest.fixture
def answered(services, kept, monkeypatch):
    """Simulated people and their answers, as if they were real ones in the log."""
    positions = np.random.default_rng(0).normal(size=(5, 2))
    experiment = load_experiment(services.workspace, kept)
    records = simulated_participants(experiment, positions, 12, careless=0.2, seed=1)
    held = {"records": records}
    monkeypatch.setattr(answer_log, "records", lambda folder, **_: held["records"])
    monkeypatch.setattr(answer_log, "n_answers", lambda folder: len(held["records"]))
    monkeypatch.setattr(answer_log, "people", lambda folder: people_of(held["records"]))
    monkeypatch.setattr(answer_log, "state", lambda folder: CollectingState(
        n_people=12, n_finished=9, n_excluded=2, n_answers=len(held["records"])
    ))
    return held


def people_of(records) -> list[CollectedPerson]:
    """Everybody who answered, as the log tells of them."""
    often = Counter(one.participant for one in records)
    return [
        CollectedPerson(
            number, name, name, "finished", False, {}, {}, "code", "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:05:00+00:00", "2026-01-01T00:05:00+00:00", 300.0, n, n,
        )
        for number, (name, n) in enumerate(often.items())
    ]


def test_answers_open_as_a_data_set_and_are_brought_up_to_date(services, kept, answered):
    workspace = services.workspace
    folder, experiment = workspace.folder / "experiments" / kept, fruit()
    everything = answered["records"]
    answered["records"] = everything[:100]
    first = open_answers(workspace, kept, folder, experiment)
    about = sum(one.is_about_objects for one in everything[:100])
    assert (first.n_answers, first.name) == (about, "Fruit")
    assert first.catch_trials is not None
    workspace.rename_dataset(first.id, "My fruit")
    again = open_answers(workspace, kept, folder, experiment)
    assert (again.id, again.name) == (first.id, "My fruit")
    answered["records"] = everything
    now = open_answers(workspace, kept, folder, experiment)
    assert (now.id, now.name) == (first.id, "My fruit")
    assert now.n_answers == sum(one.is_about_objects for one in everything)
    assert len(workspace.datasets()) == 1
    assert len(workspace.triplets(now)) == now.n_answers
    people = quality(workspace.triplets(now)).participants
    assert "asked" not in people
    experiment = experiment.changed(skip=True)
    answered["records"] = [
        replace(one, chosen=(), unanswered="skipped") if k % 10 == 0 else one
        for k, one in enumerate(everything)
    ]
    left = open_answers(workspace, kept, folder, experiment)
    asked = [one for one in answered["records"] if one.kind in ABOUT_OBJECTS]
    n_open = sum(bool(one.unanswered) for one in asked)
    assert left.n_answers == len(asked) - n_open
    line = f"{n_open} questions were skipped ({100 * n_open / len(asked):.0f} %)."
    (told,) = [one for one in left.report if one.startswith(line)]
    assert "They count as missing. They show most often " in told
    assert "not answered in time" not in " ".join(left.report)
    report = quality(workspace.triplets(left))
    assert report.unanswered["skipped"].n == len(asked)
    assert round(report.unanswered["skipped"].value * len(asked)) == n_open
    told = presented(ShownResults((), workspace.triplets(left), "Fruit"), report)
    said = " ".join(one.text for one in told if isinstance(one, Statement))
    assert f"{n_open} of {len(asked)} questions were skipped" in said
    assert "not answered in time" not in said
    answers = workspace.triplets(left).answers
    assert not {"n_asked", "n_skipped", "n_late"} & {*dividing_columns(answers)}
    people, about = codebook.participants(answers, np.ones(len(answers), dtype=bool))
    assert people["n_asked"].astype(int).sum() == len(asked)
    assert about["n_skipped"]["Description"].startswith("Of these, those that were skipped.")


def test_a_plan_that_was_left_is_not_taken_up_by_the_next_answers(services, kept, answered):
    workspace = services.workspace
    folder, experiment = workspace.folder / "experiments" / kept, fruit()
    everything = answered["records"]
    plan = ts.experiment.AnalysisPlan(
        title="Fruit", n_objects=5, n_participants=12, n_answers=100).freeze()
    plans.give_plan(workspace, folder, plan)
    states = []
    for number, deed in ((50, None), (60, "leave"), (70, None), (80, "take up"), (90, None)):
        answered["records"] = everything[:number]
        info = open_answers(workspace, kept, folder, experiment)
        states.append(plans.followed(info))
        if deed:
            plans.follow(workspace, info, plan if deed == "take up" else None)
    assert states == [plan, plan, None, None, plan]
    assert len(info.extra[FORMER_PLANS]) == 1


@pytest.mark.parametrize("task", ["rating", "piles", "arrangement"])
def test_what_was_measured_opens_as_such_and_is_brought_up_to_date(services, answered, task):
    workspace, table = services.workspace, task != "rating"
    hand = SurveyItem("hand", "choice", "Which?", ("left", "right"))
    experiment = fruit(task=task, n_questions=1 if table else 10, fails=0, before=(hand,))
    slug = keep_experiment(workspace, experiment, {})
    folder = workspace.folder / "experiments" / slug
    places = np.random.default_rng(0).normal(size=(5, 2))
    everything = simulated_participants(experiment, places, 8, careless=0.0)
    answered["records"] = [one for one in everything if one.participant != "simulated 8"]
    first = open_answers(workspace, slug, folder, experiment)
    assert workspace.measured(first).kind == ASKINGS[task].measured
    assert workspace.answers(first).labels[0] in NAMES
    assert {*workspace.answers(first).answers["hand"]} == {"left", "right"}
    assert open_answers(workspace, slug, folder, experiment).id == first.id
    answered["records"] = everything
    now = open_answers(workspace, slug, folder, experiment)
    assert now.id == first.id
    assert len(workspace.measured(now).raters) == 8


def test_what_was_measured_opens_on_its_page(services, answered, holding):
    experiment = fruit(task="rating", fails=0, after=(SurveyItem("why", "text", "Why?"),))
    slug = keep_experiment(services.workspace, experiment, {})
    places = np.random.default_rng(0).normal(size=(5, 2))
    answered["records"] = simulated_participants(experiment, places, 8)
    with holding():
        app = on_tab(start(PAGE), PAGE, "running")
        if app.selectbox[0].value != slug:
            app.selectbox[0].select(slug).run()
        assert "Participants (CSV)" in {one.proto.label for one in app.get("download_button")}
        press(app, f"{PAGE}.answers.{slug}")
    assert app.title[0].value == "Embedding"
    assert app.segmented_control(key="embedding.view").value == "dissimilarities"


def test_a_download_has_answers_that_came_in_after_the_page(
    services, kept, answered, holding, monkeypatch
):
    offered = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, data, *more, **options: (
        offered.update({label: data})))
    everything = answered["records"]
    answered["records"] = everything[:50]
    with holding():
        on_tab(start(PAGE), PAGE, "running")
    answered["records"] = everything
    assert offered["Answers (CSV)"]().count(b"\n") == 1 + len(everything)


def test_the_page_shows_what_came_in_and_opens_it(services, kept, answered, holding):
    with holding():
        _opened(services, kept)


def _opened(services, kept):
    app = on_tab(start(PAGE), PAGE, "running")
    titles = {metric.label: metric.value for metric in app.metric}
    assert titles["Participants"] == "12"
    assert "Per minute" not in titles, "what follows the server says it, and of another moment"
    assert "9 finished, 2 stopped" in words(app)
    press(app, f"{PAGE}.answers.{kept}")
    assert app.title[0].value == "Fruit"
    assert services.workspace.datasets()[0].name == "Fruit"


def test_what_is_kept_of_a_participant_is_offered(services, kept, answered, holding):
    with holding():
        app = on_tab(start(PAGE), PAGE, "running")
    assert not app.exception
    table = app.dataframe[0].value
    assert len(table) == 12
    assert table["participant"].iloc[-1] == "simulated 1"  # the last one first
    unfold(app, "Participants’ data")
    assert app.selectbox(key=f"{PAGE}.person.{kept}").options[0] == "simulated 1"
    assert not app.button(key=f"{PAGE}.person.delete.{kept}").disabled


def test_the_error_is_not_looked_at_again_and_again_when_somebody_is_deleted(
    services, kept, answered, holding, monkeypatch
):
    begun = []
    monkeypatch.setattr(
        "tripletscope.dashboard.ui.context.Context.begin", lambda *_: begun.append(1)
    )
    folder = services.workspace.folder / "experiments" / kept
    about = sum(one.is_about_objects for one in answered["records"])
    keep_look(folder, look(0.2, 0.1, 0.3, about).found)
    answered["records"] = [
        one for one in answered["records"] if one.participant != "simulated 1"
    ]
    on_tab(start(PAGE), PAGE, "running")
    assert not begun  # one of twelve makes no difference to speak of
    answered["records"] = [
        one for one in answered["records"] if one.participant in ("simulated 2", "simulated 3",
                                                                  "simulated 4", "simulated 5")
    ]
    app = on_tab(start(PAGE), PAGE, "running")
    app.run()
    assert len(begun) == 1


def test_people_who_have_answered_keep_what_is_asked(services, kept, answered):
    app = start(PAGE)
    app.number_input(key=f"{PAGE}.{kept}..most_people").set_value(50).run()
    assert not app.button(key=f"{PAGE}.save").disabled
    app.number_input(key=f"{PAGE}.{kept}..n_questions").set_value(33).run()
    assert app.button(key=f"{PAGE}.save").disabled
    assert "Copy the experiment to change them" in said(app)


def test_a_server_is_started_followed_and_stopped_from_the_page(services):
    slug = keep_experiment(services.workspace, fruit(n_questions=6, fails=0, catch=0.2), {})
    folder = services.workspace.folder / "experiments" / slug
    app = on_tab(start(PAGE), PAGE, "running")
    try:
        press(app, f"{PAGE}.start.{slug}")
        assert not app.error
        server = running.running(folder)
        assert f"{server.address}?PROLIFIC_PID=" in app.code[0].value
        assert state_told(folder)["active"]
        copied = services.workspace.folder / "experiments" / "copied"
        shutil.copytree(folder, copied)
        assert running.running(copied) is None  # nor would Stop end the server of the other
        page = Page(urlsplit(server.address).port, "ann")
        page.begin()
        answers = page.answer_all()
        app.run()
        titles = {metric.label: metric.value for metric in app.metric}
        assert (titles["Participants"], titles["Answers"]) == ("1", str(answers))
        assert app.dataframe[0].value["participant"].tolist() == ["ann"]
        press(app, f"{PAGE}.to_paused.{slug}")
        assert answer_log.state(folder).state == "paused"
        press(unfold(app, "Participants’ data"), f"{PAGE}.person.delete.{slug}")
        press(app, "delete for good")
        assert answer_log.people(folder) == []
        press(app, f"{PAGE}.stop.{slug}")
        assert running.running(folder) is None
        assert not app.error  # it did not end by itself
    finally:
        running.stop(folder)


def test_a_port_in_use_is_said(services, kept):
    with taken_port() as port:
        app = on_tab(start(PAGE), PAGE, "running")
        app.number_input(key=f"{PAGE}.port.{kept}").set_value(port).run()
        press(app, f"{PAGE}.start.{kept}")
        assert "choose another port" in said(app)


def look(error: float, low: float, high: float, n: int = 500) -> KeptLook:
    return KeptLook("2026-01-01T00:00:00+00:00", CollectedError(
        n, n, error, low, high, "answers"
    ))


def collected(experiment, n_finished: int, looks: list[KeptLook]) -> Collected:
    return Collected(experiment, n_finished, {one.at: one.found for one in looks})


@pytest.mark.parametrize(("looks", "rule"), [
    ([], "Not known yet"), ([look(0.3, 0.2, 0.4)], "Enough? Not yet"),
    ([look(0.18, 0.15, 0.21)], "Nearly"), ([look(0.1, 0.08, 0.12)], "Enough, by an error of 0.2"),
])
def test_the_rule_that_was_chosen_beforehand_decides(looks, rule):
    said = [*enough_said(collected(fruit(enough_error=0.2), 3, looks))]
    assert said[0].startswith(rule) or rule in said[0]
    assert not looks or "Looks at this error: 1." in said[1]


def test_without_a_rule_the_number_of_participants_decides():
    few, enough = (
        [*enough_said(collected(fruit(most_people=10), n, [look(0.1, 0.0, 0.2)]))]
        for n in (9, 10)
    )
    assert few[0].startswith("Enough? Not yet, by the number")
    assert enough[0].startswith("Enough, by the number")
    assert "Looking does not affect" in few[1]


def test_looks_are_kept_and_a_damaged_file_is_none(tmp_path):
    keep_look(tmp_path, look(0.2, 0.1, 0.3).found)
    keep_look(tmp_path, look(0.1, 0.05, 0.2).found)
    assert [one.found.error for one in kept_looks(tmp_path)] == [0.2, 0.1]
    (tmp_path / "looks.json").write_text("[{}]")
    assert kept_looks(tmp_path) == []


def test_the_map_is_kept_and_a_damaged_file_is_none(tmp_path):
    assert kept_map(tmp_path) is None
    keep_map(tmp_path, KeptMap(np.array([[0.5, 1.0], [np.nan, np.nan]]), 70))
    found = kept_map(tmp_path)
    np.testing.assert_array_equal(found.positions, [[0.5, 1.0], [np.nan, np.nan]])
    assert found.n_answers == 70
    (tmp_path / "map.json").write_text('{"positions": [[1]]}')
    assert kept_map(tmp_path) is None


def test_the_address_has_what_services_fill_in():
    assert address_to_send("https://lab.example/exp", fruit()) == (
        "https://lab.example/exp/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
        "&SESSION_ID={{%SESSION_ID%}}"
    )
    own = address_to_send("https://lab.example/", fruit(parameters=("code",)))
    assert own == "https://lab.example/?code=CODE"
    assert address_to_send("https://lab.example/", fruit(parameters=())) == "https://lab.example/"


@pytest.mark.parametrize(("address", "told"), [
    ("http://127.0.0.1:8000/?x=1", True), ("http://localhost:1", True), ("http://[::1]:80/", True),
    ("https://lab.example/a", False), ("http://192.168.1.4:8000", False), ("", False),
    ("localhost:8502", True), ("http://[bad/", False),
])
def test_an_address_of_this_computer_alone_is_not_sent_out_in_silence(address, told):
    assert is_here_only(address) is told
