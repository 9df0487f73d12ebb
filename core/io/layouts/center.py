"""Center, Left, Right, Answer: NEXT, its R-mangled copies, and tripletTools.

NEXT's json_parse.py writes ``Participant ID, Timestamp, Center, Left, Right, Answer, Alg Label``
with names of objects; R turns spaces into dots; tripletTools adds ``sampleAlg`` and ``sampleSet``
and knows older names of the same columns. NEXT's own JSON is nested: per participant a list of
answers, each with ``target_indices``, labelled center, left and right, and ``index_winner`` or
``target_winner``; where that is missing the question was not answered. Its ``q`` is winner, loser,
center.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tripletscope.core.io.columns.guess import side_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import listing, named
from tripletscope.core.io.table import Table

_NAMES = {
    "anchor": ("center", "centre", "targetcenter", "target"),
    "left": ("left", "targetleft", "option1"),
    "right": ("right", "targetright", "option2"),
    "choice": ("answer", "targetwinner", "winner", "primary"),
}


def _propose(table: Table) -> list[Reading]:
    roles = {
        role: column for role, names in _NAMES.items() if (column := named(table.columns, names))
    }
    if len(roles) < len(_NAMES):
        return []
    more, reasons = side_roles(table, roles)
    return [
        Reading(
            "center", LAYOUT.title, roles | more,
            reasons=(
                f"Columns {listing(list(roles.values()))} are those of NEXT and tripletTools.",
                *reasons,
            ),
        )
    ]


def _unpack(document: Any) -> Sequence[Mapping[str, Any]] | None:
    """One record per answer from NEXT's JSON, of versions 1 and 2."""
    if isinstance(document, dict) and isinstance(document.get("participant_responses"), dict):
        document = [
            answer for answers in document["participant_responses"].values() for answer in answers
        ]
    if not isinstance(document, list) or not document or "target_indices" not in document[0]:
        return None
    return [_record(answer) for answer in document]


def _record(answer: Mapping[str, Any]) -> dict[str, Any]:
    shown = {target["label"]: target for target in answer["target_indices"]}
    objects = {label: _name(target) for label, target in shown.items()}
    winner = answer.get("index_winner", answer.get("target_winner"))
    names = {
        str(key): objects[label] for label, target in shown.items()
        for key in (target.get("index"), target.get("target_id"), _id(target)) if key is not None
    }
    chosen = None if winner is None else names.get(str(winner), winner)
    order = answer.get("q")
    known = {label: target.get("index") for label, target in shown.items()}
    if chosen is not None and order and None not in known.values() and (
        order[0] != winner or order[-1] != known.get("center")
    ):
        chosen = None  # two records of one answer that contradict each other
    plain = {
        key: value for key, value in answer.items()
        if key not in ("target_indices", "q", "index_winner", "target_winner", "_id")
    }
    return {
        "target_center": objects.get("center"), "target_left": objects.get("left"),
        "target_right": objects.get("right"), "target_winner": chosen, **plain,
    }


def _id(target: Mapping[str, Any]) -> Any:
    inner = target.get("target")
    return inner.get("target_id") if isinstance(inner, dict) else None


def _name(target: Mapping[str, Any]) -> Any:
    inner = target.get("target")
    described = inner if isinstance(inner, dict) else target
    return described.get("primary_description") or described.get("target_id", target.get("index"))


LAYOUT = Layout("center", "Center, Left, Right, Answer (NEXT, tripletTools)", 20, _propose,
                unpack=_unpack)
