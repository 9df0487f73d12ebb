"""Checks of ``about.json`` and ``run.json``: others may have written or changed them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tripletscope.dashboard.files.contents import Unsound, content_of, entry_in, json_of
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.files.storage import reading
from tripletscope.dashboard.store.change import TABLES, files_of
from tripletscope.dashboard.store.dataset import (
    AFTER_EXCLUSIONS,
    ALL_ANSWERS,
    MEASURED,
    DatasetInfo,
    ExclusionLog,
    RunInfo,
)

#: A later version of the program may raise it. A folder without a number has the first.
FORMAT = 1
#: Under which names a data set notes what people call dimensions, by the key of a fit, and the
#: method of the map that somebody has chosen.
NAMES_KEPT, MAP_CHOSEN = "dimension names", "map"
#: The analysis plan that it follows, when the first answer of its experiment was given, and when
#: the data were first there, wherever they have been since.
PLAN, FIRST_ANSWER, UPLOADED = "plan", "first answer", "uploaded"
#: Task and source of the questions of its experiment, skipping and time limit; and how many people
#: took part, and what they went through.
DESIGN, COLLECTED = "design", "collected"
#: Plans that it followed before, and numbers of answers of which planned tests were computed.
FORMER_PLANS, LOOKED_AT = "former plans", "looked at"
#: Kinds of the notes of pages on a data set; lists hold texts, but for that of the design.
NOTED = {
    "asked": str, "columns": list, "features": list, "reading": dict, "report": dict,
    NAMES_KEPT: dict, MAP_CHOSEN: dict, PLAN: dict, FIRST_ANSWER: str,
    UPLOADED: str, FORMER_PLANS: list, LOOKED_AT: list, DESIGN: list,
    COLLECTED: dict,
}

#: The kinds of their values.
_STEP = {
    "rule": str, "parameters": dict, "participants": list, "answers": list, "reason": str,
    "removed_answers": int, "removed_participants": list,
}
_TABLE = {
    "name": str, "file": str, "origin": str, "about": str, "notes": list, "settings": dict,
    "named": bool,
}
_KEPT = {
    "name": str, "number": int, "state": str | None, "renewals": int, "file": str, "sum": str,
    "run": dict,
}
#: Entries that earlier versions did not write, and their defaults.
_LATER = {"unasked": False, "group": "", "pinned": False, "also": []}
#: The fields of a `Run`, without its arrays.
_RUN = {
    "key": str, "task": str, "kind": str, "method": str, "parameters": dict, "options": dict,
    "data": str, "version": str, "created": str, "seconds": int | float, "complete": bool,
    "numbers": dict,
}
_PLACE = re.compile(r"((pictures|features)/)?\w[^/\\:\0]*")
_ARRAYS = re.compile(r"arrays(-\d+)?\.npz")


def read_about(path: Path, content: bytes | None = None) -> dict[str, Any]:
    """Content of a data set's ``about.json``; `DamagedFile` if it is not sound."""
    return _read(path, content, _unsound)


def read_run(path: Path, content: bytes | None = None) -> dict[str, Any]:
    """Content of a result's ``run.json``; `DamagedFile` if it is not sound."""
    return _read(path, content, _unsound_run)


def new_about(**values: Any) -> dict[str, Any]:
    return {
        "format": FORMAT, "name": "", "origin": "", "created": "", "report": [],
        "fingerprint": "", "imported": "", "n_objects": 0, "n_answers": 0, "n_participants": 0,
        "n_pairs": 0, "exclusions": [], "gold": None, "files": {}, "pictures": {}, "extra": {},
        "renewals": 0, "sums": {}, **values,
    }


_ABOUT = {name: type(value) for name, value in new_about().items()} | {"gold": str | None}


def info_of(name: str, about: Mapping[str, Any], opened: str | None) -> DatasetInfo:
    values = {
        field: about[field] for field in DatasetInfo.__annotations__ if field in about
    }
    for part in ("catch_trials", "pairs"):
        values[part] = about["sums"].get(about["files"].get(part))
    values["pictures"] = {  # unique, whatever files are renamed
        picture: f"{name}/{about['sums'][place]}/{place.partition('/')[2]}"
        for picture, place in about["pictures"].items()
    }
    values["view"], values["views"] = views_of(about)
    values["extra"] = {
        note: value for note, value in about["extra"].items() if note not in NOTED or (
            isinstance(value, NOTED[note])
            and (not isinstance(value, list) or note == DESIGN
                 or all(isinstance(one, str) for one in value))
            and (note not in (FIRST_ANSWER, UPLOADED) or _is_moment(value, in_zone=True))
        )
    }
    return DatasetInfo(**{**values, "id": name, "opened": opened or about["created"]})


