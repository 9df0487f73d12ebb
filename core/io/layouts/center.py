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

from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import listing
from tripletscope.core.io.table import Table

#: What is told by the targets.
_INSIDE = ("target_indices", "q", "index_winner", "target_winner", "_id")


def _propose(table: Table) -> list[Reading]:
    roles = LAYOUT.columns(table)
    if len(roles) < 4:
        return []
    return [LAYOUT.reading(
        table, roles,
        f"Columns {listing(list(roles.values()))} are those of NEXT and tripletTools.",
    )]


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
    numbers = {label: target.get("index") for label, target in shown.items()}
    if chosen is not None and order and None not in numbers.values() and (
        order[0] != winner or order[-1] != numbers.get("center")
    ):
        chosen = None  # two records of one answer that contradict each other
    return {
        **{f"target_{label}": objects.get(label) for label in ("center", "left", "right")},
        "target_winner": chosen,
        **{key: value for key, value in answer.items() if key not in _INSIDE},
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
