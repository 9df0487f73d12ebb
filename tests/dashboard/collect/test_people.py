"""Participants: beginning, going on, tabs, browsers, checks of attention, and the end."""

from __future__ import annotations

import json

import pytest

from tests.dashboard.collect.serving import Page, answer, asked, experiment_in, serving
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.dashboard.collect import answer_log, people
from tripletscope.dashboard.collect.writer import reading, writing


@pytest.fixture
def folder(tmp_path):
    return experiment_in(tmp_path / "experiment")


@pytest.fixture
def port(folder):
    with serving(folder) as found:
        yield found


def test_a_person_is_asked_a_list_to_its_end(port, folder):
    page = Page(port)
    told = page.begin(parameters={"PROLIFIC_PID": "ann", "other": "x"},
                      device={"width": 800, "height": 600, "touch": False, "agent": "test"})
    assert (told["state"], told["done"], told["left"]) == ("new", 0, 10)
    assert page.answer_all() == 10
    status, told = page.post("end")
    assert (status, told["state"]) == (200, "finished")
    assert len(told["code"]) == 8
    expected = [one.shown for one in person_list(Experiment.load(folder), 0).questions]
    records = answer_log.records(folder)
    assert [one.shown for one in records] == expected
    assert {(one.participant, one.rt_ms, one.shown_ms, one.input) for one in records} == {
        ("ann", 640.25, 1000.5, "keyboard")
    }
    (person,) = answer_log.people(folder)
    assert person.parameters == {"PROLIFIC_PID": "ann"}, "only what the experiment names"
    assert person.device == {"width": 800.0, "height": 600.0, "touch": False, "agent": "test"}
    assert person.seconds >= 0
    assert page.begin()["code"] == told["code"], "who comes back sees the code again"


def test_five_questions_are_held_ahead_and_none_is_told_twice(port):
    page = Page(port)
    page.begin()
    keys = [one["key"] for one in page.next()]
    assert len(keys) == 5
    assert [one["key"] for one in page.next()] == keys, "a reload is asked the same again"
    more = [one["key"] for one in page.next(*keys)]
    assert not {*more} & {*keys}, "while answers are under way"
    assert page.post("next", have=[[], 1, None])[0] == 200


def test_what_is_told_does_not_tell_the_right_answer(tmp_path):
    folder = experiment_in(tmp_path / "e", catch=0.3, n_practice=2)
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        told = []
        while questions := page.next():
            told += questions
            for one in questions:
                page.answer(one["key"])
    practice = [one for one in told if one.get("kind") == "practice"]
    assert len(practice) == 2
    assert all("correct" in one for one in practice)
    assert all("correct" not in one and "kind" not in one and "source" not in one
               for one in told if one not in practice)
    kinds = [one.kind for one in answer_log.records(folder)]
    assert kinds.count("catch") == 3


def test_a_reload_goes_on_where_one_was(port):
    page = Page(port)
    page.begin()
    first = page.next()[0]["key"]
    page.answer(first)
    reloaded = Page(port, token=page.token, tab=page.tab)
    told = reloaded.begin()
    assert (told["state"], told["done"], told["left"]) == ("going_on", 1, 9)
    assert first not in [one["key"] for one in reloaded.next()]


def test_a_first_answer_that_was_lost_on_the_way_is_given_again(port):
    page = Page(port)
    lost = page.begin()["token"]
    again = Page(port, tab=page.tab)
    assert again.begin()["state"] == "going_on"
    assert again.token != lost
    assert again.next()


def test_a_second_tab_is_told_and_may_take_over(port):
    first = Page(port)
    first.begin()
    held = first.next()[0]["key"]
    second = Page(port, token=first.token)
    told = second.begin()
    assert (told["state"], told["tab_is_current"]) == ("elsewhere", False)
    assert first.answer(held)["stored"], "the first goes on"
    assert second.post("next")[0] == 409
    assert second.begin(take_over=True)["state"] == "going_on"
    for path, body in (("next", {}), ("answers", {"answers": []}), ("end", {})):
        status, told = first.post(path, **body)
        assert (status, told["state"]) == (409, "elsewhere")
    assert second.next()


