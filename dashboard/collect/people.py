"""Requests of participants: begin, next questions, answers, events, end.

Every public method of `Reception` is one job for the log; its reply is sent once the job is on
disk. No state is kept here, so a server that was killed goes on as if nothing had happened.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection, Row
from typing import Any
from urllib.parse import quote

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS, CHECKS
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.lists import key_of, person_list, stand_in
from tripletscope.core.studies.experiment.question import ASKINGS, Question
from tripletscope.dashboard.collect.requests import (
    Answer,
    Beginning,
    Event,
    Malformed,
    Refusal,
    clipped,
)
from tripletscope.dashboard.collect.writer import SteadyClock, n_rows, now, set_setting, setting

#: Questions that a page holds ahead against a lost network; few where answers decide the next ones.
AHEAD, AHEAD_ADAPTIVE = 5, 2
#: Setting of a log: the key that previews and simulated people need.
PREVIEW = "preview"
#: First number of simulated people: lists of real ones stay balanced.
SIMULATED = 1_000_000
_MOST_SIMULATED = 200
#: Hours after which people without answers, and people without new answers, free their places.
_GONE_HOURS, _SILENT_HOURS = 1, 3
#: Beginnings per place before people who left without an answer are forgotten.
_MOST_BEGUN = 10
_GONE = f"julianday(seen) <= julianday('now', '-{_GONE_HOURS} hours')"
#: Most refusals of one person, of unknown people, and most events of one person in the log.
_MOST_REFUSALS, _MOST_OF_NOBODY, _MOST_EVENTS = 200, 2_000, 2_000
_MOST_TOKENS = 10  # browsers of one person
#: Adaptive questions are old after growth of the answers by this factor plus this number.
_OLD_FACTOR, _OLD_ANSWERS = 1.5, 200
#: Adaptive questions among which one is new to the person.
_CANDIDATES = 20
#: Events of a page that closes, after which another tab may go on.
_LEFT = ("left", "pagehide")


@dataclass(frozen=True)
class Reply:
    """Content and HTTP status of a response; `number` is of a person who needs questions."""

    content: dict[str, Any]
    status: int = 200
    number: int | None = None


class Reception:
    """Answers the requests of one experiment's participants."""

    def __init__(self, experiment: Experiment, clock: SteadyClock) -> None:
        self._experiment = experiment
        self._clock = clock
        self._ahead = AHEAD_ADAPTIVE if experiment.is_adaptive else AHEAD

    # Beginning ----------------------------------------------------------------------------------

    def begin(self, log: Connection, beginning: Beginning) -> Reply:
        """Receive somebody, for the first time or again."""
        key = str(setting(log, PREVIEW))
        is_simulated = beginning.simulated
        if is_simulated and not hmac.compare_digest(beginning.preview.encode(), key.encode()):
            raise Malformed("A preview needs the address that the page Collect shows.")
        id_ = hashed(beginning.person, self._experiment.salt)
        person = log.execute(
            "SELECT * FROM people WHERE person = ? AND simulated = ?", (id_, is_simulated)
        ).fetchone()
        if person is None:
            return self._new(log, beginning, id_)
        number, token = person["number"], beginning.token
        if token is None or _number_of(log, token) != number:
            # A tab whose first response was lost has no token yet; its name is a secret, too.
            is_same_tab = beginning.tab == person["tab"] and person["state"] == "going_on"
            if self._experiment.one_browser and not is_same_tab:
                self.refuse(log, number, "begin", "an id that began in another browser", "")
                return _turned_away("other_browser")
            token = _new_token(log, number)
        content = {"state": self._state_for(log, person), "token": token, **_counts(log, number)}
        is_free = person["tab"] in ("", beginning.tab)
        if content["state"] == "going_on" and not is_free and not beginning.take_over:
            return Reply({**content, "state": "elsewhere", "tab_is_current": False})
        log.execute("UPDATE people SET tab = ?, seen = ? WHERE number = ?",
                    (beginning.tab, now(), number))
        if content["state"] == "finished":
            content |= self._farewell(person["code"])
        has_questions = content["done"] + content["left"] > 0
        return Reply(
            {**content, "tab_is_current": True}, number=None if has_questions else number
        )

    def _new(self, log: Connection, beginning: Beginning, id_: str) -> Reply:
        is_simulated, state = beginning.simulated, setting(log, "state")
        if state != "open" and not is_simulated:
            return _turned_away(state)
        # A page with a token has skipped consent, and its person has been deleted.
        if beginning.token:
            return _turned_away("unknown")
        if self._is_full(log, is_simulated):
            return _turned_away("full")
        self._forget_gone(log)
        counter = "next_simulated" if is_simulated else "next_number"
        number = setting(log, counter, SIMULATED if is_simulated else 0)
        set_setting(log, counter, number + 1)
        parameters = {
            name: hashed(value, self._experiment.salt)
            for name, value in beginning.parameters.items() if name in self._experiment.parameters
        }
        moment = now()
        log.execute(
            "INSERT INTO people (number, person, simulated, state, parameters, device, tab, code, "
            "began, seen, began_ms) VALUES (?, ?, ?, 'going_on', ?, ?, ?, ?, ?, ?, ?)",
            (number, id_, is_simulated, json.dumps(parameters), json.dumps(beginning.device),
             beginning.tab, self._code(is_simulated), moment, moment, self._clock.now()),
        )
        return Reply({"state": "new", "token": _new_token(log, number), "tab_is_current": True,
                      "done": 0, "left": 0}, number=number)

    def _code(self, simulated: bool) -> str:
        """Completion code of a new person; simulations are not paid."""
        if simulated:
            return "SIMULATED"
        return self._experiment.completion_code or secrets.token_hex(4).upper()

    def _is_full(self, log: Connection, simulated: bool) -> bool:
        """Whether all places are taken; excluded and absent people free theirs."""
        if simulated:
            return n_rows(log, "people WHERE simulated") >= _MOST_SIMULATED
        if setting(log, "next_number", 0) < self._experiment.most_people:
            return False  # no need to count
        people = (
            "people AS p WHERE NOT simulated AND (state = 'finished' OR "
            f"state = 'going_on' AND (NOT {_GONE} OR EXISTS (SELECT 1 FROM answers WHERE number = "
            "p.number AND julianday(received_at) > "
            f"julianday('now', '-{_SILENT_HOURS} hours'))))"
        )
        return n_rows(log, people) >= self._experiment.most_people

    def _forget_gone(self, log: Connection) -> None:
        """After very many beginnings, forget people who left without an answer."""
        most = _MOST_BEGUN * self._experiment.most_people
        if setting(log, "next_number", 0) < most:
            return
        if n_rows(log, "people WHERE NOT simulated") >= most:
            gone = (
                f"SELECT number FROM people WHERE NOT simulated AND state = 'going_on' AND {_GONE} "
                "AND number NOT IN (SELECT number FROM answers)"
            )
            for table in ("tokens", "questions", "events", "refused", "people"):
                log.execute(f"DELETE FROM {table} WHERE number IN ({gone})")

    def questions_for(self, number: int) -> list[str | None]:
        """Questions of a person as they are stored; slow, so no job of the log."""
        listed = person_list(self._experiment, number % SIMULATED)
        return [one and json.dumps(one.described()) for one in listed.questions]

    def hand_out(self, log: Connection, number: int, questions: Sequence[str | None]) -> int:
        """Store the questions of a person who has none yet; returns how many are left."""
        if not n_rows(log, "questions WHERE number = ?", number):
            log.executemany(
                "INSERT INTO questions (number, place, key, record) VALUES (?, ?, ?, ?)",
                [(number, place, json.loads(record)["key"] if record else key_of(place), record)
                 for place, record in enumerate(questions)],
            )
        return _counts(log, number)["left"]

    # Asking -------------------------------------------------------------------------------------

    def request(self, log: Connection, what: str, token: str, tab: str, *content: Any) -> Reply:
        """Answer a person with a token, in the current tab, or refuse.

        what, content: As of `read_content`.
        """
        number = _number_of(log, token)
        if number is None:
            self.refuse(log, None, what, "an unknown token", "")
            return Reply({"why": "Nobody has begun with this token."}, 401)
        person = dict(log.execute("SELECT * FROM people WHERE number = ?", (number,)).fetchone())
        if person["tab"] == "":  # it was left, and has come back
            log.execute("UPDATE people SET tab = ? WHERE number = ?", (tab, number))
        elif person["tab"] != tab:
            self.refuse(log, number, what, "another tab has taken over", "")
            return Reply({"why": "Another tab has taken over.", "state": "elsewhere"}, 409)
        answer = {"next": self._next, "answers": self._answers, "events": self._events,
                  "end": self._end}[what]
        return answer(log, person, *content)

    def _next(self, log: Connection, person: dict[str, Any], have: Sequence[str]) -> Reply:
        """The next questions, beside those that the page holds."""
        number, state = person["number"], self._state_for(log, person)
        questions = []
        if state == "going_on":
            # A page holds questions that are open here while their answers are on the way.
            most = self._ahead + min(len(have), 3 * self._ahead)
            rows = log.execute(
                "SELECT place, key, record, served_at FROM questions WHERE number = ? AND "
                "answer IS NULL ORDER BY place LIMIT ?", (number, most),
            ).fetchall()
            wanted = [row for row in rows if row["key"] not in have][: self._ahead]
            questions = [self._served(log, number, row) for row in wanted]
        return Reply(
            {"state": state, "questions": questions, "left": _counts(log, number)["left"]}
        )

    def _served(self, log: Connection, number: int, row: Row) -> dict[str, Any]:
        record = row["record"]
        if record is None:
            question = self._adaptive(log, number, row["place"], row["key"])
            record = json.dumps(question.described())
        if row["served_at"] is None:
            log.execute(
                "UPDATE questions SET record = ?, served_at = ? WHERE number = ? AND place = ?",
                (record, now(), number, row["place"]),
            )
        return Question.from_record(json.loads(record)).for_participant()

    def _adaptive(self, log: Connection, number: int, place: int, key: str) -> Question:
        """The best question that is ready and recent, or a random one."""
        alike = ASKINGS[self._experiment.task].regardless_of_places
        (answers,) = log.execute("SELECT coalesce(max(serial), 0) FROM answers").fetchone()
        earlier = {
            alike(json.loads(record)["shown"]) for (record,) in log.execute(
                "SELECT record FROM questions WHERE number = ? AND record IS NOT NULL", (number,)
            )
        }
        for row in log.execute(
            "SELECT id, shown, source FROM queue WHERE taken_by IS NULL AND "
            "n_answers_then * ? + ? >= ? ORDER BY id LIMIT ?",
            (_OLD_FACTOR, _OLD_ANSWERS, answers, _CANDIDATES),
        ).fetchall():
            shown = json.loads(row["shown"])
            if alike(shown) not in earlier:
                log.execute("UPDATE queue SET taken_by = ?, taken_at = ? WHERE id = ?",
                            (number, now(), row["id"]))
                return Question(key, self._experiment.task, tuple(shown),
                                self._experiment.n_chosen, source=row["source"])
        rng = np.random.default_rng([self._experiment.seed, number, place])
        return stand_in(self._experiment, rng, key)

    # Answering ----------------------------------------------------------------------------------

    def _answers(
        self, log: Connection, person: dict[str, Any], answers: Sequence[Answer | Refusal]
    ) -> Reply:
        """Store answers one by one, or refuse them."""
        number = person["number"]
        stored, refused, failed = [], [], 0
        for answer in answers:
            try:
                if isinstance(answer, Refusal):
                    raise answer
                failed += self._answer(log, number, answer)
                stored.append(answer.id)
            except Refusal as refusal:
                refused.append(self._refused(log, number, "answer", refusal))
        if failed:
            failed += person["failed"]
            most = self._experiment.fails
            is_out = most and failed >= most and person["state"] == "going_on"
            state = "excluded" if is_out else person["state"]
            log.execute("UPDATE people SET failed = ?, state = ? WHERE number = ?",
                        (failed, state, number))
            person = {**person, "state": state}
        return Reply({"stored": stored, "refused": refused, "state": self._state_for(log, person),
                      "left": _counts(log, number)["left"]})

    def _answer(self, log: Connection, number: int, answer: Answer) -> bool:
        """Store the first answer to a question; whether it failed a check of attention."""
        row = log.execute(
            "SELECT place, record, served_at, answer FROM questions WHERE number = ? AND key = ?",
            (number, answer.key),
        ).fetchone()
        before = log.execute(
            "SELECT key, chosen FROM answers WHERE number = ? AND id = ?", (number, answer.id)
        ).fetchone()
        chosen = json.dumps(answer.chosen)
        if before is not None:
            if (before["key"], before["chosen"]) == (answer.key, chosen):
                return False  # sent twice
            raise answer.refused("this id belongs to another answer")
        if row is None or row["served_at"] is None:
            raise answer.refused(f"nobody was asked {answer.key!r}")
        if row["answer"] is not None:
            raise answer.refused(f"{answer.key!r} is answered already")
        question = Question.from_record(json.loads(row["record"]))
        is_right = None
        if isinstance(answer.chosen, str):
            if question.item is not None or answer.chosen not in self._experiment.unanswered:
                raise answer.refused(f"no question can be {answer.chosen} here")
        else:
            try:
                is_right = question.is_right(question.checked(answer.chosen))
            except DataError as error:
                raise answer.refused(str(error)) from None
        serial = log.execute(
            "INSERT INTO answers (number, id, key, chosen, rt_ms, shown_ms, at_ms, clock_ms, "
            "input, received_at, steady_ms, is_right) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, answer.id, answer.key, chosen, answer.rt_ms, answer.shown_ms, answer.at_ms,
             answer.clock_ms, answer.input, now(), self._clock.now(), is_right),
        ).lastrowid
        log.execute("UPDATE questions SET answer = ? WHERE number = ? AND place = ?",
                    (serial, number, row["place"]))
        return is_right is False and question.kind in CHECKS

    def _events(
        self, log: Connection, person: dict[str, Any], events: Sequence[Event | Refusal]
    ) -> Reply:
        """Store events, up to a limit."""
        number = person["number"]
        count = n_rows(log, "events WHERE number = ?", number)
        stored, refused = [], []
        for event in events:
            if isinstance(event, Event) and count >= _MOST_EVENTS:
                event = event.refused(f"more than {_MOST_EVENTS:,} events of one person")
            if isinstance(event, Refusal):
                refused.append(self._refused(log, number, "event", event))
                continue
            count += log.execute(
                "INSERT OR IGNORE INTO events (number, id, what, at_ms, clock_ms, received_at, "
                "steady_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, event.id, event.what, event.at_ms, event.clock_ms, now(),
                 self._clock.now()),
            ).rowcount
            stored.append(event.id)
            if event.what in _LEFT:
                log.execute("UPDATE people SET tab = '' WHERE number = ?", (number,))
        return Reply({"stored": stored, "refused": refused, "state": self._state_for(log, person)})

    def _end(self, log: Connection, person: dict[str, Any]) -> Reply:
        """Finish a person to whom everything was asked; who answered nothing gets no code."""
        number, left = person["number"], _counts(log, person["number"])["left"]
        if person["state"] == "going_on":
            if left:
                why = f"{left:,} questions are left"
                self.refuse(log, number, "end", why, "")
                return Reply({"why": why}, 400)
            person["state"] = "finished" if _has_answered(log, number) else "unanswered"
            log.execute(
                "UPDATE people SET state = ?, finished = ?, finished_ms = ?, seen = ? "
                "WHERE number = ?", (person["state"], now(), self._clock.now(), now(), number),
            )
        if person["state"] != "finished":
            return Reply({"state": person["state"]})
        return Reply({"state": "finished", **self._farewell(person["code"])})

    def _farewell(self, code: str) -> dict[str, str]:
        address = self._experiment.return_address.replace("{code}", quote(code, safe=""))
        return {"code": code, "address": address}

    def _state_for(self, log: Connection, person: Mapping[str, Any] | Row) -> str:
        """The person's state, or else the experiment's.

        Simulated people ignore that; people who have answered everything still get their code.
        """
        if person["state"] != "going_on" or person["simulated"]:
            return person["state"]
        state = setting(log, "state")
        counts = None if state == "open" else _counts(log, person["number"])
        is_through = counts is not None and counts["done"] > 0 and not counts["left"]
        return "going_on" if state == "open" or is_through else state

    def _refused(
        self, log: Connection, number: int, what: str, refusal: Refusal
    ) -> dict[str, str | None]:
        """Log the refusal of an answer or event; what the page reads about it."""
        self.refuse(log, number, what, str(refusal), refusal.value)
        return {"id": refusal.id, "why": str(refusal)}

    def refuse(
        self, log: Connection, number: int | None, what: str, why: str, value: str
    ) -> None:
        """Log a refusal, or count it after very many of this person, or of unknown people."""
        most = _MOST_OF_NOBODY if number is None else _MOST_REFUSALS
        if n_rows(log, "refused WHERE number IS ?", number) >= most:
            set_setting(log, "not_logged", setting(log, "not_logged", 0) + 1)
            return
        log.execute(
            "INSERT INTO refused (number, what, why, given, received_at) VALUES (?, ?, ?, ?, ?)",
            (number, what, clipped(why), clipped(value), now()),
        )


