"""Tables of ratings, confusions, piles, arrangements and preferences, by their columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tripletscope.core.io.columns.guess import numbered_columns
from tripletscope.core.io.languages import WORDS
from tripletscope.core.io.names import ALIASES, listing, named, normalised
from tripletscope.core.io.table import Table

#: What is a scale and no dissimilarities.
PREFERENCES = "preferences"

_NAMES = WORDS["measured"]


@dataclass(frozen=True)
class Recognised:
    """What a table is, and which column plays which role."""

    kind: str
    title: str
    roles: dict[str, str]
    sentence: str  # why, as a clause
    numeric: tuple[str, ...] = ()  # roles of numbers
    #: What the names of the columns say beside.
    options: dict[str, Any] = field(default_factory=dict)


def recognised(table: Table) -> Recognised | None:
    """Which of these kinds a table is of, by the names of its columns; None if of none."""
    if not table.header:
        return None
    who = named(table.columns, ALIASES["participant"])
    beside = {"participant": who} if who else {}
    for look in (_preferences, _ratings, _arrangement, _piles, _confusions):
        result = look(table, beside)
        if result is not None:
            return result
    return None


def _pair(table: Table) -> tuple[str, str] | None:
    """Two columns that name the objects of a pair, and no third."""
    for columns in numbered_columns(table.columns).values():
        if len(columns) == 2 and _share_names(table, *columns):
            return columns[0], columns[1]
    for first, second in _NAMES["pairs"]:
        pair = named(table.columns, (first,)), named(table.columns, (second,))
        if None not in pair and _share_names(table, *pair):
            return pair
    return None


def _share_names(table: Table, first: str, second: str) -> bool:
    """Whether two columns are about the same objects."""
    one, other = (set(table.codes(column).values) for column in (first, second))
    return len(one | other) > 2 and 2 * len(one & other) >= min(len(one), len(other)) - 2


def _ratings(table: Table, beside: dict[str, str]) -> Recognised | None:
    pair = _pair(table)
    if pair is None:
        return None
    free = [column for column in table.columns if column not in (*pair, *beside.values())]
    similar, dissimilar = named(free, _NAMES["similar"]), named(free, _NAMES["dissimilar"])
    value = dissimilar or similar
    if value is None and len(free) <= 2:
        value = named(free, _NAMES["values"])
        # Two values are a choice, and a third object is what they are compared with.
        if value is None or len(table.codes(value).values) < 3:
            return None
    others = set(free) - {value}
    if value is None or any(_share_names(table, pair[0], other) for other in others):
        return None
    if not np.isfinite(table.head(2_000).numbers(value)).mean() > 0.5:
        return None
    direction = "dissimilar" if value == dissimilar else "similar"
    roles = {**beside, "item1": pair[0], "item2": pair[1], "rating": value}
    return Recognised(
        "ratings", f"ratings, large means {direction}", roles,
        f"column {value} rates {pair[0]} beside {pair[1]}", ("rating",), {"direction": direction},
    )


def _arrangement(table: Table, beside: dict[str, str]) -> Recognised | None:
    item = named(table.columns, _NAMES["items"])
    trial = named(table.columns, _NAMES["trials"])
    places = next((
        pair for pair in ((named(table.columns, (a,)), named(table.columns, (b,)))
                          for a, b in _NAMES["places"]) if None not in pair
    ), None)
    # Without people or trials these are the coordinates of a map.
    if item is None or places is None or not (beside or trial):
        return None
    roles = {**beside, **({"trial": trial} if trial else {}), "item": item,
             "x": places[0], "y": places[1]}
    return Recognised(
        "arrangements", "spatial arrangements", roles,
        f"columns {listing(list(places))} are where {item} was placed", ("x", "y"),
    )


def _piles(table: Table, beside: dict[str, str]) -> Recognised | None:
    free = [column for column in table.columns if column not in beside.values()]
    item, pile = named(free, _NAMES["items"]), named(free, _NAMES["piles"])
    if not beside or item is None or pile is None or len(free) > 4:
        return None
    # A pile holds several objects, and a person has each object about once.
    items, piles = (len(table.codes(column).values) for column in (item, pile))
    people = len(table.codes(beside["participant"]).values)
    if not items > 2 or table.n_rows > 4 * items * people or piles >= table.n_rows:
        return None
    return Recognised(
        "piles", "sorting into piles", {**beside, "item": item, "pile": pile},
        f"column {pile} is the pile into which {item} was put",
    )


def _confusions(table: Table, beside: dict[str, str]) -> Recognised | None:
    free = [column for column in table.columns if column not in beside.values()]
    stimulus, response = named(free, _NAMES["stimuli"]), named(free, _NAMES["responses"])
    if stimulus is None or response is None or len(free) > 4:
        return None
    shown, named_ = (set(table.codes(column).values) for column in (stimulus, response))
    if len(shown) < 3 or not named_ or len(shown & named_) < 0.8 * len(named_):
        return None
    count = named(free, _NAMES["counts"])
    roles = {**beside, "stimulus": stimulus, "response": response}
    if count:
        roles["count"] = count
    return Recognised(
        "confusions", "confusions", roles,
        f"{response} names what {stimulus} was taken for", ("count",) if count else (),
    )


def _preferences(table: Table, beside: dict[str, str]) -> Recognised | None:
    usual = {normalised(column) for column in table.columns}
    if usual & set(ALIASES["anchor"]):
        return None
    more = {role: column for role, names in (("tie", _NAMES["ties"]), ("count", _NAMES["counts"]))
            if (column := named(table.columns, names))}
    for first, second in _NAMES["preferred"]:
        winner, loser = named(table.columns, (first,)), named(table.columns, (second,))
        if winner and loser and _share_names(table, winner, loser):
            return Recognised(
                PREFERENCES, "paired preferences",
                {"winner": winner, "loser": loser, **beside, **more},
                f"{winner} was preferred to {loser}",
            )
    pair, choice = _pair(table), named(table.columns, _NAMES["choices"])
    if pair is None or choice is None or choice in pair:
        return None
    options = set().union(*(table.codes(column).values for column in pair))
    told = set(table.codes(choice).values)
    if len(told - options - set(_NAMES["words"])) > 0.5 * len(told):
        return None
    return Recognised(
        PREFERENCES, "paired preferences",
        {"left": pair[0], "right": pair[1], "choice": choice, **beside,
         **({"count": more["count"]} if "count" in more else {})},
        f"{choice} is the preferred one of {pair[0]} and {pair[1]}",
    )