def test_a_tab_that_was_left_is_in_nobodys_way(port):
    first = Page(port)
    first.begin()
    event = {"id": "e" * 8, "what": "pagehide", "at_ms": 1, "clock_ms": 2}
    assert first.post("events", events=[event])[1]["stored"] == ["e" * 8]
    second = Page(port, token=first.token)
    assert second.begin()["state"] == "going_on"


def test_another_browser_does_not_go_on_for_somebody(port, folder):
    Page(port).begin()
    guessed = Page(port)
    told = guessed.begin(take_over=True)
    assert told == {"state": "other_browser", "token": None, "tab_is_current": False,
                    "done": 0, "left": 0}
    assert [one["why"] for one in answer_log.refusals(folder)] == [
        "an id that began in another browser"
    ]


def test_a_finished_person_tells_the_code_to_nobody_else(port):
    page = Page(port)
    page.begin()
    page.answer_all()
    page.post("end")
    for tab in (page.tab, None):
        told = Page(port, tab=tab).begin()
        assert told["state"] == "other_browser"
        assert "code" not in told


def test_another_browser_may_go_on_where_the_experiment_allows_it(tmp_path):
    with serving(experiment_in(tmp_path / "e", one_browser=False)) as port:
        first = Page(port)
        first.begin()
        second = Page(port)
        assert second.begin()["state"] == "elsewhere"
        assert second.begin(take_over=True)["state"] == "going_on"
        assert second.next()
        assert first.post("next")[0] == 409


def test_who_fails_checks_is_asked_no_more(tmp_path):
    folder = experiment_in(tmp_path / "e", catch=0.3, fails=2)
    numbered = person_list(Experiment.load(folder), 0).questions
    wrong = {one.key: 1 - one.correct[0] for one in numbered if one.kind == "catch"}
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        state, given = "going_on", 0
        while state == "going_on":
            key = page.next()[0]["key"]
            state = page.answer(key, [wrong.get(key, 0)])["state"]
            given += 1
        assert state == "excluded"
        assert page.post("next")[1] == {"state": "excluded", "questions": [],
                                        "left": len(numbered) - given}
        assert page.begin()["state"] == "excluded"
        assert page.post("end")[1] == {"state": "excluded"}, "and no code"
    assert answer_log.state(folder).n_excluded == 1


def test_it_is_full_when_enough_people_are_there(tmp_path):
    with serving(experiment_in(tmp_path / "e", most_people=2, fails=1)) as port:
        pages = [Page(port, f"person {i}") for i in range(3)]
        assert [page.begin()["state"] for page in pages] == ["new", "new", "full"]
        assert pages[0].begin()["state"] == "going_on"
        assert Page(port, "preview").begin(simulated=True)["state"] == "new"


def test_people_who_went_at_once_take_nobodys_place(tmp_path):
    folder = experiment_in(tmp_path / "e", most_people=2)
    with serving(folder) as port:
        pages = [Page(port, f"person {i}") for i in range(2)]
        for page in pages:
            page.begin()
        pages[0].answer(pages[0].next()[0]["key"])
        with answer_log.writing(folder) as log:
            log.execute("UPDATE people SET seen = '2020-01-01T00:00:00.000+00:00'")
        assert Page(port, "new").begin()["state"] == "new"
        assert Page(port, "newer").begin()["state"] == "full"


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_pause_is_for_all_and_loses_nothing(port, folder, state):
    page = Page(port)
    page.begin()
    held = page.next()[0]["key"]
    answer_log.set_state(folder, state)
    assert Page(port, "new").begin()["state"] == state
    assert page.post("next")[1]["questions"] == []
    told = page.answer(held)
    assert (len(told["stored"]), told["state"]) == (1, state)
    assert page.begin()["state"] == state
    preview = Page(port, "preview")
    assert preview.begin(simulated=True)["state"] == "new"
    assert preview.next()
    answer_log.set_state(folder, "open")
    assert page.begin()["state"] == "going_on"
    assert page.next()


