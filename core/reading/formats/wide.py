"""Ratings of pairs with a column for each pair, such as ``cat_dog``, and a row for each person."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tripletscope.core.reading.columns.object_columns import is_called_response
from tripletscope.core.reading.columns.pair_columns import is_beside, meaning_of, says_value
from tripletscope.core.reading.names import (
    ALIASES,
    common_start,
    counted,
    listing,
    named,
    normalised,
)
from tripletscope.core.reading.table import Table, encoded

#: Between the two objects of a name.
_SIGNS = (" - ", " vs. ", " vs ", " and ", " x ", " / ", "--", "__", "..", *"_-./|:;, ")
#: Fewest objects, and share of their pairs that must have a column: of few by chance, all.
_FEWEST, _COVERED, _FEW = 4, 0.8, 6
#: A name with the number of a trial: before its field, or behind it.
_NUMBERED = re.compile(r"(\D*?)(\d+)(\D*)")
#: Fields that trials have at least.
_TRIAL_OF = ("object", "object", "response")
#: The name that rows have as a column.
_ROW = "number of the row"
#: Rows that are looked at, and share of their cells that must be numbers.
_ROWS, _NUMBERS = 200, 0.9


def pairs_of_rows(table: Table) -> Table | None:
    """A row for each person and pair, if columns are about all pairs of some objects."""
    if not table.header or len(table.columns) < _FEWEST * (_FEWEST - 1) / 2:
        return None
    found = _pairs_in(table.columns)
    if found is None:
        return None
    pairs, value = found
    sample = table.head(_ROWS)
    for name in pairs:
        written = sample.codes(name).codes >= 0
        if np.isfinite(sample.numbers(name)).sum() < _NUMBERS * written.sum():
            return None
    first, second = zip(*pairs.values(), strict=True)
    objects = counted(len({*first, *second}), "object")
    return melted(
        table, [*pairs], {"item1": first, "item2": second}, value,
        f"{counted(len(pairs), 'pair')} of {objects}", "about no pair",
    )


def melted(
    table: Table, columns: Sequence[str], about: Mapping[str, Sequence[str]], value: str,
    what: str, rest: str, *notes: str,
) -> Table:
    """A row for each person and column, of a table with a row for each person.

    about: What the columns are about, by the names of new columns.
    what, rest: These columns, and the others, in words.
    """
    others = [name for name in table.columns if name not in columns]
    who, n = named(others, ALIASES["participant"]), table.n_rows
    who = who or next((name for name in others if normalised(name).endswith("id")
                       and len(table.codes(name).values) == n), None)
    if who is None and n > 1:  # nothing else says whose row it is
        rows = encoded(f"row {row}" for row in table.row_numbers(np.arange(n)).tolist())
        who, table = _ROW, table.with_columns({_ROW: rows})
    left = [name for name in others if name != who]
    return table.melted(columns, {"participant": who} if who else {}, about, value, [
        f"A column for each of {what}, a row for each person.",
        *[f"Columns that are {rest}: {listing(left, 12)}."] * bool(left), *notes,
    ])


def trials_of_rows(table: Table) -> Table | None:
    """A row for each person and trial, if columns are numbered by trial, as ``t3_anchor``."""
    if not table.header or len(table.columns) < _FEWEST * len(_TRIAL_OF):
        return None
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for column in table.columns:
        parts = _NUMBERED.fullmatch(column)
        if parts:
            found[f"{parts[1]}{parts[3]}"][int(parts[2])] = column
    often = Counter(tuple(own) for own in found.values() if len(own) >= _FEWEST)
    if not often:
        return None
    numbers, often_so = often.most_common(1)[0]
    if often_so < len(_TRIAL_OF):
        return None
    called = {name: [*own.values()] for name, own in found.items() if tuple(own) == numbers}
    start = len(_common([*called], "_. -"))
    fields = {name[start:].strip("_. -") or name: own for name, own in called.items()}
    if not any(map(is_called_response, fields)):  # scales of a questionnaire are numbered, too
        return None
    return table.stacked(
        fields, {"trial": [str(number) for number in numbers]},
        [f"Columns of {counted(len(numbers), 'trial')}, a row for each person."],
    )


def _pairs_in(columns: Sequence[str]) -> tuple[dict[str, tuple[str, str]], str] | None:
    """The two objects of each column about a pair, and what the value is called."""
    for sign in _SIGNS:
        able = [name for name in columns if sign in name and not is_beside(name)]
        for before in dict.fromkeys((_common(able, [sign]), "")):
            for after in dict.fromkeys((_common([name[::-1] for name in able], [sign[::-1]])[::-1],
                                        "")):
                inner = {name: name[len(before): len(name) - len(after)] for name in able}
                pairs = _split({name: text for name, text in inner.items() if sign in text}, sign)
                if _are_all(pairs.values()):
                    words = re.sub(r"[\W_]+", " ", f"{before} {after}").strip()
                    says = meaning_of(words) or says_value(words)
                    return pairs, words if says else "rating"
    return None


def _common(names: Sequence[str], signs: Sequence[str]) -> str:
    """What several names begin with, up to the last of some signs."""
    start = common_start(names) if len(names) > 1 else ""
    ends = [start.rfind(sign) + len(sign) for sign in signs if sign in start]
    return start[: max(ends, default=0)]


def _split(names: dict[str, str], sign: str) -> dict[str, tuple[str, str]]:
    """Each name in two objects that others have, too; without names that have none."""
    tried = {
        name: [(sign.join(parts[:k]).strip(), sign.join(parts[k:]).strip())
               for k in range(1, len(parts))]
        for name, text in names.items() for parts in [text.split(sign)]
    }
    often = Counter(one for splits in tried.values() for pair in splits for one in {*pair})
    pairs = {
        name: max(splits, key=lambda pair: min(often[one] for one in pair))
        for name, splits in tried.items()
    }
    while True:  # what is left out may have been all that named another
        often = Counter(one for pair in pairs.values() for one in {*pair})
        kept = {name: pair for name, pair in pairs.items()
                if all(pair) and min(often[one] for one in pair) > 1}
        if len(kept) == len(pairs):
            return kept
        pairs = kept


def _are_all(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether these are nearly all pairs of some objects, in one order or in both."""
    different = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    n = len(frozenset().union(*different))
    every = n * (n - 1) / 2
    return n >= _FEWEST and len(different) >= (every if n < _FEW else _COVERED * every)
