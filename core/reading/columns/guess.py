"""Roles of columns by their names and values, each with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import plain_number
from tripletscope.core.reading.columns.grouped import numbers_trials
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS, ROW_ROLES, Reading
from tripletscope.core.reading.columns.times import groups_of, times_of, unit_of, units_of
from tripletscope.core.reading.formats.several import FILE, file_column
from tripletscope.core.reading.languages import FOREIGN_CELLS
from tripletscope.core.reading.names import (
    ALIASES,
    WEAK_TRIPLES,
    by_names,
    listing,
    named,
    normalised,
    respelt,
)
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import TASKS

#: Rows on which guesses are based.
SAMPLE_ROWS = 20_000

#: Words for the position of the chosen option, in lower case.
SIDES = {
    "l": "left", "r": "right",
    **{word: word for word in ("left", "middle", "right", "first", "second", "third")},
    **{word: side for side in ("left", "right") for word in FOREIGN_CELLS[side]},
}

#: Words for the parts of a data set, in lower case.
SPLITS = {
    "train": "train", "training": "train", "test": "test", "testing": "test", "holdout": "test",
    "validation": "validation", "val": "validation", "valid": "validation", "dev": "validation",
}
#: Columns with either the split or the sampler.
_LABELS = ("alglabel", "origalglabel")


def option_roles(table: Table) -> dict[str, str]:
    """Anchor, options and choice, or anchor, near and far, by the names of the columns."""
    columns = table.columns
    for wanted in (("anchor", "near", "far"), ("anchor", "left", "right", "choice")):
        roles = by_names(columns, {role: ALIASES[role] for role in wanted})
        if len(roles) == len(wanted):
            return roles
    choice = named(columns, ALIASES["choice"])
    for triple in WEAK_TRIPLES:
        result = [column for name in triple if (column := named(columns, [name]))]
        if len(result) == 3 and choice not in result:
            wanted = ("anchor", "left", "right") if choice else ("anchor", "near", "far")
            return dict(zip(wanted, result, strict=True)) | ({"choice": choice} if choice else {})
    return {}


def anchored_roles(
    table: Table, columns: Iterable[str], more: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, str]:
    """Roles of an anchor and two options by the names of some columns, or of all; or none.

    more: Further names of roles.
    """
    more = more or {}
    wanted = ("anchor", "left", "right")
    roles = by_names(columns, {role: (*ALIASES[role], *more.get(role, ())) for role in wanted})
    if len(roles) < len(wanted):
        roles = option_roles(table)
    return {role: roles[role] for role in wanted} if {*wanted} <= {*roles} else {}


def side_roles(table: Table, taken: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Roles such as participant and weight among the columns that are not taken, and reasons."""
    free = [column for column in table.columns if column not in taken.values()]
    sample = table.head(SAMPLE_ROWS)
    roles, reasons = _split_and_sampler(sample, free)
    free = [column for column in free if column not in roles.values()]
    for role in ("participant", "response_time", "weight", *ROW_ROLES, "time", "block"):
        column = named(free, ALIASES[role])
        if column is not None and _can_be(role, sample, column, {**taken, **roles}):
            roles[role] = column
            free.remove(column)
    if "participant" not in roles and table.files and FILE in free:
        roles["participant"] = FILE
        reasons.append("Each file is taken for one participant.")
    return roles, reasons


def complete(table: Table, reading: Reading) -> list[Reading]:
    """The reading with unit of response times and coding of the choice, from the values.

    One reading for each coding that fits, best first: 0 and 1 may be positions or no and yes, which
    are opposites.
    """
    sample = table.head(SAMPLE_ROWS)
    column = reading.roles.get("response_time")
    if column in table.columns and reading.response_time_unit is None:
        reading = _with_unit(table, reading, column)
    needed = [reading.roles.get(role) for role in reading.needed]
    if not reading.is_coded or reading.choice_coding or not set(needed) <= set(table.columns):
        return [reading]
    names, reason = choice_codings(sample, reading)
    best = replace(reading, choice_coding=names[0], reasons=(*reading.reasons, reason))
    return [best] + [
        replace(best, choice_coding=name,
                title=f"{reading.title}, response: {CHOICE_CODINGS[name].title.lower()}")
        for name in names[1:]
    ]


def _with_unit(table: Table, reading: Reading, column: str) -> Reading:
    """The reading with the unit of response times, unless people have several."""
    about = (column, reading.roles.get("participant"), file_column(table))
    spread = table.spread({c: None for c in about if c in table.columns}, SAMPLE_ROWS)
    groups, _ = groups_of(spread, reading.roles)
    times = times_of(spread, column, groups)
    if units_of(times, groups) is not None:
        return reading
    unit, reason = response_time_unit(times, column)
    return replace(reading, response_time_unit=unit, reasons=(*reading.reasons, reason))