def test_simulated_people_are_kept_apart(port, folder):
    simulated, real = Page(port), Page(port)
    simulated.begin(simulated=True)
    real.begin()
    simulated.answer(simulated.next()[0]["key"])
    assert answer_log.records(folder) == []
    assert len(answer_log.records(folder, simulated=True)) == 1
    assert answer_log.state(folder).n_people == 1
    assert [one.number for one in answer_log.people(folder)] == [0, 1_000_000]
    assert [one["shown"] for one in real.next()] == [
        list(one.shown) for one in person_list(Experiment.load(folder), 0).questions[:5]
    ], "and have no part in the balance over people"


def test_nobody_is_done_before_the_last_answer(port, folder):
    page = Page(port)
    page.begin()
    status, told = page.post("end")
    assert (status, told["why"]) == (400, "10 questions are left")
    assert answer_log.people(folder)[0].state == "going_on"


def test_the_end_leads_back_with_the_code(tmp_path):
    with serving(experiment_in(
        tmp_path / "e", n_questions=1, completion_code="C1 &", most_people=1,
        return_address="https://panel.example/complete?cc={code}",
    )) as port:
        page = Page(port)
        page.begin()
        page.answer_all()
        assert page.post("end")[1] == {
            "state": "finished", "code": "C1 &",
            "address": "https://panel.example/complete?cc=C1%20%26",
        }


def test_adaptive_questions_come_from_the_queue_while_it_is_fresh(tmp_path):
    folder = experiment_in(tmp_path / "e", source="gain", random_share=0.2)
    open_places = [
        place for place, one in enumerate(person_list(Experiment.load(folder), 0).questions)
        if one is None
    ]
    assert len(open_places) == 8
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        queued = [("o1", "o2", "o3"), ("o1", "o3", "o2"), ("o4", "o5", "o6")]
        answer_log.add_to_queue(folder, [(shown, "gain") for shown in queued], 0)
        assert answer_log.state(folder).n_queued == 3
        assert len(page.next()) == 2, "not more ahead than needed"
        page.answer_all()
    sources = [one.source for one in answer_log.records(folder)]
    assert sources.count("gain") == 2, "one was of the same objects"
    assert sources.count("stand-in") == 6
    assert sources.count("random") == 2
    shown = [one.shown for one in answer_log.records(folder) if one.source == "gain"]
    assert shown == [queued[0], queued[2]]
    assert answer_log.state(folder).sources == {"gain": 2, "stand-in": 6, "random": 2}


def test_old_adaptive_questions_are_not_asked(tmp_path):
    folder = experiment_in(tmp_path / "e", source="uncertain", n_questions=300)
    with serving(folder) as port:
        first, second = Page(port, "first"), Page(port, "second")
        first.begin()
        first.answer_all()
        answer_log.add_to_queue(folder, [(("o1", "o2", "o3"), "uncertain")], 0)
        second.begin()
        second.answer_all()
    assert "uncertain" not in {one.source for one in answer_log.records(folder)}
    assert answer_log.state(folder).n_queued == 1


def test_several_answers_at_once_are_kept_in_their_order(port, folder):
    page = Page(port)
    page.begin()
    keys = [one["key"] for one in page.next()]
    status, told = page.post("answers", answers=[answer(key, [1]) for key in keys])
    assert (status, len(told["stored"]), told["left"]) == (200, 5, 5)
    assert [one.key for one in answer_log.records(folder)] == keys


def test_a_simulation_is_not_paid_for(tmp_path):
    with serving(experiment_in(tmp_path / "e", n_questions=1, completion_code="REAL")) as port:
        page = Page(port)
        page.begin(simulated=True)
        page.answer_all()
        assert page.post("end")[1]["code"] == "SIMULATED"


