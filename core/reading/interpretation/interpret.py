"""A table and its reading -> triplets, with a report of all omitted rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.grouping import connected_objects
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.reading.columns.grouped import named_trials, trial_of_rows, twin_trials
from tripletscope.core.reading.columns.guess import SIDES, SPLITS, response_time_unit
from tripletscope.core.reading.columns.practice import practice_kept
from tripletscope.core.reading.columns.reading import RESPONSE_TIME_UNITS, Reading, kept_names
from tripletscope.core.reading.columns.times import groups_of, times_of, units_of
from tripletscope.core.reading.formats.source import Source, title_of
from tripletscope.core.reading.interpretation.copies import apart, copies_of, on_copies, on_people
from tripletscope.core.reading.interpretation.imported import NO_MAP, Imported, Note, Pairs, Report
from tripletscope.core.reading.interpretation.proposal import MANY_VALUES, has_many_values, unused
from tripletscope.core.reading.interpretation.trials import Trials, sort_out, trials_of
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.reading.names import (
    counted,
    file_name,
    is_picture_name,
    listing,
    natural_order,
    notes_on,
    stem,
    whole_number,
    without_tags,
)
from tripletscope.core.reading.objects.matching import match, read_objects
from tripletscope.core.reading.table import Codes, Table
from tripletscope.core.reading.tasks import TASKS

#: This many answers that all chose the same side are no accident.
_TELLING = 20
#: Cells of a table of all pairs of objects, and sets of objects that are named.
_LARGEST_TABLE, _SETS_SHOWN = 4_000_000, 3
#: Columns that are named of those without a role.
_UNUSED_SHOWN = 60
#: Different values of a column that are categories in any case; most that are put into order.
_FEW, _ORDERED = 1_000, 20_000


def interpret(
    table: Table, reading: Reading, objects: Source | pd.DataFrame | None = None,
    *, progress: Progress = silent,
) -> Imported:
    """Apply a reading to a table."""
    reading.check(table)
    trials = trials_of(table, reading)
    _step(progress, 0.2)
    copies = copies_of(table, reading, trials)
    _step(progress, 0.3)
    brought = [*on_people(table, reading, copies)]
    if trials.like_missing:
        brought.append(Note("like_missing", {"name": trials.like_missing}))
    if (practice := practice_kept(table, reading)) is not None:
        brought.append(Note("practice", {
            "column": practice.column, "cells": listing(sorted(practice.cells)),
        }))
    table = apart(table, reading)
    described, notes = _described(table, reading, trials.ids)
    if objects is not None:
        objects = read_objects(objects)
        places, how = match(described, objects, reading.index_base, table.name)
        notes.append(how)
        described = _merged(objects, described, places)
        trials = trials.moved(places, described["id"].tolist())
    usable, omissions = sort_out(table, reading, trials, None if reading.copies else copies.rows)
    brought += on_copies(reading, copies, copies.rows & (trials.outcome >= 0))
    _step(progress, 0.5)
    rows, trial, votes = trials.answered(usable)
    _step(progress, 0.6)
    used = np.bincount(rows.ravel(), minlength=len(described)) > 0
    never_asked = described["id"][~used].tolist()
    if objects is None and never_asked:
        rows, described = _without_unused(rows, described, used, notes)
        never_asked = []
    notes += notes_on(described["id"].tolist())
    layout = layouts().get(reading.layout)
    in_places = layout is not None and layout.in_places
    brought += layout.brings(table) if layout else []
    answers = _answers(table, reading, trials, usable, in_places, notes, brought)
    _step(progress, 0.8)
    people = answers["participant"].cat.categories if "participant" in answers else None
    answers = _with_trials(table, reading, usable, rows, answers, trial, votes, notes)
    file_rows = table.row_numbers(np.flatnonzero(usable))[trial]
    pairs = None
    if rows.shape[1] == 4:
        pairs = Pairs(rows, answers, file_rows, len(described))
        rows, answers, file_rows = _triplets_among(pairs, notes)
    triplets = Triplets(rows, described, answers, title_of(table.name))
    if not triplets.objects_recur:
        notes.append(". ".join(NO_MAP))
    else:
        brought += _on_sets(rows, triplets.labels)
    brought += [*_on_people_alone(pairs.rows if pairs else rows, pairs.answers if pairs else
                                  answers, triplets.labels), *_on_unused(table, reading)]
    report = Report(
        table.name,
        n_rows=table.n_rows + len(table.skipped),
        n_answers=int(usable.sum()),
        n_triplets=len(triplets),
        n_objects=triplets.n_objects,
        n_participants=None if people is None else len(people),
        omissions=omissions,
        never_asked=never_asked,
        numbering=_numbering(triplets.ids),
        notes=[*table.omitted, *notes],
        brought=brought,
        row_is="question" if reading.is_counted else "trial",
    )
    checks = layout.checks(table, reading) if layout else None
    if checks is None:
        checks = trials.catch_trials(table, reading.roles.get("participant"))
    progress(1.0)
    return Imported(triplets, report, file_rows, checks, TASKS[reading.task], pairs)


def _step(progress: Progress, fraction: float) -> None:
    if progress(fraction):
        raise Stopped


def _without_unused(
    rows: np.ndarray, described: pd.DataFrame, used: np.ndarray, notes: list[str]
) -> tuple[np.ndarray, pd.DataFrame]:
    """Rows and objects without those that occur in omitted rows only."""
    unused = described["id"][~used].tolist()
    notes.append(
        f"{counted(len(unused), 'object')} only in rows that were omitted: {listing(unused)}."
    )
    positions = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return positions[rows], described[used].reset_index(drop=True)


def _with_trials(
    table: Table, reading: Reading, usable: np.ndarray, rows: np.ndarray, answers: pd.DataFrame,
    trial: np.ndarray, votes: np.ndarray | None, notes: list[str],
) -> pd.DataFrame:
    """The columns about each implied answer, with trials and votes."""
    if len(trial) != len(answers) or votes is not None:
        answers = answers.iloc[trial].assign(trial=trial).reset_index(drop=True)
    elif "trial" in reading.roles:
        answers["trial"] = _trials_of_rows(table, reading, usable, rows)
    elif rows.shape[1] == 3 and HELD_TOGETHER not in answers:
        _keep_twins_together(answers, rows, notes)
    if votes is not None:
        answers["weight"] = votes * answers.get("weight", 1.0)
    return answers


def _on_sets(rows: np.ndarray, labels: list[str]) -> Iterator[Note]:
    """A note on sets of objects that no answer links."""
    n = len(labels)
    if n * n <= _LARGEST_TABLE:  # counting pairs is faster than linking answers
        pairs = np.zeros(n * n, dtype=bool)
        for k in range(1, rows.shape[1]):
            pairs[rows[:, 0].astype(np.int64) * n + rows[:, k]] = True
        rows = np.column_stack(np.divmod(np.flatnonzero(pairs), n))
    sets = connected_objects(rows, n)
    sizes = np.bincount(sets[np.unique(rows)])
    which = np.flatnonzero(sizes)
    if len(which) > 1:
        shown = [listing([labels[i] for i in np.flatnonzero(sets == k)[:4]], 3)
                 for k in which[np.argsort(-sizes[which], kind="stable")][:_SETS_SHOWN]]
        more = len(which) - len(shown)
        yield Note("sets", {
            "number": f"{len(which):,}",
            "sets": "; ".join(shown) + (f"; and {more:,} more" if more else ""),
        })


def _on_people_alone(rows: np.ndarray, answers: pd.DataFrame, labels: list[str]) -> Iterator[Note]:
    """A note on participants none of whose objects anybody else has judged."""
    who = answers["participant"].cat if "participant" in answers else None
    if who is None or not 1 < len(who.categories) * len(labels) <= _LARGEST_TABLE:
        return
    n = len(who.categories)
    judged = np.zeros((n + 1, len(labels)), dtype=bool)
    for column in rows.T:
        judged[who.codes.to_numpy(), column] = True
    judged = judged[:n]
    with_others = (judged & (judged.sum(axis=0) > 1)).any(axis=1)
    alone = np.flatnonzero(judged.any(axis=1) & ~with_others)
    if len(alone) and n > 1:
        yield Note("people_alone", {
            "people": counted(len(alone), "participant"),
            "share": "shares" if len(alone) == 1 else "share",
            "ids": listing([who.categories[k] for k in alone]),
        })


def _on_unused(table: Table, reading: Reading) -> Iterator[Note]:
    """Notes on columns without a role: those that are kept, and those that are not."""
    if reading.keep:
        yield Note("kept", {"columns": listing(reading.keep, _UNUSED_SHOWN)})
    used = {*reading.keep, *reading.only, *reading.exchanged}
    left: dict[str, list[str]] = {}
    for column in unused(table, reading):
        if column not in used:
            why = "blank" if table.is_blank(column) else (
                "many_values" if has_many_values(table, column) else "unused"
            )
            left.setdefault(why, []).append(column)
    for why, columns in left.items():
        yield Note(why, {"columns": listing(columns, _UNUSED_SHOWN), "number": f"{MANY_VALUES:,}"})


def _triplets_among(
    pairs: Pairs, notes: list[str]
) -> tuple[np.ndarray, pd.DataFrame, np.ndarray]:
    """(T, 3) triplets among comparisons of pairs, with the columns and the row of each."""
    rows = np.full((len(pairs), 3), -1, dtype=np.int32)
    for near, far in ((0, 2), (0, 3), (1, 2), (1, 3)):
        shared = pairs.rows[:, near] == pairs.rows[:, far]
        rows[shared] = pairs.rows[shared][:, [near, 1 - near, 5 - far]]
    of = np.flatnonzero(rows[:, 0] >= 0)
    notes.append(
        f"{counted(len(pairs), 'answer')} compare two pairs of objects; "
        f"{counted(len(of), 'answer')} of them have an object in common and are triplets, too."
    )
    return rows[of], pairs.answers.iloc[of].reset_index(drop=True), pairs.file_rows[of]


def _described(table: Table, reading: Reading, ids: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """The table of objects as the file describes them, with notes."""
    objects = pd.DataFrame({"id": pd.Series(ids, dtype="str")})
    layout = layouts().get(reading.layout)
    described = layout.describe(table, reading) if layout else None
    if described is not None:
        objects = objects.merge(described.drop_duplicates("id"), on="id", how="left")
        objects["label"] = objects["label"].fillna(objects["id"])
        return objects, []
    are_pictures = all(map(is_picture_name, ids))
    stems = [stem(text) for text in ids] if are_pictures else []
    if are_pictures and len(set(stems)) == len(ids):
        objects["label"], objects["image"] = stems, [file_name(text) for text in ids]
        return objects, ["Objects are pictures; they are labelled without folder and extension."]
    if ids and all("<" in text and ">" in text for text in ids):
        shown = [without_tags(text) for text in ids]
        objects["label"] = [stem(text) for text in shown]
        if all(map(is_picture_name, shown)):
            objects["image"] = shown
        return objects, ["Objects are HTML; they are labelled by its content."]
    objects["label"] = objects["id"]
    return objects, []


def _merged(objects: pd.DataFrame, described: pd.DataFrame, places: np.ndarray) -> pd.DataFrame:
    """The table of objects, completed from the file of answers."""
    result = described.assign(place=places)[places >= 0].drop_duplicates("place")
    result = result.set_index("place").reindex(range(len(objects)))
    named = result["label"].notna() & (result["label"] != result["id"])
    nameless = objects["label"] == objects["id"]
    merged = objects.assign(label=objects["label"].mask(nameless & named, result["label"]))
    if "image" in result and "image" not in merged:
        merged["image"] = result["image"]
    return merged


def _answers(
    table: Table, reading: Reading, trials: Trials, usable: np.ndarray, in_places: bool,
    notes: list[str], brought: list[Note],
) -> pd.DataFrame:
    roles = reading.roles
    answers: dict[str, Any] = {}
    for role in ("participant", "split", "sampler", "block"):
        if role in roles:
            answers[role] = _categories(
                table.codes(roles[role]), usable, SPLITS if role == "split" else {}
            )
    if "response_time" in roles:
        answers["response_time"] = _seconds(table, reading, usable, notes, brought)
    if "time" in roles:
        answers["time"] = _moments(table, roles["time"])[usable]
    if "weight" in roles:
        answers["weight"] = table.numbers(roles["weight"])[usable]
    # Only files of answers that were derived from ratings have this column.
    more = [HELD_TOGETHER] if HELD_TOGETHER in table.columns else []
    answers |= {name: _kept(table, column, usable)
                for column, name in kept_names(reading.keep).items()}
    answers |= {column: _categories(table.codes(column), usable, {}) for column in more}
    if reading.is_coded:
        answers |= _sides(reading, trials.outcome[usable], in_places, notes)
    elif "side" in roles and reading.is_ordered:
        answers["side"] = _categories(table.codes(roles["side"]), usable, SIDES)
    return pd.DataFrame(answers, index=range(int(usable.sum())))


def _sides(
    reading: Reading, side: np.ndarray, in_places: bool, notes: list[str]
) -> dict[str, pd.Categorical]:
    """The side of each choice, unless the file was sorted by it."""
    task = TASKS[reading.task]
    if not in_places and len(side) >= _TELLING and (side == side[0]).all():
        if task.options:
            option = f"in column {reading.roles[reading.objects[task.options[side[0]]]]}"
        else:
            option = f"number {side[0] + 1}"
        notes.append(
            f"Every response is the option {option}: the file was sorted, so side bias cannot be "
            f"assessed."
        )
        return {}
    names = {2: ["left", "right"], 3: ["first", "second", "third"]}[len(task.outcomes)]
    return {"side": pd.Categorical.from_codes(side, names)}


def _keep_twins_together(answers: pd.DataFrame, rows: np.ndarray, notes: list[str]) -> None:
    """Add trials to answers that come in twos, if the file has no trials."""
    who = answers["participant"].cat.codes.to_numpy() if "participant" in answers else None
    result = twin_trials(rows, who)
    if result is not None:
        task, answers["trial"] = result
        notes.append(
            f"Each response to {task} trial implies two answers: they are kept "
            f"together as {counted(answers['trial'].nunique(), 'trial')}, and not taken as "
            "independent."
        )


def _trials_of_rows(
    table: Table, reading: Reading, usable: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """(T,) trial of every answer, if each has its own row."""
    column, who = reading.roles["trial"], reading.roles.get("participant")
    numbers = table.numbers(column)[usable]
    # There may be as many values as trials, and texts are slow.
    codes = pd.factorize(numbers)[0] if np.isfinite(numbers).all() else (
        table.codes(column).codes[usable]
    )
    trial = trial_of_rows(codes, rows, table.codes(who).codes[usable] if who else None)
    return named_trials(trial, numbers)


def _moments(table: Table, column: str) -> np.ndarray:
    """(n_rows,) increasing times: counts, or seconds since 1970."""
    numbers = table.numbers(column)
    if np.isfinite(numbers).any():
        return numbers
    return (table.moments(column) - np.datetime64(0, "us")) / np.timedelta64(1, "s")


def _kept(table: Table, column: str, usable: np.ndarray) -> pd.Categorical | pd.Series:
    """A column without a role: categories if values recur, otherwise texts or whole numbers."""
    if table.n_values_at_most(column) > MANY_VALUES:
        numbers = table.integers(column)
        if numbers is not None:
            return pd.Series(numbers[usable])
    coded = table.codes(column)
    if len(coded.values) <= max(_FEW, table.n_rows // 2):
        return _categories(coded, usable, {})
    # Categories of as many values as rows are slow to select answers from.
    texts = pd.array([*coded.values, None], dtype="str")
    return pd.Series(texts.take(coded.codes[usable]))


def _categories(coded: Codes, usable: np.ndarray, words: Mapping[str, str]) -> pd.Categorical:
    codes = coded.codes[usable]
    names = [words.get(text.casefold(), text) for text in coded.values] if words else coded.values
    used = {names[i]: None for i in np.unique(codes) if i >= 0}
    # The order is for menus and figures, which have not so many.
    categories = natural_order(used) if len(used) <= _ORDERED else [*used]
    return pd.Categorical.from_codes(
        pd.Index(categories, dtype=object).get_indexer([*names, None])[codes], categories
    )


def _seconds(
    table: Table, reading: Reading, usable: np.ndarray, notes: list[str], brought: list[Note]
) -> np.ndarray:
    unit = reading.response_time_unit
    column = reading.roles["response_time"]
    groups, names = groups_of(table, reading.roles)
    times = times_of(table, column, groups)[usable]
    groups = groups[usable]
    several = units_of(times, groups) if unit in (None, "each") else None
    if several is not None:
        said = {which: listing(natural_order(
            {names[k] for k in np.unique(groups) if several[k] == is_ms}))
                for which, is_ms in (("seconds", False), ("milliseconds", True))}
        brought.append(Note("units" if unit is None else "units_each", {"column": column, **said}))
        times = np.where(several[groups], times, 1000 * times)
        unit = "ms"
    elif unit in (None, "each"):
        unit, reason = response_time_unit(times, column)
        notes.append(reason)
    else:
        notes.append(f"Response times in column {column} are {RESPONSE_TIME_UNITS[unit]}.")
    negative = int(np.count_nonzero(times < 0))
    if negative:
        notes.append(f"{counted(negative, 'response time')} below zero: treated as missing.")
    times = np.where((times >= 0) & np.isfinite(times), times, np.nan)
    missing = int(np.count_nonzero(np.isnan(times))) - negative
    if missing:
        notes.append(f"{counted(missing, 'answer')} without a readable response time.")
    return times / 1000 if unit == "ms" else times


def _numbering(ids: list[str]) -> str:
    """How numbers stand for objects, if they do."""
    numbers = [whole_number(text) for text in ids]
    if None in numbers or not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    gaps = high - low + 1 - len(numbers)
    if not gaps:
        return f"Objects are numbers from {low} to {high}."
    steps = np.unique(np.diff(sorted(numbers)))
    if len(steps) == 1:  # all levels of a stimulus
        return f"Objects are numbers from {low} to {high} in steps of {steps[0]}."
    if gaps > 1000:
        return f"Objects are {counted(len(numbers), 'number')} between {low} and {high}."
    absent = sorted(set(range(low, high + 1)) - set(numbers))
    return (
        f"Objects are numbers from {low} to {high}; {listing(list(map(str, absent)))} never "
        f"appear{'s' if len(absent) == 1 else ''}."
    )


