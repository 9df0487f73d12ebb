"""Spatial arrangements: places of objects, long, wide (napping), or in lists (jsPsych)."""

from __future__ import annotations

import json
import re

from tripletscope.core.reading.columns.pair_columns import NAMES, participant_of
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.kinds import CERTAIN, Claim, Kind, Sign
from tripletscope.core.reading.names import named, normalised

_WIDE = re.compile(r"(?P<before>.*?)[\W_]*(?P<side>(?<![^\W\d_])[xy])[\W_]*(?P<after>.*)", re.I)
#: Cells that are looked at.
_LOOKED_AT = 50


def _evidence(columns: Columns) -> list[Claim]:
    lists = _lists(columns)
    return lists or ([*_long(columns), *_wide(columns)] if columns.table.header else [])


def _long(columns: Columns) -> list[Claim]:
    beside = participant_of(columns)
    item, trial = named(columns.names, NAMES["items"]), named(columns.names, NAMES["trials"])
    places = next((
        pair for pair in ((named(columns.names, (a,)), named(columns.names, (b,)))
                          for a, b in NAMES["places"]) if None not in pair
    ), None)
    # Without people or trials these are the coordinates of a map.
    if item is None or places is None or not (beside or trial) or item in places or not all(
        columns[one].is_numeric for one in places
    ) or columns[item].is_measure:
        return []
    roles = {**beside, **({"trial": trial} if trial else {}), "item": item,
             "x": places[0], "y": places[1]}
    sign = Sign("places", {"x": places[0], "y": places[1], "item": item})
    return [Claim("arrangements", "spatial arrangements", CERTAIN, (sign,), roles)]


def _wide(columns: Columns) -> list[Claim]:
    """Columns X1, Y1, X2, Y2 ... of people beside one that names the objects."""
    sides: dict[str, dict[str, str]] = {}
    for name in columns.names:
        found = _WIDE.fullmatch(name)
        if found and columns[name].is_numeric:
            person = (found["before"] or "") + (found["after"] or "")
            sides.setdefault(normalised(person), {})[found["side"].casefold()] = name
    people = {person: both for person, both in sides.items() if person and len(both) == 2}
    taken = {name for both in people.values() for name in both.values()}
    item = next((one for one in columns.but(*taken) if columns.named_by(one)), None)
    if len(people) < 2 or item is None or 2 * len(taken) < len(columns.names):
        return []
    roles = {f"{side}[{person}]": name for person, both in people.items()
             for side, name in both.items()}
    first = next(iter(people.values()))
    sign = Sign("places_wide", {"number": len(people), **first, "item": item.name})
    return [Claim("arrangements", "spatial arrangements", CERTAIN, (sign,),
                     {"item": item.name, **roles})]


def _lists(columns: Columns) -> list[Claim]:
    """A column whose cells list objects with x and y."""
    for column in columns:
        cells = [text for text in column.values if text.startswith("[{")][:_LOOKED_AT]
        if not cells or not all(len(placed(cell)) > 2 for cell in cells) or (
            len(column.values) > len(cells) + _LOOKED_AT
        ):
            continue
        if normalised(column.name).startswith("init"):
            continue
        sign = Sign("places_cell", {"cell": column.name})
        return [Claim("arrangements", "spatial arrangements", CERTAIN, (sign,),
                         {**participant_of(columns), "places": column.name})]
    return []


def placed(cell: str) -> list[tuple[str, float, float]]:
    """Objects and places of a list as jsPsych writes it; none of anything else."""
    try:
        listed = json.loads(cell)
        return [
            (next(value for value in one.values() if isinstance(value, str)), float(one["x"]),
             float(one["y"])) for one in listed
        ]
    except (ValueError, TypeError, KeyError, StopIteration, RecursionError):
        return []


ARRANGEMENTS = Kind(
    "arrangements", "spatial arrangements", 46, _evidence, "tripletscope.ratings.read_measured"
)