def test_the_same_three_in_other_places_are_no_other_question(tmp_path):
    """Where there is no anchor, whoever stands first."""
    folder = experiment_in(tmp_path, task="odd_one_out", source="uncertain", random_share=0.05,
                           n_questions=2)
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        answer_log.add_to_queue(
            folder, [(("o1", "o2", "o3"), "uncertain"), (("o3", "o1", "o2"), "uncertain")], 0
        )
        shown = [tuple(sorted(one["shown"])) for one in page.next()]
    assert shown.count(("o1", "o2", "o3")) == 1


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_who_has_answered_everything_gets_the_code_all_the_same(port, folder, state):
    page = Page(port)
    page.begin()
    while len(questions := page.next()) > 1:
        page.answer(questions[0]["key"])
    answer_log.set_state(folder, state)
    assert page.next() == []
    assert page.answer(questions[0]["key"])["state"] == "going_on", "there is an end to come"
    assert page.begin()["state"] == "going_on", "also after a reload"
    assert page.post("end")[1]["code"]


def test_nobody_simulates_people_without_the_key(port, folder):
    page = Page(port, "bot")
    for key in ("", "guessed", None, 7):
        status, told = page.post("begin", person="bot", simulated=True, preview=key)
        assert (status, told["state"]) == (400, "")
        assert "needs the address that the page Collect shows" in told["why"]
    assert answer_log.people(folder) == []
    assert page.begin(simulated=True)["state"] == "new"


def test_places_are_given_back_after_silence(tmp_path):
    folder = experiment_in(tmp_path / "e", most_people=2, n_questions=3)
    with serving(folder) as port:
        bots = [Page(port, f"bot {k}") for k in range(2)]
        for bot in bots:
            bot.begin()
            bot.answer(bot.next()[0]["key"])
        assert Page(port, "ann").begin()["state"] == "full"
        with writing(folder) as log:  # as if it were four hours later
            log.execute("UPDATE people SET seen = '2020-01-01T00:00:00.000+00:00'")
            log.execute("UPDATE answers SET received_at = '2020-01-01T00:00:00.000+00:00'")
        ann = Page(port, "ann")
        assert ann.begin()["state"] == "new"
        assert ann.answer_all() == 3
        bots[0].begin()
        assert bots[0].answer_all() == 2, "who comes back goes on"
        assert Page(port, "bob").begin()["state"] == "full"


def test_who_has_gone_without_an_answer_fills_no_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(people, "_MOST_BEGUN", 2)
    folder = experiment_in(tmp_path / "e", most_people=2)
    with serving(folder) as port:
        for number in range(9):
            assert Page(port, f"bot {number}").begin()["state"] == "new"
            with writing(folder) as log:
                log.execute("UPDATE people SET seen = '2020-01-01T00:00:00.000+00:00'")
        assert len(answer_log.people(folder)) <= 4
        with reading(folder) as log:
            for table in ("tokens", "questions"):
                (there,) = log.execute(f"SELECT count(DISTINCT number) FROM {table}").fetchone()
                assert there <= 4


def test_who_was_deleted_is_asked_for_consent_again(port, folder):
    page = Page(port, "ann")
    page.begin()
    assert answer_log.delete_person(folder, "ann")
    again = Page(port, "ann", token=page.token)
    assert again.begin()["state"] == "unknown"
    assert answer_log.people(folder) == []
    assert again.post("next", have=[])[0] == 401
    fresh = Page(port, "ann")
    assert fresh.begin()["state"] == "new", "the page has forgotten its token, and asked"


def test_what_is_nested_is_refused_without_a_word_in_the_log(port, folder, caplog):
    page = Page(port, "ann")
    page.begin()
    (first, *_) = page.next()
    depth = 970
    deep = "[" * depth + "]" * depth
    for chosen in (deep, f'[0, {{"a": {deep}}}]'):
        body = (f'{{"token": "{page.token}", "tab": "{page.tab}", "answers": [{{"id": "12345678", '
                f'"key": "{first["key"]}", "chosen": {chosen}}}]}}')
        status, content, _ = asked(port, "/answers", body.encode())
        assert status in (200, 400), content
        assert not json.loads(content).get("stored")
    status, content, _ = asked(port, "/begin", f'{{"person": "x", "tab": "{"a" * 20}", '
                               f'"device": {{"agent": {deep}}}}}'.encode())
    assert status in (200, 400)
    assert not [one for one in caplog.records if one.exc_info]
