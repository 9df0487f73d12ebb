"""Requests of participants' pages, read with distrust: plain values in narrow bounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.errors import DataError
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


class NotUnderstood(Exception):
    """A malformed request.

    page: Text that the participant reads; empty for that of every failure.
    """

    def __init__(self, why: str, page: str = "") -> None:
        super().__init__(why)
        self.page = page


class NotSo(Exception):
    """One answer or event is refused; `given` is its value, as text."""

    def __init__(self, why: str, id: str | None, given: str) -> None:
        super().__init__(why)
        self.id = id
        self.given = given


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
    """One answer as a page sends it; the times are in milliseconds."""

    id: str
    key: str
    chosen: Any
    rt_ms: float | None
    shown_ms: float | None
    at_ms: float | None
    clock_ms: float | None
    input: str

    def not_so(self, why: str) -> NotSo:
        """A refusal of it."""
        return NotSo(why, self.id, clipped([self.key, self.chosen]))


@dataclass(frozen=True)
class Event:
    """An event other than an answer; the times are in milliseconds."""

    id: str
    what: str
    at_ms: float | None
    clock_ms: float | None

    def not_so(self, why: str) -> NotSo:
        """A refusal of it."""
        return NotSo(why, self.id, self.what)


def read_body(content: bytes) -> Mapping[str, Any]:
    """The fields of a request."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise NotUnderstood("The request is not JSON.") from None
    if not isinstance(found, dict):
        raise NotUnderstood("The request is no JSON object.")
    return found


def read_beginning(body: Mapping[str, Any]) -> Beginning:
    """Person, browser and tab."""
    person, token = body.get("person"), body.get("token")
    if not _is_text(person, _ANY):
        raise NotUnderstood("“person” must be text.")
    try:
        person = participant_id(person)
    except DataError as error:
        raise NotUnderstood(str(error), "wrong_id") from None
    parameters, device = body.get("parameters", {}), body.get("device", {})
    preview = body.get("preview")
    if not isinstance(parameters, dict) or not isinstance(device, dict):
        raise NotUnderstood("“parameters” and “device” must be objects.")
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
        raise NotUnderstood("“token” must be that which the server gave.")
    return token, _tab(body)


def read_held(body: Mapping[str, Any]) -> list[str]:
    """Keys of the questions that a page holds."""
    have = body.get("have", [])
    return [key for key in have if isinstance(key, str)][:_MOST] if isinstance(have, list) else []


def read_answers(body: Mapping[str, Any]) -> list[Answer | NotSo]:
    """The answers of a request, or their refusals."""
    return _read(body, "answers", _read_answer)


def read_events(body: Mapping[str, Any]) -> list[Event | NotSo]:
    """The events of a request, or their refusals."""
    return _read(body, "events", _read_event)


def _read(body: Mapping[str, Any], name: str, read: Callable) -> list[Any]:
    given = body.get(name)
    if not isinstance(given, list) or len(given) > _MOST:
        raise NotUnderstood(f"“{name}” must be a list of at most {_MOST}.")
    found = []
    for one in given:
        id_ = one.get("id") if isinstance(one, dict) else None
        try:
            if not _is_text(id_, _ID):
                raise NotUnderstood("“id” must be 8 to 64 letters, digits and hyphens")
            found.append(read(id_, one))
        except NotUnderstood as error:
            known = id_ if _is_text(id_, _ID) else None
            found.append(NotSo(str(error), known, clipped(one)))
    return found


def _read_answer(id_: str, one: Mapping[str, Any]) -> Answer:
    key, chosen = one.get("key"), one.get("chosen")
    if not isinstance(key, str) or len(key) > 64 or not key.isascii():
        raise NotUnderstood("“key” must be that of a question")
    if not isinstance(chosen, list) or len(chosen) > _MOST_VALUES or any(
        isinstance(one, list | dict) for one in chosen
    ):
        raise NotUnderstood(
            f"“chosen” must be a list of at most {_MOST_VALUES} options shown, numbers or places"
        )
    given = one.get("input")
    return Answer(
        id_, key, chosen, *(_time(one, name, _LONGEST) for name in ("rt_ms", "shown_ms", "at_ms")),
        _time(one, "clock_ms", _LATEST), given if given in _INPUTS else "",
    )


def _read_event(id_: str, one: Mapping[str, Any]) -> Event:
    if not _is_text(one.get("what"), _WHAT):
        raise NotUnderstood("“what” must be a word")
    return Event(
        id_, one["what"], _time(one, "at_ms", _LONGEST), _time(one, "clock_ms", _LATEST)
    )


def _time(one: Mapping[str, Any], name: str, most: float) -> float | None:
    given = one.get(name)
    found = _number(given, most)
    if found is None and given is not None:
        raise NotUnderstood(f"“{name}” must be milliseconds")
    return found


def _number(given: Any, most: float) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if 0 <= given <= most and math.isfinite(given) else None


def _tab(body: Mapping[str, Any]) -> str:
    tab = body.get("tab")
    if not _is_text(tab, _TAB):
        raise NotUnderstood("“tab” must be 16 to 64 letters, digits and hyphens.")
    return tab


def _is_text(given: Any, form: re.Pattern) -> bool:
    """Whether it is a text of this form, without surrogates, which cannot be stored."""
    if not isinstance(given, str) or not form.fullmatch(given):
        return False
    return not any("\ud800" <= character <= "\udfff" for character in given)


def clipped(given: Any) -> str:
    """Anything as a short text that can be stored."""
    try:
        text = given if isinstance(given, str) else json.dumps(given)
    except RecursionError:  # reading allows slightly deeper values
        text = "nested too deeply to be written down"
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
