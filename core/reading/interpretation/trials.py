"""Rows of a table as trials: their objects, implied answers, and reasons for omissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import MISSING, plain_number
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.reading import Coding, Reading
from tripletscope.core.reading.interpretation.imported import Omission
from tripletscope.core.reading.languages import FOREIGN_CELLS, FORMS, UNANSWERED_CELLS
from tripletscope.core.reading.names import counted, listing, natural_order, respelt
from tripletscope.core.reading.table import Codes, Table
from tripletscope.core.reading.tasks import TASKS, Implied, chosen_first

#: Instead of a position: an empty cell, or an object that the table of objects lacks.
NO_OBJECT, UNKNOWN_OBJECT = -1, -2
#: Longest name of an object.
MAX_NAME = 1_000
#: Most objects: a map of more says nothing, and names of people or trials, if taken for objects,
#: would take very long.
MOST_OBJECTS = 200_000
#: Instead of the number of an outcome.
UNANSWERED, NOT_OFFERED, UNDECIDED = -1, -2, -3
#: Names beside which one like NA may be a name.
_FEWEST = 4
#: Rows in which a name like NA is looked for; most by which it may be rarer or more frequent than
#: others; share of its rows in which it may be there twice.
_SAMPLE_ROWS, _AS_OFTEN, _TWICE = 20_000, 4.0, 0.02
#: Letters of a response in a sentence.
_SAID = 40
#: Rows that end with 0 from which on it is no object, if it is nowhere else.
_OFTEN = 20


@dataclass(frozen=True, eq=False)
class Trials:
    """Question and answer in each of the N rows of a table."""

    ids: list[str]  # in natural order
    objects: tuple[np.ndarray, ...]  # (N,) each: positions in `ids`, or `NO_OBJECT`
    outcome: np.ndarray  # (N,): number in `implied`, or `UNANSWERED`, `NOT_OFFERED` or `UNDECIDED`
    implied: tuple[Implied, ...]  # by outcome, see `tripletscope.core.reading.tasks`
    anchored: bool  # whether the first object is an anchor
    votes: np.ndarray | None = None  # (N, k): counts of the k implied answers, if rows have them
    #: Objects from this one on may be missing: trials have different numbers of options.
    optional: int | None = None
    #: The name of an object that elsewhere would be a missing cell, such as NA.
    like_missing: str = ""

    def moved(self, places: np.ndarray, ids: list[str]) -> Trials:
        """The same trials with object i at position ``places[i]`` of `ids`; -1 for none."""
        lookup = np.append(np.where(places < 0, UNKNOWN_OBJECT, places), NO_OBJECT)
        lookup = lookup.astype(np.int32)
        return replace(self, ids=ids, objects=tuple(lookup[column] for column in self.objects))

    def answered(self, usable: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The answers that the usable rows imply, in the order of the rows.

        Returns: (T, 3) or (T, 4): anchor, near and far, or a more similar and a less similar pair;
            (T,) usable trial of each; (T,) counts, if rows have them.
        """
        kept = slice(None) if usable.all() else usable
        outcome = self.outcome[kept]
        objects = [column[kept] for column in self.objects]
        sizes = np.array([len(implied) for implied in self.implied], dtype=np.int64)[outcome]
        starts = np.cumsum(sizes) - sizes
        width = max((len(one) for implied in self.implied for one in implied), default=3)
        rows = np.empty((int(sizes.sum()), width), dtype=np.int32)
        for number, implied in enumerate(self.implied):
            at = np.flatnonzero(outcome == number)
            every = len(at) == len(rows)  # with one answer each, as millions of rows have it
            for k, places in enumerate(implied):
                to = slice(None) if every else starts[at] + k
                for column, place in enumerate(places):
                    rows[to, column] = objects[place] if every else objects[place][at]
        trial = np.repeat(np.arange(len(outcome)), sizes)
        if self.votes is None:
            return rows, trial, None
        votes = self.votes[usable].ravel()
        positive = votes > 0
        return rows[positive], trial[positive], votes[positive]

    def catch_trials(self, table: Table, participant: str | None) -> pd.DataFrame:
        """Rows whose anchor is one of two different options, and whether it was chosen."""
        if not self.anchored or len(self.objects) != 3 or self.votes is not None:
            return pd.DataFrame({"row": [], "correct": []})
        anchor, first, second = self.objects
        catch = (anchor >= 0) & (first != second) & (self.outcome >= 0) & (second != NO_OBJECT)
        catch &= ((anchor == first) | (anchor == second)) & (first != NO_OBJECT)
        rows = np.flatnonzero(catch)
        nearer = np.array([implied[0][1] for implied in self.implied])[self.outcome[rows]]
        chosen = np.where(nearer == 1, first[rows], second[rows])
        return checks_of(table, rows, participant, chosen == anchor[rows])