def choice_codings(table: Table, reading: Reading) -> tuple[list[str], str]:
    """Codings that fit the choice column, best first, and why."""
    task, column = TASKS[reading.task], reading.roles["choice"]
    choice = plain_texts(table, column)
    written = choice != ""
    words = {word.casefold() for word in set(choice[written])}
    fitting = codings_of(words, len(task.outcomes))
    roles = [reading.objects[i] for i in task.options]
    options = [plain_texts(table, reading.roles[role]) for role in roles or reading.objects]
    meant = respelt(
        {*choice}, {text for one in options for text in one if text}
    ) if not fitting else {}
    named = np.array([meant.get(text, text) for text in choice], dtype=object)
    offered = np.logical_or.reduce([named == one for one in options])
    share = offered[written].mean() if written.any() else 0.0
    # If objects are numbers, 0 and 1 may be objects or codes: every choice must then be an option.
    by_name = bool(roles) or "choice2" in reading.roles
    if by_name and (share == 1 or (share >= 0.5 and not fitting)):
        kind = "two options" if len(roles) == 2 else "objects"
        return ["item"], f"Column {column} names one of the {kind}."
    if not fitting and len(task.outcomes) == 2 and _signed(table, column):
        return ["signed_count"], f"Column {column}: {CHOICE_CODINGS['signed_count'].help}"
    if not fitting:
        return ["item" if by_name else "position_1"], (
            f"Column {column} seems to name objects, but not the options of its row."
        )
    if normalised(column) in ("eval", "firstisnearer"):
        fitting.sort(key=lambda name: name != "first_is_nearer")
    reason = f"Column {column} contains {listing(sorted(words))}. {CHOICE_CODINGS[fitting[0]].help}"
    others = [CHOICE_CODINGS[name].title.lower() for name in fitting[1:]]
    if others:
        reason += f" It could also mean: {listing(others)}."
    return fitting, reason


def codings_of(words: set[str], n_options: int = 2) -> list[str]:
    """Codings, other than by name, whose vocabulary includes all words."""
    codings = []
    for name, coding in CHOICE_CODINGS.items():
        vocabulary = {word for option in coding.words[:n_options] for word in option}
        # The number of options has to match that of the coding; no and minus one are one option.
        if words >= {"0", "-1"}:
            continue
        if words and words <= vocabulary and len(coding.words) in (n_options, len(_POSITIONS)):
            codings.append(name)
    return codings


_POSITIONS = CHOICE_CODINGS["position_0"].words


def _signed(table: Table, column: str) -> bool:
    """Whether the values are whole numbers of both signs."""
    numbers = table.numbers(column)
    numbers = numbers[np.isfinite(numbers)]
    return bool(
        len(numbers) and (numbers == np.round(numbers)).all() and (numbers < 0).any()
        and (numbers > 0).any()
    )


def numbered_columns(columns: Iterable[str]) -> dict[str, list[str]]:
    """Columns whose names differ in a number 1, 2, 3 ... alone, by the rest of the name."""
    numbered: dict[str, dict[int, str]] = {}
    for column in columns:
        match = re.fullmatch(r"(.*?)[ _.\[-]*([1-9])[ _.\]-]*(\D*)", column.strip())
        if match and match.group(1):
            name = normalised(match.group(1) + match.group(3))
            numbered.setdefault(name, {})[int(match.group(2))] = column
    return {
        name: [members[i] for i in sorted(members)]
        for name, members in numbered.items() if set(members) == {*range(1, len(members) + 1)}
    }


def response_time_unit(times: np.ndarray, column: str) -> tuple[str, str]:
    """Unit of response times by their size, and why."""
    positive = times[times > 0]
    median = float(np.median(positive)) if len(positive) else 0.0
    unit = unit_of(times)
    words = {"s": "seconds", "ms": "milliseconds"}
    reason = f"Response times are {words[unit]}: their median is {median:,.4g}."
    suffix = re.search(r"[\W_](ms|msec|milliseconds|s|sec|secs|seconds)\W*$", column.casefold())
    claimed = "ms" if suffix and suffix[1].startswith("m") else "s"
    if suffix and claimed != unit:
        reason += f" The name of column {column} says {words[claimed]}, its values do not."
    return unit, reason


def _split_and_sampler(table: Table, free: list[str]) -> tuple[dict[str, str], list[str]]:
    """Split and sampler; NEXT's Alg.Label can be either, as its words show."""
    roles: dict[str, str] = {}
    reasons = []
    for role in ("split", "sampler"):
        for alias in ALIASES[role] if role == "sampler" else (*ALIASES[role], *_LABELS):
            column = named(free, [alias])
            if column is None or column in roles.values():
                continue
            words = table.codes(column).values
            if role == "split" and not (words and {w.casefold() for w in words} <= set(SPLITS)):
                continue
            roles[role] = column
            reasons.append(f"Column {column} is the {role}: it contains {listing(words)}.")
            break
    return roles, reasons


def _can_be(role: str, table: Table, column: str, taken: Mapping[str, str]) -> bool:
    """Whether the values of a column fit its role."""
    if role in ("response_time", "weight"):
        numbers = table.numbers(column)
        is_count = normalised(column) in ("count", "counts") and len(numbers) > 2
        counts_rows = is_count and (np.diff(numbers) == 1).all()
        return bool(np.isfinite(numbers).any() and not counts_rows)
    if role not in ROW_ROLES:
        return True
    if not {"anchor", "near", "far"} <= set(taken):
        return False
    if role == "side":
        return {word.casefold() for word in table.codes(column).values} <= set(SIDES)
    who = taken.get("participant")
    objects = [plain_texts(table, taken[place]) for place in ("anchor", "near", "far")]
    return numbers_trials(
        table.codes(column).codes,
        pd.factorize(np.concatenate(objects))[0].reshape(3, -1).T,
        table.codes(who).codes if who else None,
    )


def plain_texts(table: Table, column: str) -> np.ndarray:
    """(n_rows,) cells as text, whole numbers without a fraction; for a `head`."""
    return table.codes(column).each(plain_number, "", object)
