"""Rows that occur twice, files that were given twice, and people of several files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import poisson

from tripletscope.core.data.places import different
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.formats.several import file_column
from tripletscope.core.reading.interpretation.imported import Note
from tripletscope.core.reading.interpretation.trials import Trials
from tripletscope.core.reading.names import counted, listing
from tripletscope.core.reading.table import Codes, Table, as_texts, decoded

#: Rows in a row, each unlike the others, that hardly anybody answers alike by chance.
_BLOCK = 20
#: Chance that as many rows are alike by accident, and how much more there must be.
_ACCIDENT, _TIMES_MORE = 1e-3, 5.0
#: Least times that there are as many questions with a column as without it.
_FREE = 1.05
#: Bits by which most keys are told from those that recur.
_LOW = np.uint64(2**20 - 1)
#: Odd, as mixing needs.
_MIXER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows that repeat an earlier one.

    of (N,): Position of the earlier row; -1 of rows that repeat none.
    files: Names of a file and of the earlier one with the same rows.
    """

    of: np.ndarray
    files: tuple[tuple[str, str], ...] = ()

    @property
    def rows(self) -> np.ndarray:
        """(N,) bool"""
        return self.of >= 0


def copies_of(table: Table, reading: Reading, trials: Trials) -> Copies:
    """Rows with the same participant, question and answer as an earlier one, and all else, too.

    People answer a question again, and alike. Rows are copies if other columns are the same, such
    as response times, of which an accident has another; or if many rows follow each other as they
    did before. Numbers of rows do not count.
    """
    none = np.full(table.n_rows, -1, dtype=np.int64)
    if table.n_rows < 2:
        return Copies(none)
    file = file_column(table)
    answered = trials.outcome >= 0
    for column in trials.objects[: trials.optional]:
        answered &= column >= 0
    question = np.zeros(table.n_rows, dtype=np.uint64)
    for numbers in (*trials.objects, trials.outcome):
        question = _mixed(question, numbers.astype(np.int64).view(np.uint64))
    key = question
    who = reading.roles.get("participant")
    if who is not None and who != file:
        key = _mixed(key, _hashes(table, who))
    named = {reading.roles[role] for role in (*reading.objects, "choice", "choice2", "participant")
             if role in reading.roles}
    rest = sorted((c for c in table.columns if c not in named and c != file),
                  key=lambda column: -table.n_values_at_most(column))
    whole, others = key, []
    left = _repeated(whole, answered)
    for column in rest:
        if not left.any():
            break
        values = _hashes(table, column)
        if _numbers_rows(table, column):
            continue
        others.append(column)
        whole = _mixed(whole, values)
        left &= _repeated(whole, left)
    of, files, finest = none, (), None
    if left.any():
        times = [reading.roles[role] for role in ("response_time", "time") if role in reading.roles]
        once = answered.copy()
        once[left] = ~pd.Series(whole[left]).duplicated().to_numpy()
        telling = ((column, _hashes(table, column)) for column in others)
        finest = next((values for column, values in telling
                       if column in times or _is_free(values[once], question[once])), None)
        of = _earlier(whole, left)
        if not _are_no_accident(key[answered], finest[answered] if finest is not None else None,
                                np.count_nonzero(of >= 0)):
            of = np.where(_in_blocks(whole, of), of, -1)
    if file is not None:
        files = tuple(_same_files(table, file, whole, finest))
        for copy, original in files:
            of[copy] = np.where(of[copy] >= 0, of[copy], np.arange(original.start, original.stop))
        values = table.codes(file)
        files = tuple(
            (values.values[values.codes[copy.start]], values.values[values.codes[original.start]])
            for copy, original in files
        )
    return Copies(of, files)


def _mixed(key: np.ndarray, values: np.ndarray) -> np.ndarray:
    mixed = key ^ values
    mixed *= _MIXER
    mixed ^= mixed >> np.uint64(29)
    return mixed


def _hashes(table: Table, column: str) -> np.ndarray:
    """(N,) uint64 of the cells, as they are written."""
    data = table.data.column(column)
    if pa.types.is_floating(data.type):
        return data.to_numpy().astype(np.float64).view(np.uint64)
    parts = [np.zeros(0, dtype=np.uint64)]
    for chunk in data.chunks:
        if not pa.types.is_dictionary(chunk.type):
            chunk = chunk.dictionary_encode()
        texts = np.array([*as_texts(chunk.dictionary), ""], dtype=object)
        hashed = pd.util.hash_array(texts, categorize=False)
        places = chunk.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
        parts.append(hashed[places])
    return np.concatenate(parts)


def _numbers_rows(table: Table, column: str) -> bool:
    """Whether a column counts the rows of the table: each is one more than the one before."""
    head = table.head(100).numbers(column)
    if not np.isfinite(head).all() or not (np.diff(head) == 1).all():
        return False
    return bool((np.diff(table.numbers(column)) == 1).all())


def _repeated(key: np.ndarray, among: np.ndarray) -> np.ndarray:
    """(N,) bool, rows `among` these whose key another one of them has."""
    ordered = np.sort(key[among])  # of millions, sorting is much faster than hashing
    several = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    alike, wanted = ((part & _LOW).view(np.int64) for part in (key, several))
    result = np.zeros(len(key), dtype=bool)
    at = np.flatnonzero(np.isin(alike, wanted, kind="table") & among)
    result[at] = np.isin(key[at], several)
    return result