def views_of(about: Mapping[str, Any]) -> tuple[str, dict[str, ExclusionLog]]:
    """Name of the view in use, and the exclusions of each: earlier folders name none."""
    view = about.get("view", AFTER_EXCLUSIONS) if about["exclusions"] else ALL_ANSWERS
    views = {ALL_ANSWERS: [], **about.get("views", {})}
    return view, {**views, view: about["exclusions"]}


def run_info_of(dataset: str | None, key: str, said: Mapping[str, Any]) -> RunInfo:
    run = said["run"]
    return RunInfo(
        f"{dataset or ''}/{key}", dataset, key, said["name"], run["task"], run["complete"],
        run["created"], run, said["number"], said["state"], said["renewals"],
        *(said.get(name, default) for name, default in _LATER.items()),
    )


def _read(
    path: Path, content: bytes | None, unsound: Callable[[Mapping[str, Any]], str]
) -> dict[str, Any]:
    with reading(path):
        content = content_of(path) if content is None else content
        said = json_of(content)
        if not isinstance(said, dict):
            raise Unsound(entry_in(content, "format"))
        said = {"format": 1, **said}
        if type(said["format"]) is not int or said["format"] < 1:
            raise Unsound(entry_in(content, "format"))
        if said["format"] > FORMAT:
            raise WorkspaceError(
                f"{path.parent.name} was made by a newer version of TripletScope and is not shown. "
                "Update the program."
            )
        json.dumps(said, ensure_ascii=False).encode()  # no surrogates
        wrong = unsound(said)
        if wrong:
            raise Unsound(entry_in(content, wrong))
    return said


def _unsound(about: Mapping[str, Any]) -> str:
    """The first entry of ``about.json`` that is not as it should be."""
    return _not_of(about, _ABOUT) or next(
        (name for name, is_sound in _ENTRIES.items() if not is_sound(about)), ""
    )


def _are_tables(tables: Any) -> bool:
    return isinstance(tables, list) and all(
        _are_of(table, _TABLE) and set(table) == set(_TABLE)
        and all(isinstance(note, str) for note in table["notes"]) for table in tables
    )


def _is_extra(extra: Mapping[str, Any]) -> bool:
    measured = extra.get(MEASURED)
    return _are_tables(extra.get(TABLES, [])) and (
        measured is None or _are_of(measured, {"kind": str, "options": dict})
    )


def _are_steps(steps: Any) -> bool:
    return isinstance(steps, list) and all(_are_of(step, _STEP) for step in steps)


def _are_views(about: Mapping[str, Any]) -> bool:
    views = about.get("views", {})
    return (
        isinstance(views, dict) and ALL_ANSWERS not in views
        and all(map(_are_steps, views.values()))
    )


def _are_files(about: Mapping[str, Any]) -> bool:
    return {"answers", "objects"} <= set(about["files"]) and all(
        isinstance(place, str) and _PLACE.fullmatch(place) for place in files_of(about)
    )


def _are_sums(about: Mapping[str, Any]) -> bool:
    return set(about["sums"]) == files_of(about) and all(
        isinstance(total, str) for total in about["sums"].values()
    )


#: What entries of ``about.json`` have to be beside their kinds, in an order in which each may ask
#: for those before.
_ENTRIES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "created": lambda about: _is_moment(about["created"]),
    "extra": lambda about: _is_extra(about["extra"]),
    "report": lambda about: all(isinstance(line, str) for line in about["report"]),
    "exclusions": lambda about: _are_steps(about["exclusions"]),
    "view": lambda about: isinstance(about.get("view", ""), str)
    and about.get("view") != ALL_ANSWERS,
    "views": _are_views,
    "pictures": lambda about: all(
        isinstance(place, str) and place.startswith("pictures/")
        for place in about["pictures"].values()
    ),
    "files": _are_files,
    "sums": _are_sums,
}


def _unsound_run(said: Mapping[str, Any]) -> str:
    """The first entry of ``run.json`` that is not as it should be."""
    wrong = _not_of(said, _KEPT) or _not_of(said["run"], _RUN) or next(
        (name for name, value in _LATER.items()
         if not isinstance(said.get(name, value), type(value))), ""
    ) or next(iter(sorted(set(said["run"]) - set(_RUN))), "") or (
        "" if all(isinstance(state, str) for state in said.get("also", [])) else "also"
    )
    if wrong or not _is_moment(said["run"]["created"]):
        return wrong or "created"
    return "" if _ARRAYS.fullmatch(said["file"]) else "file"


def _is_moment(text: str, *, in_zone: bool = False) -> bool:
    try:
        moment = datetime.fromisoformat(text)
        return bool(moment.astimezone(UTC)) and (moment.tzinfo is not None or not in_zone)
    except (ValueError, OverflowError):
        return False


def _are_of(values: Any, kinds: Mapping[str, Any]) -> bool:
    return isinstance(values, dict) and not _not_of(values, kinds)


def _not_of(values: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    """The first value that is missing or of another kind."""
    return next((
        name for name, kind in kinds.items()
        if name not in values or not isinstance(values[name], kind)
    ), "")
