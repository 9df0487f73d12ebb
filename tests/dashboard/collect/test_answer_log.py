"""The log: nothing confirmed is lost, nothing deleted remains, and no clock disturbs it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date, timedelta

import pytest

from tests.dashboard.collect.serving import Page, answer, experiment_in, serving
from tests.waiting import PATIENCE, becomes
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.results import answers_table
from tripletscope.dashboard.collect import answer_log, people, writer
from tripletscope.dashboard.collect.writer import FILE, AnswerLog, NotKept


@pytest.fixture
def folder(tmp_path):
    return experiment_in(tmp_path / "experiment", salt="pepper")


def setting_job(name: str):
    return lambda log: writer.set_setting(log, name, 1)


# Writing ----------------------------------------------------------------------------------------


def test_what_is_confirmed_can_be_read_by_others_at_once(folder):
    log = AnswerLog(folder)
    for number in range(20):
        log.ask(setting_job(f"s{number}")).result(300)
        with answer_log.reading(folder) as read:
            assert writer.setting(read, f"s{number}") == 1
    log.close()


def test_the_disk_is_asked_to_confirm_everything(folder):
    log = AnswerLog(folder)
    mode, level, zeroes = log.ask(lambda log: tuple(
        log.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "secure_delete")
    )).result(300)
    log.close()
    assert (mode, level, zeroes) == ("wal", 2, 1), "2 is FULL"


def test_those_who_come_together_are_confirmed_together(folder, monkeypatch):
    log = AnswerLog(folder)
    commits, go = [], threading.Event()
    kept = writer.kept
    monkeypatch.setattr(writer, "kept", lambda log: commits.append(1) or kept(log))
    first = log.ask(lambda log: go.wait(300))
    others = [log.ask(setting_job(f"s{number}")) for number in range(100)]
    go.set()
    assert first.result(300)
    for one in others:
        one.result(300)
    log.close()
    assert len(commits) <= 3


def test_a_job_that_fails_changes_nothing_and_disturbs_nobody(folder):
    log = AnswerLog(folder)
    go = threading.Event()
    log.ask(lambda log: go.wait(300))

    def failing(log):
        writer.set_setting(log, "failed", 1)
        raise KeyError("mine")

    jobs = [log.ask(job) for job in (setting_job("before"), failing, setting_job("after"))]
    go.set()
    with pytest.raises(KeyError, match="mine"):
        jobs[1].result(300)
    jobs[2].result(300)
    log.close()
    with answer_log.reading(folder) as read:
        found = [writer.setting(read, name, 0) for name in ("before", "failed", "after")]
    assert found == [1, 0, 1]


def test_a_full_disk_refuses_and_works_again_when_there_is_room(folder, monkeypatch):
    connections, opened = [], writer.opened
    monkeypatch.setattr(
        writer, "opened", lambda folder: connections.append(opened(folder)) or connections[-1]
    )
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        keys = [one["key"] for one in page.next()]
        page.answer(keys[0], id="kept-answer")
        one = answer(keys[1], id="not-kept-yet")
        (log,) = connections  # SQLite counts the pages of each by itself
        (pages,) = log.execute("PRAGMA page_count").fetchone()
        log.execute(f"PRAGMA max_page_count = {pages}")
        status, number = 200, 0
        while status == 200 and number < 100:  # until the last page is full
            number += 1
            event = {"what": "x" * 40, "at_ms": 1, "clock_ms": 1}
            status, said = page.post("events", events=[
                {**event, "id": f"event-{number:04}-{k}"} for k in range(20)
            ])
        assert status == 507
        assert "send it again" in said["why"]
        assert answer_log.n_answers(folder) == 1, "what was confirmed is there"
        log.execute("PRAGMA max_page_count = 1000000")
        assert page.post("answers", answers=[one])[1]["stored"] == ["not-kept-yet"]
    assert answer_log.n_answers(folder) == 2


def test_another_program_that_writes_for_long_is_told_apart(folder, monkeypatch):
    monkeypatch.setattr(writer, "_PATIENCE", 0.05)
    log = AnswerLog(folder)
    with answer_log.writing(folder), pytest.raises(NotKept) as caught:
        log.ask(setting_job("late")).result(300)
    assert not caught.value.is_full
    log.ask(setting_job("later")).result(300)
    log.close()


def test_readers_do_not_hold_up_the_writer(folder):
    log = AnswerLog(folder)
    with answer_log.reading(folder) as read:
        assert writer.setting(read, "new", 0) == 0
        log.ask(setting_job("new")).result(300)
        assert writer.setting(read, "new", 0) == 0, "one moment of the log"
    log.close()


def test_readers_cannot_write(folder):
    AnswerLog(folder).close()
    with answer_log.reading(folder) as read, pytest.raises(sqlite3.OperationalError):
        writer.set_setting(read, "x", 1)


def test_a_copy_is_whole_while_twenty_people_answer(tmp_path):
    """Everything that was acknowledged before it is in it, and nothing in halves."""
    folder = experiment_in(tmp_path / "experiment", n_questions=15)
    acknowledged, copies = [], []

    def take(page: Page) -> None:
        while questions := page.next():
            name = uuid.uuid4().hex
            assert page.answer(questions[0]["key"], id=name)["stored"] == [name]
            acknowledged.append(name)

    def copy() -> None:
        for least in range(0, 20 * 15 + 1, 30):
            assert becomes(lambda least=least: len(acknowledged) >= least)
            before = list(acknowledged)
            copies.append((before, writer.copied(folder)))

    with serving(folder) as port, ThreadPoolExecutor(21) as pool:
        copying = pool.submit(copy)
        pages = [Page(port, f"person {number}") for number in range(20)]
        for page in pages:
            page.begin()
        for one in [*(pool.submit(take, page) for page in pages), copying]:
            one.result(PATIENCE)
    assert len(acknowledged) == 20 * 15
    for number, (before, content) in enumerate(copies):
        place = tmp_path / f"copy {number}"
        place.mkdir()
        shutil.copy(folder / "experiment.json", place)
        (place / FILE).write_bytes(content)
        with closing(sqlite3.connect(place / FILE)) as log:
            assert log.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            stored = {row[0] for row in log.execute("SELECT id FROM answers")}
        assert stored >= set(before)
        assert len(answer_log.records(place)) == len(stored)
    assert len(stored) == 20 * 15
    with serving(place) as port:  # it can be gone on with
        assert Page(port, "somebody else").begin()["state"] == "new"
    assert answer_log.state(place).n_people == 21


def test_a_copy_of_a_log_without_answers_is_one(folder, tmp_path):
    (tmp_path / FILE).write_bytes(writer.copied(folder))
    assert answer_log.records(tmp_path) == []


def test_a_folder_without_a_log_has_no_answers(folder):
    assert answer_log.records(folder) == []
    assert answer_log.people(folder) == []
    assert answer_log.refusals(folder) == []
    assert answer_log.n_answers(folder) == 0
    assert answer_log.state(folder).state == "open"
    assert answer_log.personal_data(folder, "ann") == {}
    assert not (folder / FILE).exists()
    answer_log.set_state(folder, "paused")
    assert answer_log.state(folder).state == "paused"
    with pytest.raises(ValueError, match="is no state"):
        answer_log.set_state(folder, "away")


# Clocks -----------------------------------------------------------------------------------------


def test_a_clock_that_jumps_changes_neither_order_nor_durations(folder, monkeypatch):
    dates = iter([f"20{99 - number:02}-01-01T00:00:00.000+00:00" for number in range(99)] * 9)
    monkeypatch.setattr(people, "now", lambda: next(dates))
    begun = time.monotonic()
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        keys = []
        while questions := page.next():
            keys.append(questions[0]["key"])
            page.answer(keys[-1])
        page.post("end")
    found = answer_log.records(folder)
    assert [one.key for one in found] == keys, "though every date was earlier than the one before"
    assert len({one.answered_at for one in found}) == len(keys)
    assert 0 <= answer_log.people(folder)[0].seconds <= time.monotonic() - begun


def test_the_steady_clock_goes_on_after_a_restart(folder):
    shown = []
    for person in ("ann", "bob"):
        with serving(folder) as port:
            page = Page(port, person)
            page.begin()
            page.answer_all()
            page.post("end")
        with answer_log.reading(folder) as log:
            shown.append(log.execute("SELECT max(steady_ms), max(finished_ms) FROM people JOIN "
                                     "answers USING (number)").fetchone())
            steady = [one for (one,) in log.execute(
                "SELECT steady_ms FROM answers ORDER BY serial"
            )]
        assert steady == sorted(steady)
    assert shown[1][0] > shown[0][1] > 0


# Personal data ----------------------------------------------------------------------------------


def everything_in(folder) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob(f"{FILE}*")))


def take_part(port: int, person: str) -> Page:
    page = Page(port, person)
    page.begin(parameters={"PROLIFIC_PID": person}, device={"agent": f"browser of {person}"})
    page.answer(page.next()[0]["key"], id=f"answer-of-{person}")
    page.answer("nothing", id=f"refused-of-{person}")
    return page


def test_ids_are_hashed_with_the_salt(folder):
    with serving(folder) as port:
        take_part(port, "annabella")
        (person,) = answer_log.people(folder)
        assert len(person.person) == 64
        assert person.parameters == {"PROLIFIC_PID": person.person}
        assert answer_log.records(folder)[0].participant == person.person
        stored = everything_in(folder)
        assert b'"annabella"' not in stored
        assert stored.count(b"annabella") == stored.count(b"of annabella") + stored.count(
            b"of-annabella"
        ), "but for what the test itself put into other fields"
    salted = experiment_in(folder.parent / "other", salt="other")
    with serving(salted) as port:
        take_part(port, "annabella")
    assert answer_log.people(salted)[0].person != person.person


def test_one_participant_can_be_exported_and_removed_while_it_runs(folder):
    with serving(folder) as port:
        ann, bob = take_part(port, "annabella"), take_part(port, "bobby")
        kept = answer_log.personal_data(folder, "annabella")
        json.dumps(kept)
        assert {table: len(rows) for table, rows in kept.items()} == {
            "people": 1, "tokens": 1, "questions": 10, "answers": 1, "refused": 1
        }
        hashed = kept["people"][0]["person"]
        assert answer_log.personal_data(folder, hashed) == kept
        assert answer_log.delete_person(folder, "annabella")
        stored = everything_in(folder)
        assert b"annabella" not in stored
        assert hashed.encode() not in stored
        assert b"bobby" in stored
        assert answer_log.personal_data(folder, "annabella") == {}
        assert not answer_log.delete_person(folder, "annabella")
        assert ann.post("next")[0] == 401
        assert bob.next()
        again = Page(port, "annabella")
        assert again.begin()["state"] == "new"
    assert [one.number for one in answer_log.people(folder)] == [1, 2], "no number is given twice"


def test_what_is_still_read_is_said_to_remain(folder, monkeypatch):
    monkeypatch.setattr(writer, "_PATIENCE", 0.05)
    with serving(folder) as port:
        take_part(port, "annabella")
        with answer_log.reading(folder) as read:
            read.execute("SELECT * FROM people").fetchall()
            with pytest.raises(NotKept, match="another program reads"):
                answer_log.delete_person(folder, "annabella")
        answer_log.delete_person(folder, "annabella")
        assert b"annabella" not in everything_in(folder)


def test_ids_can_be_purged_and_the_answers_stay(tmp_path):
    yesterday = (date.today() - timedelta(days=1)).isoformat()
    folder = experiment_in(tmp_path / "e", keep_until=yesterday, n_questions=3)
    with serving(folder) as port:
        for person in ("annabella", "bobby"):
            take_part(port, person)
        before = answers_table(Experiment.load(folder), answer_log.records(folder))
        assert answer_log.state(folder).is_overdue
        answer_log.purge(folder)
        assert not answer_log.state(folder).is_overdue
        rest = everything_in(folder)
        for person in ("annabella", "bobby"):
            assert f'"{person}"'.encode() not in rest
            assert f"browser of {person}".encode() not in rest
    assert [one.name for one in answer_log.people(folder)] == ["anonymous 1", "anonymous 2"]
    after = answers_table(Experiment.load(folder), answer_log.records(folder))
    assert len(after) == len(before) == 2
    assert {one.participant for one in answer_log.records(folder)} == {"anonymous 1", "anonymous 2"}
    answer_log.purge(folder)


def test_a_day_that_has_not_passed_is_not_overdue(tmp_path):
    folder = experiment_in(tmp_path / "e", keep_until=date.today().isoformat())
    with serving(folder) as port:
        take_part(port, "ann")
        assert not answer_log.state(folder).is_overdue