def checks_of(
    table: Table, rows: np.ndarray, participant: str | None, correct: np.ndarray
) -> pd.DataFrame:
    """``row``, ``participant`` and ``correct`` of attention checks in some rows."""
    checks = {"row": table.row_numbers(rows)}
    if participant is not None:
        coded = table.codes(participant)
        checks["participant"] = pd.Categorical.from_codes(coded.codes[rows], coded.values)
    return pd.DataFrame({**checks, "correct": correct})


def trials_of(table: Table, reading: Reading) -> Trials:
    """Decode the rows of a table."""
    roles, task = reading.roles, TASKS[reading.task]
    _refuse_too_many(table, [roles[role] for role in reading.objects])
    like_missing = _name_like_missing(table, reading)
    missing = MISSING - {like_missing.casefold()} | {""}
    columns = [table.codes(roles[role], missing) for role in reading.objects]
    ids = natural_order({plain_number(text) for column in columns for text in column.values})
    padding = _padding(columns) if reading.task == "most_similar" else ()
    ids = [text for text in ids if text not in padding]
    place = {text: i for i, text in enumerate(ids)} | dict.fromkeys(padding, NO_OBJECT)
    objects = tuple(_positions(column, place) for column in columns)
    ids, objects = _of_trials(table, reading, ids, objects)
    place = {text: i for i, text in enumerate(ids)}
    _refuse_impossible_names(table, ids, objects)
    trials = Trials(
        ids, objects, np.zeros(0, np.int8), task.outcomes, task.is_anchored,
        like_missing=like_missing,
    )
    if reading.task == "most_similar":
        outcome, implied = _several_chosen(table, reading, objects)
        return replace(trials, outcome=outcome, implied=implied, optional=3)
    if reading.is_counted:
        outcome, votes = _counted(table, reading)
        both = (tuple(one for implied in task.outcomes for one in implied),)
        return replace(trials, outcome=outcome, implied=both, votes=votes)
    outcome = _outcome(table, reading, objects, place, missing)
    votes = None
    if reading.is_coded and reading.choice_coding == "signed_count":
        votes = np.abs(table.numbers(roles["choice"]))[:, None]
    return replace(trials, outcome=outcome, votes=votes)


def _padding(columns: Sequence[Codes]) -> tuple[str, ...]:
    """Numbers that fill rows with fewer options: -1, and the zeros at the ends of rows.

    As an object, 0 would not stand twice in a row, and not at the ends of rows alone.
    """
    is_zero = np.array([one.each(lambda text: plain_number(text) == "0", False) for one in columns])
    ends = bool((is_zero[1:] >= is_zero[:-1]).all()) and not is_zero[:2].any()
    times = is_zero.sum(axis=0)
    is_padding = ends and (times.max(initial=0) > 1 or np.count_nonzero(times) >= _OFTEN)
    return ("-1", "0") if is_padding else ("-1",)


def _name_like_missing(table: Table, reading: Reading) -> str:
    """A text such as NA that names an object of trials; "" if it stands for what is missing.

    It is one spelling, in several columns of objects that have no empty cell, about as often as
    other names, hardly ever twice in a row, and it is chosen where objects are.
    """
    sample = table.head(_SAMPLE_ROWS)
    cells = [sample.codes(reading.roles[role], {""}) for role in reading.objects]
    counts: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for one in cells:
        sizes = np.bincount(one.codes[one.codes >= 0], minlength=len(one.values)).tolist()
        counts.update(dict(zip(one.values, sizes, strict=True)))
        held.update(one.values)
    found = [text for text in counts if text.casefold() in MISSING]
    empty = any((one.codes < 0).any() for one in cells)
    if empty or len(found) != 1 or len(counts) < _FEWEST or held[found[0]] < 2:
        return ""
    name, usual = found[0], float(np.median([n for text, n in counts.items() if text != found[0]]))
    inside = np.sum([one.each(lambda text: text == name, False) for one in cells], axis=0)
    often = usual / _AS_OFTEN <= counts[name] <= usual * _AS_OFTEN
    if not often or np.count_nonzero(inside > 1) > _TWICE * np.count_nonzero(inside):
        return ""
    if reading.is_coded and reading.choice_coding == "item":
        chosen = sample.codes(reading.roles["choice"], {""}).values
        return name if name in chosen else ""
    return name