def _is_free(values: np.ndarray, question: np.ndarray) -> bool:
    """Whether a column says something else where a question is asked and answered again.

    Those that describe the objects do not, and tell nothing of copies.
    """
    n_questions = len(different(question))
    return len(different(_mixed(question, values))) > _FREE * n_questions


def _earlier(key: np.ndarray, among: np.ndarray) -> np.ndarray:
    """(N,) first row with the same key; -1 for that row itself and for rows that are not `among`"""
    of = np.full(len(key), -1, dtype=np.int64)
    at = np.flatnonzero(among)
    codes = pd.factorize(key[at])[0]
    first = np.full(codes.max() + 1, len(key))
    np.minimum.at(first, codes, at)
    of[at] = np.where(first[codes] == at, -1, first[codes])
    return of


def _are_no_accident(key: np.ndarray, finest: np.ndarray | None, n_copies: int) -> bool:
    """Whether more answers to a question are alike in all columns than repeats of it would be."""
    if finest is None:
        return False
    sizes = np.unique(key, return_counts=True)[1].astype(float)
    values = np.unique(finest, return_counts=True)[1] / len(finest)
    by_chance = float((sizes * (sizes - 1) / 2).sum() * (values**2).sum())
    return n_copies > _TIMES_MORE * by_chance and poisson.sf(n_copies - 1, by_chance) < _ACCIDENT


def _in_blocks(key: np.ndarray, of: np.ndarray) -> np.ndarray:
    """(N,) bool: rows in runs that repeat an earlier run, of many different rows."""
    result = np.zeros(len(key), dtype=bool)
    at = np.flatnonzero(of >= 0)
    lags, counts = np.unique(at - of[at], return_counts=True)
    for lag in lags[np.argsort(-counts, kind="stable")][:3].tolist():
        same = np.zeros(len(key), dtype=bool)
        same[lag:] = key[lag:] == key[:-lag]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]])))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            if stop - start >= _BLOCK and len(np.unique(key[start:stop])) >= _BLOCK:
                result[start:stop] = True
    return result


def _same_files(
    table: Table, file: str, key: np.ndarray, finest: np.ndarray | None
) -> Iterator[tuple[slice, slice]]:
    """Rows of files that hold the same as an earlier one, and the rows of that."""
    codes = table.codes(file).codes
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    known: dict[tuple[int, int], slice] = {}
    for start, stop in pairwise(edges):
        rows = slice(start, stop)
        n_different = len(np.unique(key[rows]))
        fine = finest is not None and 2 * len(np.unique(finest[rows])) > stop - start > 4
        if n_different < _BLOCK and not fine:
            continue
        about = stop - start, hash(key[rows].tobytes())
        if about in known:
            yield rows, known[about]
        known.setdefault(about, rows)


# People ------------------------------------------------------------------------------------------


def apart(table: Table, reading: Reading) -> Table:
    """The table with participants of their file: the same id in two files is two people."""
    who, file = reading.roles.get("participant"), file_column(table)
    if not reading.apart or who is None or file is None or who == file:
        return table
    people, files = table.codes(who), table.codes(file)
    several = _in_several(people, files, np.ones(table.n_rows, dtype=bool))
    pairs = people.codes.astype(np.int64) * (len(files.values) + 1) + files.codes
    distinct, codes = np.unique(pairs, return_inverse=True)
    names = []
    for pair in distinct.tolist():
        person, of = divmod(pair, len(files.values) + 1)
        name = people.values[person] if person >= 0 else ""
        names.append(f"{name} ({files.values[of]})" if person in several else name)
    column = decoded(np.where(people.codes < 0, -1, codes), names)
    data = table.data.set_column(table.columns.index(who), who, column)
    return table.holding(data)


def _in_several(people: Codes, files: Codes, among: np.ndarray) -> list[int]:
    """Numbers of the people that occur in several files."""
    n = len(files.values) + 1
    among = among & (people.codes >= 0)
    pairs = different(people.codes[among].astype(np.int64) * n + files.codes[among])
    person, count = np.unique(pairs // n, return_counts=True)
    return person[count > 1].tolist()


def on_people(table: Table, reading: Reading, copies: Copies) -> Iterable[Note]:
    """A note on participants with the same id in several files."""
    who, file = reading.roles.get("participant"), file_column(table)
    if who is None or file is None or who == file or reading.apart is not None:
        return
    people, files = table.codes(who), table.codes(file)
    several = _in_several(people, files, ~copies.rows)
    # Where files are called by their participant, an id is a person.
    names = [people.values[k] for k in several if not all(
        people.values[k].casefold() in files.values[of].casefold()
        for of in np.unique(files.codes[people.codes == k])
    )] if len(several) <= 1_000 else [people.values[k] for k in several]
    if names:
        yield Note("same_ids", {
            "people": counted(len(names), "participant id"), "ids": listing(names),
            "occur": "occurs" if len(names) == 1 else "occur",
            "files": listing([files.values[k] for k in np.unique(
                files.codes[np.isin(people.codes, several)]
            )]),
        })


def on_copies(reading: Reading, copies: Copies, answered: np.ndarray) -> Iterable[Note]:
    """Notes on rows, and on files, that occur twice."""
    for copy, original in copies.files:
        yield Note("same_files", {"copy": copy, "original": original})
    n = int(np.count_nonzero(copies.rows & answered))
    if n and reading.copies is not False:
        yield Note("copies" if reading.copies is None else "copies_kept", {
            "rows": counted(n, "row"), "repeat": "repeats" if n == 1 else "repeat",
        })
