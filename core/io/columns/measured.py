"""Tables of ratings, confusions, piles, arrangements and preferences, by their columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tripletscope.core.io.columns.guess import numbered_columns
from tripletscope.core.io.names import ALIASES, listing, named, normalised
from tripletscope.core.io.table import Table

#: What is a scale and no dissimilarities.
PREFERENCES = "preferences"

_SIMILAR = ("rating", "similarity", "similarityrating", "sim", "relatedness", "ähnlichkeit",
            "bewertung")
_APART = ("dissimilarity", "dissimilarityrating", "dissim", "distance", "difference",
          "unähnlichkeit")
#: Names that say nothing of the direction, and are believed beside two objects alone.
_VALUES = ("response", "value", "score", "judgment", "judgement", "resp")
_PAIRS = (
    ("itema", "itemb"), ("objecta", "objectb"), ("stimulusa", "stimulusb"), ("worda", "wordb"),
    ("first", "second"), ("left", "right"), ("a", "b"), ("i", "j"),
)
_ITEMS = ("item", "object", "stimulus", "card", "word", "image", "itemid", "objekt", "itemname")
_PILES = ("pile", "pileid", "stack", "group", "groupid", "cluster", "category", "bin", "basket",
          "stapel", "gruppe")
_PLACES = (("x", "y"), ("posx", "posy"), ("xpos", "ypos"), ("xposition", "yposition"))
_TRIALS = ("trial", "arrangement", "set", "trialid", "trialnumber", "trialnr")
_STIMULI = ("stimulus", "presented", "shown", "target", "spoken", "input", "true", "reiz")
_RESPONSES = ("response", "responded", "perceived", "reported", "heard", "seen", "answer",
              "predicted", "antwort")
_COUNTS = ("count", "counts", "n", "frequency", "freq", "anzahl")
_PREFERRED = (("winner", "loser"), ("preferred", "rejected"), ("better", "worse"),
              ("preferred", "other"), ("chosen", "unchosen"))
_CHOICES = ("choice", "preferred", "preference", "winner", "chosen")
#: Choices that name no object.
_WORDS = {"left", "right", "tie", "equal", "links", "rechts"}
_TIES = ("tie", "tied", "equal", "draw")


@dataclass(frozen=True)
class Recognised:
    """What a table is, and which column plays which role.

    Attributes
    ----------
    kind : str
    title : str
    roles : dict of str to str
    sentence : str
        Why, as a clause.
    numeric : tuple of str
        Roles of numbers.
    options : dict
        What the names of the columns say beside.
    """

    kind: str
    title: str
    roles: dict[str, str]
    sentence: str
    numeric: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def recognised(table: Table) -> Recognised | None:
    """Which of these kinds a table is of, by the names of its columns; None if of none."""
    if not table.header:
        return None
    who = named(table.columns, ALIASES["participant"])
    beside = {"participant": who} if who else {}
    for look in (_preferences, _ratings, _arrangement, _piles, _confusions):
        found = look(table, beside)
        if found is not None:
            return found
    return None


def _pair(table: Table) -> tuple[str, str] | None:
    """Two columns that name the objects of a pair, and no third."""
    for columns in numbered_columns(table.columns).values():
        if len(columns) == 2 and _share_names(table, *columns):
            return columns[0], columns[1]
    for first, second in _PAIRS:
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
    similar, apart = named(free, _SIMILAR), named(free, _APART)
    value = apart or similar
    if value is None and len(free) <= 2:
        value = named(free, _VALUES)
        # Two values are a choice, and a third object is what they are compared with.
        if value is None or len(table.codes(value).values) < 3:
            return None
    others = set(free) - {value}
    if value is None or any(_share_names(table, pair[0], other) for other in others):
        return None
    if not np.isfinite(table.head(2_000).numbers(value)).mean() > 0.5:
        return None
    direction = "dissimilar" if value == apart else "similar"
    roles = {**beside, "item1": pair[0], "item2": pair[1], "rating": value}
    return Recognised(
        "ratings", f"ratings, large means {direction}", roles,
        f"column {value} rates {pair[0]} beside {pair[1]}", ("rating",), {"direction": direction},
    )


def _arrangement(table: Table, beside: dict[str, str]) -> Recognised | None:
    item = named(table.columns, _ITEMS)
    trial = named(table.columns, _TRIALS)
    places = next((
        pair for pair in ((named(table.columns, (a,)), named(table.columns, (b,)))
                          for a, b in _PLACES) if None not in pair
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
    item, pile = named(free, _ITEMS), named(free, _PILES)
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
    stimulus, response = named(free, _STIMULI), named(free, _RESPONSES)
    if stimulus is None or response is None or len(free) > 4:
        return None
    shown, named_ = (set(table.codes(column).values) for column in (stimulus, response))
    if len(shown) < 3 or not named_ or len(shown & named_) < 0.8 * len(named_):
        return None
    count = named(free, _COUNTS)
    roles = {**beside, "stimulus": stimulus, "response": response}
    if count:
        roles["count"] = count
    return Recognised(
        "confusions", "confusions", roles,
        f"{response} names what {stimulus} was taken for", ("count",) if count else (),
    )


def _preferences(table: Table, beside: dict[str, str]) -> Recognised | None:
    known = {normalised(column) for column in table.columns}
    if known & set(ALIASES["anchor"]):
        return None
    more = {role: column for role, names in (("tie", _TIES), ("count", _COUNTS))
            if (column := named(table.columns, names))}
    for first, second in _PREFERRED:
        winner, loser = named(table.columns, (first,)), named(table.columns, (second,))
        if winner and loser and _share_names(table, winner, loser):
            return Recognised(
                PREFERENCES, "paired preferences",
                {"winner": winner, "loser": loser, **beside, **more},
                f"{winner} was preferred to {loser}",
            )
    pair, choice = _pair(table), named(table.columns, _CHOICES)
    if pair is None or choice is None or choice in pair:
        return None
    options = set().union(*(table.codes(column).values for column in pair))
    told = set(table.codes(choice).values)
    if len(told - options - _WORDS) > 0.5 * len(told):
        return None
    return Recognised(
        PREFERENCES, "paired preferences",
        {"left": pair[0], "right": pair[1], "choice": choice, **beside,
         **({"count": more["count"]} if "count" in more else {})},
        f"{choice} is the preferred one of {pair[0]} and {pair[1]}",
    )
