"""Tables with a column for each pair, trial or person, made into a row for each answer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from tripletscope.core.reading.columns.guess import anchored_roles, numbered_columns
from tripletscope.core.reading.columns.object_columns import is_called_response
from tripletscope.core.reading.columns.pair_columns import is_beside, meaning_of, says_value
from tripletscope.core.reading.columns.values import ColumnCells, Columns, differ, names_one_of
from tripletscope.core.reading.names import (
    ALIASES,
    common_start,
    counted,
    is_usual_name,
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
ROW = "number of the row"
#: Rows that are looked at, and share of their cells that must be numbers; rows about which columns
#: of people are recognised.
_ROWS, _NUMBERS, _SAMPLE = 200, 0.9, 2_000
#: Fewest columns of people; share of the rows in which three objects differ, of the answers that
#: are options of their row, and of two people's that are the same, or beyond chance if codes.
_PEOPLE, _DIFFER, _OPTIONS, _ALIKE, _BEYOND = 3, 0.95, 0.98, 0.25, 0.1


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
        who, table = ROW, with_row_numbers(table)
    left = [name for name in others if name != who]
    return table.melted(columns, {"participant": who} if who else {}, about, value, [
        f"A column for each of {what}, a row for each person.",
        *[f"Columns that are {rest}: {listing(left, 12)}."] * bool(left), *notes,
    ])


def with_row_numbers(table: Table) -> Table:
    """The table with the number of each row as a column."""
    rows = table.row_numbers(np.arange(table.n_rows)).tolist()
    return table.with_columns({ROW: encoded(f"row {row}" for row in rows)})


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


def people_of_columns(table: Table) -> Table | None:
    """A row for each question and person, if rows name three objects, and columns are people.

    Each says which of the three, by its name or by one of two or three codes.
    """
    if not table.header or len(table.columns) < 3 + _PEOPLE:
        return None
    columns = Columns(table.head(_SAMPLE))
    for objects in _three_objects(columns):
        rest = columns.but(*(one.name for one in objects))
        if any(is_called_response(one.name) or named([one.name], ALIASES["participant"])
               for one in rest):
            continue
        people = _who_choose(objects, rest)
        if people:
            others = [name for name in table.columns if name not in people]
            if not any(columns[name].is_unique for name in others):
                # Two rows about the same objects are two questions, and no copies.
                table, others = with_row_numbers(table), [*others, ROW]
            return table.melted(people, {name: name for name in others}, {"participant": people},
                                "response", [
                f"A column for each of {counted(len(people), 'person', 'people')} "
                f"({listing(people, 3)}), a row for each question about three objects.",
            ])
    return None


def counts_of_options(table: Table) -> Table | None:
    """A row for each question and option, if rows name three objects, and how many chose each."""
    if not table.header or len(table.columns) < 6:
        return None
    columns = Columns(table.head(_SAMPLE))
    for objects in _three_objects(columns):
        counts = [one for one in columns.but(*(one.name for one in objects))
                  if one.is_whole and not one.counts_rows and not is_beside(one.name)]
        if len(counts) != 3 or any(not one.written.all() for one in counts):
            continue
        numbers = np.array([one.numbers for one in counts])
        total = numbers.sum(axis=0)
        # As many people answered each question, but for a few; ranks are all different numbers.
        if numbers.min() < 0 or np.ptp(total) > total.max() / 4 or total.max() <= 6:
            continue
        names = [one.name for one in counts]
        table, others = with_row_numbers(table), [n for n in table.columns if n not in names]
        return table.melted(names, {name: name for name in [*others, ROW]}, {
            "response": ["1", "2", "3"],
        }, "count", [f"Columns {listing(names)} count who chose each of three objects: a row for "
                     "each of these."])
    return None


def _three_objects(columns: Columns) -> Iterator[list[ColumnCells]]:
    """Three columns that may name the objects of a question: by their names, or the first ones."""
    roles = anchored_roles(columns.table, columns.names)
    numbered = [one for one in numbered_columns(columns.names).values() if len(one) == 3]
    texts = [one.name for one in columns if not one.is_numeric and not one.is_constant][:3]
    for names in [*([[*roles.values()]] if roles else []), *numbered, texts]:
        objects = [columns[name] for name in names if name in columns.names]
        if len(objects) < 3 or any(is_beside(one.name) for one in objects):
            continue
        different = len(frozenset().union(*(one.values for one in objects)))
        # Each object is in several columns.
        recur = sum(len(one.values) for one in objects) >= 1.5 * different
        if different > 3 and recur and differ(objects) >= _DIFFER:
            yield objects


def _who_choose(objects: Sequence[ColumnCells], rest: Sequence[ColumnCells]) -> list[str]:
    """Columns that say one of the objects of a row, or all one of two or three codes; or none."""
    said = [one.responses for one in rest
            if not is_beside(one.name) and not is_usual_name(one.name) and not one.counts_rows]
    said = [one for one in said if one.n_written]
    by_name = [one for one in said if names_one_of(one, objects) >= _OPTIONS]
    if len(by_name) < _PEOPLE:
        by_name = []
        words = {text.casefold() for one in said for text in one.values}
        if not 2 <= len(words) <= 3:
            return []
    people = by_name or said
    if len(people) < _PEOPLE:
        return []
    pairs = [(one.texts[both], other.texts[both]) for one, other in pairwise(people)
             if (both := one.written & other.written).any()]
    # Ranks of the three never are alike; marks of trials, such as practice, only by chance.
    alike = np.mean([np.mean(one == other) for one, other in pairs]) if pairs else 0.0
    beyond = np.mean([_beyond_chance(*pair) for pair in pairs]) if pairs else 0.0
    agree = alike >= _ALIKE if by_name else beyond >= _BEYOND
    return [one.name for one in people] if agree else []


def _beyond_chance(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's kappa of two columns."""
    often, again = Counter(one.tolist()), Counter(other.tolist())
    chance = sum(often[text] * again[text] for text in often) / len(one) ** 2
    return (float(np.mean(one == other)) - chance) / (1.0 - chance) if chance < 1 else 0.0


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
