"""Nobody answers in another's name: one spelling of each id, at the door, in data and deletion."""

from __future__ import annotations

import json
import threading

import pytest

from tests.browser import needs_browser
from tests.core.studies.experiment.test_participant import REFUSED, SPELLINGS
from tests.dashboard.collect.participants import (
    answer,
    collecting,
    ended,
    needs_jspsych,
    opened,
    small,
)
from tests.dashboard.collect.serving import Page, asked, experiment_in, serving
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.results import answers_table, gathered_answers
from tripletscope.dashboard.collect import answer_log

LOOKALIKES = [given for given, found in SPELLINGS if found == "carol" and given != "carol"]


@pytest.fixture(params=["", "pepper"], ids=["plain", "salted"])
def folder(tmp_path, request):
    return experiment_in(tmp_path / "experiment", salt=request.param)


def take_part(port: int, person: str) -> Page:
    page = Page(port, person)
    page.begin()
    page.answer(page.next()[0]["key"])
    return page


def test_a_lookalike_is_the_same_person_and_cannot_go_on_for_her(folder):
    with serving(folder) as port:
        take_part(port, "carol")
        for person in LOOKALIKES:
            assert Page(port, person).begin()["state"] == "other_browser"
        assert take_part(port, "Carol").token
    assert len(answer_log.people(folder)) == 2
    assert len({one.participant for one in answer_log.records(folder)}) == 2


def test_of_many_lookalikes_at_once_one_begins(folder):
    with serving(folder) as port:
        states, gate = [], threading.Barrier(len(LOOKALIKES))

        def begin(person):
            gate.wait(300)
            states.append(Page(port, person).begin()["state"])

        threads = [threading.Thread(target=begin, args=(one,), daemon=True) for one in LOOKALIKES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert sorted(states) == ["new", *["other_browser"] * (len(LOOKALIKES) - 1)]


@pytest.mark.parametrize("person", REFUSED)
def test_what_a_data_set_would_change_does_not_begin(person, tmp_path):
    folder = experiment_in(tmp_path / "e", salt="pepper")
    with serving(folder) as port:
        status, content, _ = asked(port, "/begin", {"person": person, "tab": "0" * 16})
        told = json.loads(content)
        assert status == 400
        assert told["why"]
        assert person == "\ud800" or told["state"] == "wrong_id", "the page can say so"
    assert answer_log.people(folder) == []
    assert len(answer_log.refusals(folder)) == 1


def test_a_participant_is_reported_and_deleted_in_any_spelling(folder):
    with serving(folder) as port:
        for person in LOOKALIKES:
            page = take_part(port, "carol")
            assert len(answer_log.personal_data(folder, person)["answers"]) == 1
            assert answer_log.delete_person(folder, person)
            assert page.post("next")[0] == 401
        take_part(port, "carol")
        (known,) = answer_log.people(folder)
        assert answer_log.delete_person(folder, known.name)
    assert answer_log.records(folder) == []


def test_a_removed_id_is_nobodys_name(tmp_path):
    folder = experiment_in(tmp_path / "e")
    with serving(folder) as port:
        take_part(port, "carol")
        answer_log.purge(folder)
        status, told = Page(port).post("begin", person="anonymous 1")
        assert (status, told["state"]) == (400, "wrong_id")
        take_part(port, "carol")
        assert [one.name for one in answer_log.people(folder)] == ["anonymous 1", "carol"]
        assert not answer_log.delete_person(folder, "")
        assert answer_log.delete_person(folder, "anonymous 1"), "by what the data set shows"
        assert [one.name for one in answer_log.people(folder)] == ["carol"]


def test_lookalikes_of_an_earlier_version_are_not_merged(tmp_path):
    """Its log told them apart, data sets did not: now all of them have a name that says so."""
    folder = experiment_in(tmp_path / "e")
    earlier = ["carol", "carol ", "ca\u200brol", '"carol"', "none", "participant none",
               "anonymous 8", None, "carol (no. 1)", '""dan""', "eve"]
    with serving(folder) as port:
        for number in range(len(earlier)):
            take_part(port, f"p{number}")
        with answer_log.writing(folder) as log:
            for number, person in enumerate(earlier):
                log.execute("UPDATE people SET person = ? WHERE number = ?", (person, number))
        names = [one.name for one in answer_log.people(folder)]
        assert len({*names}) == len(earlier)
        assert names[1:4] == ["carol (no. 2)", "carol (no. 3)", "carol (no. 4)"]
        assert names[4:8] == ["participant none (no. 5)", "participant none (no. 6)",
                              "anonymous 8 (no. 7)", "anonymous 8 (no. 8)"]
        assert names[-1] == "eve"
        experiment, records = Experiment.load(folder), answer_log.records(folder)
        assert [one.participant for one in records] == names
        assert [*gathered_answers(experiment, records).answers["participant"]] == names
        assert [*answers_table(experiment, records)["participant"]] == names
        assert len(answer_log.personal_data(folder, "carol (no. 2)")["people"]) == 1
        assert len(answer_log.personal_data(folder, "carol")["people"]) == 3, "and what looks so"
        assert answer_log.delete_person(folder, "carol")
    left = [one.name for one in answer_log.people(folder)]
    assert left == ["carol", *names[4:8], "carol (no. 1)", *names[9:]]


@pytest.mark.browser
@needs_browser
@needs_jspsych
def test_the_page_spells_ids_as_the_server_does(context, tmp_path):
    small(tmp_path, n_questions=1)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        of_page = page.evaluate(
            "ids => ids.map((id) => Keeping.participantId(id))",
            [given for given, _ in SPELLINGS] + REFUSED)
        assert of_page == [found for _, found in SPELLINGS] + [None] * len(REFUSED)
        page.goto(f"{address}?PROLIFIC_PID=anonymous%201")
        ended(page, "wrong_id")
        assert "This id cannot be used" in page.inner_text("body")
        assert page.evaluate("localStorage.length") == 0
        page.goto(f"{address}?PROLIFIC_PID=%EF%BC%A1nn%20")
        answer(page)
        ended(page)
    assert [one.participant for one in answer_log.records(tmp_path)] == ["Ann"]