def hashed(person: str, salt: str) -> str:
    """An id as it is stored: a keyed hash where there is a salt."""
    if not salt:
        return person
    return hmac.new(salt.encode(), person.encode(), hashlib.sha256).hexdigest()


def _hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _turned_away(state: str) -> Reply:
    return Reply({"state": state, "token": None, "tab_is_current": False, "done": 0, "left": 0})


def _number_of(log: Connection, token: str) -> int | None:
    row = log.execute("SELECT number FROM tokens WHERE hash = ?", (_hash_of(token),)).fetchone()
    return row and row["number"]


def _new_token(log: Connection, number: int) -> str:
    """A token for one browser; only its hash is stored."""
    if n_rows(log, "tokens WHERE number = ?", number) >= _MOST_TOKENS:
        log.execute("DELETE FROM tokens WHERE number = ?", (number,))
    token = secrets.token_hex(16)
    log.execute("INSERT INTO tokens VALUES (?, ?)", (_hash_of(token), number))
    return token


def _has_answered(log: Connection, number: int) -> bool:
    """Whether a question about objects has an answer, or none was asked."""
    asked = (
        "answers JOIN questions USING (number, key) WHERE number = ? AND "
        f"json_extract(record, '$.kind') IN {ABOUT_OBJECTS}"
    )
    some = f"{asked} AND json_type(chosen) = 'array'"
    return n_rows(log, some, number) > 0 or not n_rows(log, asked, number)


def _counts(log: Connection, number: int) -> dict[str, int]:
    """Numbers of a person's questions with and without an answer."""
    done, total = log.execute(
        "SELECT count(answer), count(*) FROM questions WHERE number = ?", (number,)
    ).fetchone()
    return {"done": done, "left": total - done}
