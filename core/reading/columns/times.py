"""Response times in seconds or milliseconds, and how their numbers are written, person by person.

People use several computers, and laboratories several programs: what holds for one file or person
need not hold for another.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.cells import MISSING, bare
from tripletscope.core.reading.formats.several import file_column
from tripletscope.core.reading.numerals import (
    dots_are_of_thousands,
    may_be_of_thousands,
    plain_floats,
)
from tripletscope.core.reading.table import Table

#: Answers without which a person has no unit of their own.
_ENOUGH = 5
#: Two units differ by 1000. Slow people are hardly this much slower than others, ...
_APART = 100.0
#: ... and people whose times are in the same unit hardly differ so much.
_ALIKE = 30.0
#: Medians of people, in milliseconds from here on; in seconds from here on and up to there.
_FROM_MS, _SECONDS = 100.0, (0.15, 100.0)
#: Groups whose numbers are looked at one by one.
_MOST_GROUPS = 20_000
#: Cells without a number that are looked at.
_LOOKED_AT = 1_000


def groups_of(table: Table, roles: Mapping[str, str]) -> tuple[np.ndarray, list[str]]:
    """(N,) number of the person of each row, within a file; and names of these."""
    names, codes = [""], np.zeros(table.n_rows, dtype=np.int64)
    for column in dict.fromkeys((roles.get("participant"), file_column(table))):
        if column is None:
            continue
        coded = table.codes(column)
        n = len(coded.values) + 1
        distinct, codes = np.unique(codes * n + coded.codes + 1, return_inverse=True)
        values = ["", *coded.values]
        names = [
            " of ".join(filter(None, (names[pair // n], values[pair % n])))
            for pair in distinct.tolist()
        ]
    return codes, names


def times_of(table: Table, column: str, groups: np.ndarray) -> np.ndarray:
    """(N,) numbers of a column, each group by its own way to write thousands and decimals."""
    numbers = table.numbers(column)
    data = table.data.column(column)
    if pa.types.is_floating(data.type) or not _doubtful(numbers, table, column):
        return numbers
    numbers = numbers.copy()  # those of a single chunk belong to the table
    if groups.max(initial=0) >= _MOST_GROUPS:
        groups = np.zeros_like(groups)
    order = np.argsort(groups, kind="stable")
    edges = np.flatnonzero(np.diff(groups[order], prepend=-1, append=groups.max(initial=0) + 1))
    texts = data.cast(pa.string()).combine_chunks().fill_null("")
    certain = np.zeros(int(groups.max(initial=0)) + 1, dtype=bool)
    if plain_floats(texts) is not None:  # a dot is of decimals where one cell says so
        certain[groups[~may_be_of_thousands(texts)]] = True
    for start, stop in itertools.pairwise(edges):
        rows = order[start:stop]
        if certain[groups[rows[0]]]:
            continue
        own = texts.take(pa.array(rows))
        if dots_are_of_thousands(own):
            numbers[rows] = 1000 * numbers[rows]
            whole = pa.compute.invert(pa.compute.match_substring(own, "."))
            at = rows[whole.to_numpy(zero_copy_only=False)]
            numbers[at] /= 1000
        else:
            numbers[rows] = table.holding(pa.table({column: own})).numbers(column)
    return numbers


def _doubtful(numbers: np.ndarray, table: Table, column: str) -> bool:
    """Whether numbers may be written in several ways."""
    finite = numbers[np.isfinite(numbers)]
    unread = np.flatnonzero(~np.isfinite(numbers))[:_LOOKED_AT]
    if table.has_commas(column):
        return True
    if len(unread):  # taking none of millions takes as long
        cells = table.data.column(column).take(pa.array(unread)).cast(pa.string()).to_pylist()
        if not all(bare(cell or "").casefold() in MISSING for cell in cells):
            return True
    fraction = finite[finite != np.floor(finite)]
    if not len(fraction) or not ((finite == np.floor(finite)) & (finite >= 100)).any():
        return False
    return bool((fraction < 1000).any() and np.isclose(
        1000 * fraction[fraction < 1000], np.round(1000 * fraction[fraction < 1000])
    ).all())


def unit_of(times: np.ndarray) -> str:
    """The unit of response times by their size."""
    positive = times[times > 0]
    return "ms" if len(positive) and np.median(positive) >= _FROM_MS else "s"


def units_of(times: np.ndarray, groups: np.ndarray) -> np.ndarray | None:
    """(G,) bool, whether the times of each group are in milliseconds; None if they have one unit.

    One cut divides the groups. People of one unit would differ by a factor that people never do,
    and those of two units differ as people do.
    """
    known = times > 0
    medians = pd.Series(times[known]).groupby(groups[known]).agg(["median", "size"])
    enough = medians["median"][medians["size"] >= _ENOUGH].sort_values()
    values = enough.to_numpy()
    if len(values) < 2:
        return None
    cut = int(np.argmax(np.diff(np.log(values)))) + 1
    low, high = float(np.median(values[:cut])), float(np.median(values[cut:]))
    in_range = high >= _FROM_MS and _SECONDS[0] <= low < _SECONDS[1]
    two = high / low >= _APART and 1 / _ALIKE <= high / low / 1000 <= _ALIKE
    one = values[cut] / values[cut - 1] < _APART / _ALIKE
    if not in_range or not two or one:
        return None
    result = np.zeros(int(groups.max()) + 1, dtype=bool)
    middle = np.sqrt(values[cut] * values[cut - 1])
    result[medians.index[medians["median"] >= middle]] = True
    return result
