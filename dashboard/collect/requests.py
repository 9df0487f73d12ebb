"""Requests of participants' pages, read with distrust: plain values in narrow bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import UNANSWERED
from tripletscope.core.studies.experiment.participant import participant_id
from tripletscope.core.studies.experiment.question import MOST_ON_TABLE

MOST_BYTES = 64 * 1024  # of one request
_MOST_CHARACTERS = 300  # of a refused value in the log
#: Answers or events in one request, and values of one answer.
_MOST, _MOST_VALUES = 100, 2 * MOST_ON_TABLE
_LINE = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_ANY = re.compile(r".*", re.DOTALL)
_TAB = re.compile(r"[A-Za-z0-9_-]{16,64}")
_TOKEN = re.compile(r"[0-9a-f]{32}")
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_WHAT = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_INPUTS = ("mouse", "keyboard", "touch")
#: Greatest milliseconds of a date, and of a duration.
_LATEST, _LONGEST = 1e14, 1e9


class Malformed(Exception):
    """A malformed request.

    page: Text that the participant reads; empty for that of every failure.
    """

    def __init__(self, why: str, page: str = "") -> None:
        super().__init__(why)
        self.page = page


class Refusal(Exception):
    """One answer or event is refused; `value` is its text."""

    def __init__(self, why: str, id: str | None, value: str) -> None:
        super().__init__(why)
        self.id = id
        self.value = value


@dataclass(frozen=True)
class Beginning:
    """Somebody opens the page; `preview` is the key that simulated people need."""

    person: str
    parameters: Mapping[str, str]
    tab: str
    token: str | None
    device: Mapping[str, Any]
    simulated: bool
    take_over: bool
    preview: str = ""


@dataclass(frozen=True)
class Answer:
    """One answer as a page sends it; the times are in milliseconds.

    chosen: A list, or a word of `UNANSWERED`.
    """

    id: str
    key: str
    chosen: Any
    rt_ms: float | None
    shown_ms: float | None
    at_ms: float | None
    clock_ms: float | None
    input: str

    def refused(self, why: str) -> Refusal:
        """A refusal of it."""
        return Refusal(why, self.id, clipped([self.key, self.chosen]))


@dataclass(frozen=True)
class Event:
    """An event other than an answer; the times are in milliseconds."""

    id: str
    what: str
    at_ms: float | None
    clock_ms: float | None

    def refused(self, why: str) -> Refusal:
        """A refusal of it."""
        return Refusal(why, self.id, self.what)


def read_body(content: bytes) -> Mapping[str, Any]:
    """The fields of a request."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise Malformed("The request is not JSON.") from None
    if not isinstance(body, dict):
        raise Malformed("The request is no JSON object.")
    return body


def read_beginning(body: Mapping[str, Any]) -> Beginning:
    """Person, browser and tab."""
    person, token = body.get("person"), body.get("token")
    if not _is_text(person, _ANY):
        raise Malformed("“person” must be text.")
    try:
        person = participant_id(person)
    except DataError as error:
        raise Malformed(str(error), "wrong_id") from None
    parameters, device = body.get("parameters", {}), body.get("device", {})
    preview = body.get("preview")
    if not isinstance(parameters, dict) or not isinstance(device, dict):
        raise Malformed("“parameters” and “device” must be objects.")
    return Beginning(
        person,
        {name: value for name, value in parameters.items()
         if isinstance(name, str) and _is_text(value, _LINE)},
        _tab(body),
        token if _is_text(token, _TOKEN) else None,
        {
            "width": _number(device.get("width"), _LONGEST),
            "height": _number(device.get("height"), _LONGEST),
            "touch": device.get("touch") is True,
            "agent": clipped(device.get("agent") or ""),
        },
        body.get("simulated") is True,
        body.get("take_over") is True,
        preview if _is_text(preview, _LINE) else "",
    )


def read_sender(body: Mapping[str, Any]) -> tuple[str, str]:
    """Token and tab of a request."""
    token = body.get("token")
    if not _is_text(token, _TOKEN):
        raise Malformed("“token” must be that which the server gave.")
    return token, _tab(body)


def read_content(what: str, body: Mapping[str, Any]) -> list[list[Any]]:
    """What else a request has: keys of held questions, answers or events, maybe refused."""
    match what:
        case "next":
            have = body.get("have", [])
            held = have if isinstance(have, list) else []
            return [[key for key in held if isinstance(key, str)][:_MOST]]
        case "answers":
            return [_read_each(body, what, _read_answer)]
        case "events":
            return [_read_each(body, what, _read_event)]
    return []


def _read_each(body: Mapping[str, Any], name: str, read: Callable) -> list[Any]:
    values = body.get(name)
    if not isinstance(values, list) or len(values) > _MOST:
        raise Malformed(f"“{name}” must be a list of at most {_MOST}.")
    results = []
    for value in values:
        id_ = value.get("id") if isinstance(value, dict) else None
        if not _is_text(id_, _ID):
            why = "“id” must be 8 to 64 letters, digits and hyphens"
            results.append(Refusal(why, None, clipped(value)))
            continue
        try:
            results.append(read(id_, value))
        except Malformed as error:
            results.append(Refusal(str(error), id_, clipped(value)))
    return results


def _read_answer(id_: str, one: Mapping[str, Any]) -> Answer:
    key, chosen = one.get("key"), one.get("chosen")
    if not isinstance(key, str) or len(key) > 64 or not key.isascii():
        raise Malformed("“key” must be that of a question")
    if chosen not in UNANSWERED and (
        not isinstance(chosen, list) or len(chosen) > _MOST_VALUES
        or any(isinstance(one, list | dict) for one in chosen)
    ):
        raise Malformed(
            f"“chosen” must be a list of at most {_MOST_VALUES} options shown, numbers or places"
        )
    device = one.get("input")
    return Answer(
        id_, key, chosen, *(_time(one, name, _LONGEST) for name in ("rt_ms", "shown_ms", "at_ms")),
        _time(one, "clock_ms", _LATEST), device if device in _INPUTS else "",
    )


def _read_event(id_: str, one: Mapping[str, Any]) -> Event:
    if not _is_text(one.get("what"), _WHAT):
        raise Malformed("“what” must be a word")
    return Event(
        id_, one["what"], _time(one, "at_ms", _LONGEST), _time(one, "clock_ms", _LATEST)
    )


def _time(one: Mapping[str, Any], name: str, most: float) -> float | None:
    time = _number(one.get(name), most)
    if time is None and one.get(name) is not None:
        raise Malformed(f"“{name}” must be milliseconds")
    return time


def _number(value: Any, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= most else None


def _tab(body: Mapping[str, Any]) -> str:
    tab = body.get("tab")
    if not _is_text(tab, _TAB):
        raise Malformed("“tab” must be 16 to 64 letters, digits and hyphens.")
    return tab


def _is_text(value: Any, form: re.Pattern) -> bool:
    """Whether it is a text of this form, without surrogates, which cannot be stored."""
    if not isinstance(value, str) or not form.fullmatch(value):
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def clipped(value: Any) -> str:
    """Anything as a short text that can be stored."""
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except RecursionError:  # reading allows slightly deeper values
        text = "nested too deeply to be written down"
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