def _refuse_too_many(table: Table, columns: list[str]) -> None:
    for column in columns:
        # No cell is looked at where there cannot be so many.
        few = table.n_values_at_most(column) <= MOST_OBJECTS
        if not few and (result := table.n_different(column)) > MOST_OBJECTS:
            raise DataError(
                f"column {column!r} holds {result:,} different names, and there can be at most "
                f"{MOST_OBJECTS:,} objects", file=table.name,
                remedy="Choose the columns that name the objects.",
            )


def _of_trials(
    table: Table, reading: Reading, ids: list[str], objects: tuple[np.ndarray, ...]
) -> tuple[list[str], tuple[np.ndarray, ...]]:
    """Objects of the rows that may be trials; those of other rows are dropped."""
    optional = 3 if reading.task == "most_similar" else None
    trial = np.all([column != NO_OBJECT for column in objects[:optional]], axis=0)
    for column, values in reading.only.items():
        trial &= _holds(table, column, values)
    if trial.all():
        return ids, objects
    used = np.zeros(len(ids) + 1, dtype=bool)
    for column in objects:
        used[column[trial]] = True
    used[NO_OBJECT] = False
    if used[:-1].all():
        return ids, objects
    lookup = np.where(used, np.cumsum(used) - 1, UNKNOWN_OBJECT).astype(np.int32)
    lookup[NO_OBJECT] = NO_OBJECT
    return [text for text, is_used in zip(ids, used, strict=False) if is_used], tuple(
        lookup[column] for column in objects
    )


def _outcome(
    table: Table, reading: Reading, objects: tuple[np.ndarray, ...], place: dict[str, int],
    missing: Container[str],
) -> np.ndarray:
    """(N,) number of the outcome of each choice."""
    task = TASKS[reading.task]
    if not reading.is_coded:
        return np.full(table.n_rows, task.in_order, dtype=np.int8)
    chosen = [
        _chosen(table, reading, column, objects, place, missing)
        for role in ("choice", "choice2") if (column := reading.roles.get(role))
    ]
    if len(chosen) == 1 or task.name != "similar_pair":
        outcome = chosen[0]
        for column, values in reading.exchanged.items():
            turned = _holds(table, column, values) & (outcome >= 0)
            outcome = np.where(turned, 1 - outcome, outcome).astype(np.int8)
        return outcome
    first, second = chosen
    # The order of the pairs is 12, 13, 23.
    pairs = np.where(first == second, NOT_OFFERED, first + second - 1)
    return np.where((first < 0) | (second < 0), np.minimum(first, second), pairs).astype(np.int8)


def _chosen(
    table: Table, reading: Reading, column: str, objects: tuple[np.ndarray, ...],
    place: dict[str, int], missing: Container[str],
) -> np.ndarray:
    task, coding = TASKS[reading.task], reading.coding
    if coding.name == "signed_count":
        number = table.numbers(column)
        outcome = np.where(number > 0, 0, np.where(number < 0, 1, UNDECIDED))
        return np.where(np.isfinite(number), outcome, UNANSWERED).astype(np.int8)
    if coding.name == "item":
        options = [objects[i] for i in task.options or range(len(objects))]
        said = table.codes(column, {*missing, *(UNANSWERED_CELLS - place.keys())})
        meant = {text: place[name] for text, name in respelt(said.values, place).items()}
        return _chosen_by_name(_positions(said, place | meant), options)
    return _chosen_by_word(table.codes(column), coding, len(task.outcomes))


