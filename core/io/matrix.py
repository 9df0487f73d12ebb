"""Square tables of similarities or dissimilarities: what multidimensional scaling starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io.formats.source import Source
from tripletscope.core.io.loading import load
from tripletscope.core.io.names import counted, listing
from tripletscope.core.io.questions import required_positions
from tripletscope.core.io.table import Table


@dataclass(frozen=True, eq=False)
class SquareTable:
    """Dissimilarities of all pairs of n objects."""

    values: np.ndarray  # (n, n): symmetric, zero on the diagonal
    ids: list[str]  # what the objects are called; numbers from 1 if the file does not say
    is_named: bool  # whether the file says so
    #: Whether the file held similarities: these are the largest one minus each.
    from_similarities: bool
    notes: list[str]  # how the file was read, as sentences


def read_matrix(
    source: Source, name: str | None = None, *, similarities: bool | None = None
) -> SquareTable:
    """Read a square table, with or without the names of the objects beside and above it.

    One half may be empty. Of the arrays in a MATLAB or NumPy file the first square one counts.
    """
    return _matrix_of(*_required(source, name), similarities)


def read_square(
    source: Source, name: str | None = None
) -> tuple[np.ndarray, list[str] | None, Table]:
    """(n, n) values of a square table, NaN where nothing is written; names; and the table."""
    table, columns, names = _required(source, name)
    return _values_of(table, columns, names), names, table


def numbered_names(n: int) -> list[str]:
    """What objects without names are called."""
    return [str(i + 1) for i in range(n)]


def _required(
    source: Source, name: str | None
) -> tuple[Table, list[str], list[str] | None]:
    table, result = _square(source, name)
    if result is None:
        raise DataError(
            f"the table is not square: it has {counted(table.n_rows, 'row')} and "
            f"{counted(len(table.columns), 'column')}", file=table.name,
            remedy="Give one row and one column per object, with names in the first of each or "
            "not.",
        )
    return result


def _values_of(table: Table, columns: list[str], names: list[str] | None) -> np.ndarray:
    _refuse_repeated(names or [], table)
    values = np.column_stack([table.numbers(column) for column in columns])
    _refuse_words(table, columns, values)
    return values


def _matrix_of(
    table: Table, columns: list[str], names: list[str] | None, similarities: bool | None = None
) -> SquareTable:
    ids = names or numbered_names(len(columns))
    values = _values_of(table, columns, names)
    has_diagonal = bool(np.isfinite(np.diag(values)).any())
    np.fill_diagonal(values, np.nan_to_num(np.diag(values), posinf=0.0, neginf=0.0))
    values = np.where(np.isnan(values), values.T, values)
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values).any(axis=1)))
        raise DataError(
            "a similarity is missing", file=table.name, row=table.row_number(row),
            remedy="Fill it in, in one of the two halves of the table.",
        )
    uneven = np.abs(values - values.T) > 1e-6 * np.abs(values).max(initial=0.0)
    if uneven.any():
        row, column = np.argwhere(uneven)[0]
        raise DataError(
            f"{ids[row]} with {ids[column]} is not {ids[column]} with {ids[row]}",
            file=table.name, row=table.row_number(int(row)),
            remedy="Average the two halves of the table, if both are meant.",
        )
    away = values[~np.eye(len(values), dtype=bool)]
    reason = "as you stated"
    if similarities is None:
        similarities = has_diagonal and bool(np.diag(values).min() >= away.max(initial=-np.inf))
        reason = (
            "the diagonal holds the largest" if similarities
            else "the diagonal does not hold the largest" if has_diagonal
            else "the diagonal is empty. If large values mean similar, say so"
        )
    kind = "similarities" if similarities else "dissimilarities"
    notes = [f"{counted(len(values), 'object')}; the values are {kind}: {reason}."]
    if similarities:
        values = values.max() - values
    values = (values + values.T) / 2
    np.fill_diagonal(values, 0.0)
    return SquareTable(values, ids, names is not None, similarities, notes)


def square_table(source: Source, name: str | None = None) -> SquareTable | None:
    """The distances in a table, or None where it holds columns of numbers instead.

    These are tables that are not square, and square ones without the same names beside and above
    that are not symmetric, or have something else than zeros or the largest on the diagonal.
    """
    result = _square(source, name, least_columns=1)[1]
    if result is None:
        return None
    table, columns, names = result
    meant = names == columns and len(table.columns) > len(columns)
    try:
        matrix = _matrix_of(table, columns, names)
    except DataError:
        if meant:
            raise
        return None
    diagonal = np.array([table.numbers(column)[k] for k, column in enumerate(columns)])
    fits = matrix.from_similarities or not np.nan_to_num(diagonal).any()
    return matrix if fits or meant else None


def as_dissimilarities(values: np.ndarray) -> tuple[np.ndarray, str] | None:
    """A square array as distances and how it was read, by its symmetry and diagonal; or None."""
    values = np.asarray(values, dtype=float)
    most = np.abs(values).max(initial=0.0)
    if not np.isfinite(most) or len(values) < 2 or (
        np.abs(values - values.T) > 1e-6 * most
    ).any():
        return None
    values, diagonal = (values + values.T) / 2, np.diag(values)
    n = counted(len(values), "object")
    if np.abs(diagonal).max() <= 1e-6 * most:
        np.fill_diagonal(values, 0.0)
        return values, f"A square of {n}, symmetric with a diagonal of zeros: distances."
    if diagonal.min() < values[~np.eye(len(values), dtype=bool)].max():
        return None
    values = values.max() - values
    np.fill_diagonal(values, 0.0)
    return values, (
        f"A square of {n}, symmetric with the largest on the diagonal: similarities, and "
        "distances are the largest minus each."
    )


def read_distances(
    source: Source, objects: Triplets, name: str | None = None
) -> tuple[np.ndarray, np.ndarray, str]:
    """(m, m) distances in a square table, (m,) objects of its rows, and how it was read.

    Rows name objects by id, by label, or by number from 0; without names they are all of them.
    """
    result = read_matrix(source, name)
    file = name or "the table"
    if not result.is_named:
        if len(result.ids) != objects.n_objects:
            raise DataError(
                f"there are {counted(len(result.ids), 'row')} without names, and "
                f"{counted(objects.n_objects, 'object')}", file=file,
                remedy="Write the objects' names into the first row or column.",
            )
        how = "Without names: all objects in their order."
        return result.values, np.arange(len(result.ids)), " ".join([*result.notes, how])
    places, what = required_positions(np.array(result.ids, dtype=object)[:, None], objects, file)
    again = pd.Series(places[:, 0]).duplicated(keep=False).to_numpy()
    if again.any():
        rows = [repr(result.ids[i]) for i in np.flatnonzero(places[:, 0] == places[again][0, 0])]
        raise DataError(
            f"rows {listing(rows)} are about the same object", file=file,
            remedy="Correct or remove all but one of them.",
        )
    return result.values, places[:, 0], " ".join([*result.notes, f"They are named by {what}."])


def _refuse_words(table: Table, columns: list[str], values: np.ndarray) -> None:
    """A cell with a word is a mistake; one with a dash or a dot only is as good as empty."""
    odd = ~np.isfinite(values)
    np.fill_diagonal(odd, False)
    for k in np.flatnonzero(odd.any(axis=0)):
        texts = table.texts(columns[k])
        for row in np.flatnonzero(odd[:, k]):
            if any(character.isalnum() for character in texts[row]):
                raise DataError(
                    f"{texts[row]!r} is not a finite number", file=table.name,
                    row=table.row_number(int(row)), remedy="Correct it, or leave the cell empty.",
                )


def _refuse_repeated(ids: list[str], table: Table) -> None:
    """Objects called the same could not be told apart."""
    first: dict[str, int] = {}
    for row, text in enumerate(ids):
        if first.setdefault(text, row) != row:
            raise DataError(
                f"object {text!r} is listed twice", file=table.name, row=table.row_number(row),
                remedy="Give each object one row, and a name of its own.",
            )


#: A table, its columns of numbers, and the names of its rows where it has them.
_Square = tuple[Table, list[str], list[str] | None]


def _square(
    source: Source, name: str | None, least_columns: int = 2
) -> tuple[Table, _Square | None]:
    """The table as it is read first, and the square one; None if it is none."""
    first = table = load(source, name, least_columns=least_columns, reshape=False)
    for group in _arrays(table).values():
        if len(group) == table.n_rows:
            return first, (table, group, None)
    for header in (table.header, True, False):
        if header != table.header:
            # Names that are numbers look like values, and values like names.
            table = load(source, name, header=header, least_columns=least_columns, reshape=False)
        columns = table.columns
        if len(columns) == table.n_rows:
            above = [table.texts(column)[0] for column in columns]
            words = not table.header and not any(
                np.isfinite(table.numbers(column)[0]) for column in columns
            )
            if words and all(above):
                # The first row of half a table is empty, so that its names look like that row.
                return first, (_below_names(table), columns, above)
            if words and above == table.texts(columns[0]).tolist():
                continue  # the corner and the names above and beside
            return first, (table, columns, columns if table.header else None)
        if len(columns) == table.n_rows + 1:
            names, above = table.texts(columns[0]).tolist(), columns[1:]
            if not table.header or set(names) != set(above):
                if np.isfinite(table.numbers(columns[0])).all():
                    continue
                return first, (table, above, names)
            if names != above:
                raise DataError(
                    "rows and columns are in different orders", file=table.name,
                    remedy="Sort the rows as the columns are.",
                )
            return first, (table, above, names)
    return first, None


def _below_names(table: Table) -> Table:
    """The table with an empty row in the place of the first."""
    empty = {
        name: pa.chunked_array([pa.nulls(1, column.type), *column.slice(1).chunks], column.type)
        for name, column in zip(table.columns, table.data.columns, strict=True)
    }
    return replace(table, data=pa.table(empty))


def _arrays(table: Table) -> dict[str, list[str]]:
    """Columns of arrays that came in one file: name[1], name[2] ..."""
    result: dict[str, list[str]] = {}
    for column in table.columns:
        stem, bracket, rest = column.rpartition("[")
        if bracket and rest.rstrip("]").isdigit():
            result.setdefault(stem, []).append(column)
    return result
