"""Answers that were counted: how many people said one, and how many the other.

The material sets (Lagunas et al. 2019) give ``answers``, anchor and two options, beside
``agreement``, the votes for each of the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tripletscope.core.io.columns.guess import option_roles, side_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, named
from tripletscope.core.io.table import Table

_FIRST = ("leftvotes", "votesleft", "votesfirst", "firstvotes", "nfirst", "nleft", "votes1", "n1")
_SECOND = (
    "rightvotes", "votesright", "votessecond", "secondvotes", "nsecond", "nright", "votes2", "n2",
)
_ALL = ("allvotes", "ntotal", "total", "votes", "n", "ntot", "trials")


def _propose(table: Table) -> list[Reading]:
    if not table.header:
        return []
    first, second = named(table.columns, _FIRST), named(table.columns, _SECOND)
    whole = named(table.columns, _ALL)
    free = [column for column in table.columns if column not in (first, second, whole)]
    roles = {
        role: column for role in ("anchor", "left", "right")
        if (column := named(free, (*ALIASES[role], {"left": "first", "right": "second"}.get(role))))
    }
    if len(roles) < 3:
        named_so, _ = option_roles(table)
        roles = {role: named_so[role] for role in ("anchor", "left", "right") if role in named_so}
    if first is None or (second or whole) is None or len(roles) < 3:
        return []
    votes = {"left_votes": first} | ({"right_votes": second} if second else {"all_votes": whole})
    more, reasons = side_roles(table, roles | votes)
    more.pop("weight", None)
    return [Reading(
        "counts", LAYOUT.title, roles | votes | more,
        reasons=("Each row counts how many participants gave each response.", *reasons),
    )]


def _unpack(document: Any) -> Sequence[Mapping[str, Any]] | None:
    if not isinstance(document, dict) or not {"answers", "agreement"} <= set(document):
        return None
    pairs = zip(document["answers"], document["agreement"], strict=True)
    return [
        {"anchor": a, "first": b, "second": c, "votes_first": n, "votes_second": m}
        for (a, b, c), (n, m) in pairs
    ]


LAYOUT = Layout("counts", "Aggregated counts", 22, _propose, unpack=_unpack)