def _counted(table: Table, reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    """(N,) outcome and (N, 2) numbers of people who chose the first and the second option."""
    roles = reading.roles
    first = table.numbers(roles["left_votes"])
    if "right_votes" in roles:
        second = table.numbers(roles["right_votes"])
    else:
        second = table.numbers(roles["all_votes"]) - first
    votes = np.column_stack([first, second])
    wrong = ~(np.isfinite(votes) & (votes >= 0)).all(axis=1)
    outcome = np.where(wrong, NOT_OFFERED, np.where(votes.sum(axis=1) > 0, 0, UNANSWERED))
    outcome[np.isnan(votes).all(axis=1)] = UNANSWERED
    return outcome.astype(np.int8), votes


def _several_chosen(
    table: Table, reading: Reading, objects: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, tuple[Implied, ...]]:
    """(N,) outcome: which combination of options, choices and ranking; and what each implies."""
    roles, n = reading.roles, table.n_rows
    present = np.column_stack(objects[1:]) != NO_OBJECT
    n_options = present.sum(axis=1)
    n_chosen = table.numbers(roles["n_chosen"]) if "n_chosen" in roles else np.ones(n)
    ranked = _truths(table, roles["ranked"]) if "ranked" in roles else np.zeros(n, dtype=bool)
    # Missing options are padding at the end of a row.
    gap = (np.diff(present.astype(np.int8), axis=1) > 0).any(axis=1)
    whole = np.isfinite(n_chosen) & (n_chosen == np.floor(n_chosen))
    answered = whole & (n_chosen >= 1) & (
        (n_chosen < n_options) | (ranked & (n_chosen == n_options) & (n_options > 1))
    )
    kind = (n_options * 100 + np.where(answered, n_chosen, 0)) * 2 + ranked
    kinds, outcome = np.unique(kind[answered].astype(np.int64), return_inverse=True)
    result = np.full(n, NOT_OFFERED, dtype=np.int16)
    result[answered] = outcome
    result[gap] = NOT_OFFERED
    result[np.isnan(n_chosen)] = UNANSWERED
    implied = tuple(chosen_first(int(k // 200), int(k // 2 % 100), bool(k % 2)) for k in kinds)
    return result, implied or (chosen_first(2, 1, False),)


def _truths(table: Table, column: str) -> np.ndarray:
    yes = ("1", "true", "t", "yes")
    return table.codes(column).each(lambda text: plain_number(text).casefold() in yes, False)


def sort_out(
    table: Table, reading: Reading, trials: Trials, copy: np.ndarray | None = None
) -> tuple[np.ndarray, list[Omission]]:
    """(N,) bool, usable rows; and omissions, each row under its first reason.

    copy (N,): Rows that repeat others and do not count.
    """
    omissions = [Omission(**FORMS["flaws"]["width"], rows=table.skipped)] if len(
        table.skipped
    ) else []
    usable = np.ones(table.n_rows, dtype=bool)
    repeats = [] if copy is None else [("copy", {}, copy.copy())]
    for code, details, wrong in chain(_flaws(table, reading, trials), repeats):
        wrong &= usable
        count = int(np.count_nonzero(wrong))
        if not count:
            continue
        rows, flaw = table.row_numbers(np.flatnonzero(wrong)), FORMS["flaws"][code]
        reason = flaw["reason"].format(**details)
        if "cure" in flaw and count > np.count_nonzero(usable) / 2:
            raise DataError(
                f"{reason}, here and in {counted(count, 'row')} of {table.n_rows:,}",
                file=table.name, row=int(rows[0]), remedy=flaw["cure"],
            )
        usable &= ~wrong
        omissions.append(Omission(reason, flaw["remedy"], rows, flaw.get("asks", False)))
    if not usable.any():
        most = max(omissions, key=lambda omission: omission.count)
        raise DataError(
            f"no row can be used; in {counted(most.count, 'row')} {most.reason}",
            file=table.name, row=int(most.rows[0]),
            remedy="Check which column has which role.", trouble="reading",
        )
    return usable, omissions


def _flaws(
    table: Table, reading: Reading, trials: Trials
) -> Iterator[tuple[str, dict[str, str], np.ndarray]]:
    """Every kind of flaw, with the words for its sentence and its rows."""
    objects, outcome = trials.objects, trials.outcome
    for column, values in reading.only.items():
        details = {"column": column, "values": listing(values)}
        yield "no_trial", details, ~_holds(table, column, values)
    yield "missing", {}, np.any([c == NO_OBJECT for c in objects[: trials.optional]], axis=0)
    yield "unanswered", {}, outcome == UNANSWERED
    yield "undecided", {}, outcome == UNDECIDED
    yield "unknown", {}, np.any([column == UNKNOWN_OBJECT for column in objects], axis=0)
    yield "repeated", {}, _repeated(trials)
    if trials.anchored:
        anchor, *options = objects
        yield "catch", {}, np.any([column == anchor for column in options], axis=0)
    if reading.is_counted or reading.task == "most_similar":
        yield "counts" if reading.is_counted else "none_chosen", {}, outcome == NOT_OFFERED
    else:
        wrong = outcome == NOT_OFFERED
        details = {"options": _offer(reading), "such": _instead(table, reading, wrong)}
        yield "not_offered", details, wrong
    if "weight" in reading.roles:
        weight = table.numbers(reading.roles["weight"])
        yield "weight", {}, ~(np.isfinite(weight) & (weight >= 0))


def _instead(table: Table, reading: Reading, wrong: np.ndarray) -> str:
    """The commonest response in some rows, in words."""
    if not wrong.any() or "choice2" in reading.roles:
        return ""
    said = table.codes(reading.roles["choice"], {""})  # NA may be a name
    often = np.bincount(said.codes[wrong & (said.codes >= 0)])
    if not len(often):
        return ""
    text = said.values[often.argmax()]
    return f", such as “{text if len(text) <= _SAID else text[:_SAID].rstrip() + '…'}”"


def _offer(reading: Reading) -> str:
    """The possible responses in words."""
    n = len(TASKS[reading.task].outcomes)
    vocabulary = chain(*(reading.coding.words if reading.coding else ())[:n])
    foreign = set(chain(*FOREIGN_CELLS.values()))
    words = ", ".join(word for word in vocabulary if word not in foreign)
    return f"words {words}" if words else "two options" if n == 2 else "objects"


def _repeated(trials: Trials) -> np.ndarray:
    """Rows with one object in two positions that should differ."""
    objects = list(trials.objects[1:] if trials.anchored else trials.objects)
    pairs = [(a, b) for a, b in combinations(objects, 2)]
    if len(trials.implied[0][0]) == 4:
        a, b, c, d = objects
        return (a == b) | (c == d) | ((a == c) & (b == d)) | ((a == d) & (b == c))
    return np.any([(a == b) & (a != NO_OBJECT) for a, b in pairs], axis=0)


def _holds(table: Table, column: str, values: tuple[str, ...]) -> np.ndarray:
    return table.codes(column).each(lambda text: text in values, "" in values)


def _positions(column: Codes, place: dict[str, int]) -> np.ndarray:
    """Positions of a column's objects; other names are unknown."""
    return column.each(
        lambda text: place.get(plain_number(text), UNKNOWN_OBJECT), NO_OBJECT, np.int32
    )


def _chosen_by_name(choice: np.ndarray, options: list[np.ndarray]) -> np.ndarray:
    chosen = np.full(len(choice), NOT_OFFERED, dtype=np.int8)
    for i in reversed(range(len(options))):
        chosen[choice == options[i]] = i
    chosen[choice == NO_OBJECT] = UNANSWERED
    return chosen


def _chosen_by_word(choice: Codes, coding: Coding, n_options: int) -> np.ndarray:
    meaning = {word: i for i, words in enumerate(coding.words[:n_options]) for word in words}
    none = dict.fromkeys(UNANSWERED_CELLS, UNANSWERED) | meaning
    return choice.each(
        lambda text: none.get(plain_number(text).casefold(), NOT_OFFERED), UNANSWERED, np.int8
    )


def _refuse_impossible_names(table: Table, ids: list[str], columns: tuple[np.ndarray, ...]) -> None:
    for i, text in enumerate(ids):
        wrong = None
        if "\n" in text or "\r" in text:
            wrong = "runs over several lines"
        elif len(text) > MAX_NAME:
            wrong = f"is longer than {MAX_NAME:,} characters"
        if wrong:
            position = min(int(np.argmax(column == i)) for column in columns if i in column)
            raise DataError(
                f"the name of an object {wrong}", file=table.name, row=table.row_number(position),
                remedy="Look for a quotation mark that is opened and not closed, or choose "
                "another column.",
            )
