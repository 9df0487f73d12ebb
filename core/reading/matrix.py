"""Square tables of similarities or dissimilarities, for multidimensional scaling."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.source import Source
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.names import counted
from tripletscope.core.reading.table import Table


@dataclass(frozen=True, eq=False)
class SquareTable:
    """Dissimilarities of all pairs of n objects."""

    values: np.ndarray  # (n, n): symmetric, zero on the diagonal
    ids: list[str]  # by default numbers from 1
    is_named: bool  # whether the file has names
    #: Whether the file has similarities: the values are the largest one minus each.
    from_similarities: bool
    notes: list[str]  # how the file was read, as sentences


@dataclass(frozen=True, eq=False)
class Square:
    """Values of all pairs of n objects as in the file."""

    values: np.ndarray  # (n, n): NaN in empty cells
    ids: list[str]  # by default numbers from 1
    is_named: bool
    file: str
    rows: np.ndarray  # (n,): rows of the file

    def dissimilarities(self, similarities: bool | None = None) -> SquareTable:
        """Symmetric dissimilarities with a zero diagonal; one half of the file may be empty."""
        values, ids = self.values.copy(), self.ids
        has_diagonal = bool(np.isfinite(np.diag(values)).any())
        np.fill_diagonal(values, np.nan_to_num(np.diag(values), posinf=0.0, neginf=0.0))
        values = np.where(np.isnan(values), values.T, values)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise DataError(
                "a similarity is missing", file=self.file, row=int(self.rows[row]),
                remedy="Fill it in, in one of the two halves of the table.",
            )
        uneven = np.abs(values - values.T) > 1e-6 * np.abs(values).max(initial=0.0)
        if uneven.any():
            row, column = np.argwhere(uneven)[0]
            raise DataError(
                f"{ids[row]} with {ids[column]} is not {ids[column]} with {ids[row]}",
                file=self.file, row=int(self.rows[row]),
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
        return SquareTable(values, ids, self.is_named, similarities, notes)

    def dissimilarities_or_none(self) -> SquareTable | None:
        """Dissimilarities, or None if the values look like features of the objects.

        They do if they are not symmetric, or the diagonal has neither zeros nor the largest values.
        """
        try:
            matrix = self.dissimilarities()
        except DataError:
            return None
        fits = matrix.from_similarities or not np.nan_to_num(np.diag(self.values)).any()
        return matrix if fits else None


def read_matrix(
    source: Source, name: str | None = None, *, similarities: bool | None = None
) -> SquareTable:
    """Read a square table, with or without names of the objects beside and above it.

    One half may be empty. Of the arrays in a MATLAB or NumPy file the first square one counts.
    """
    return read_square(source, name).dissimilarities(similarities)


def read_square(source: Source, name: str | None = None) -> Square:
    """The values of a square table."""
    table, result = _square(source, name)
    if result is None:
        raise DataError(
            f"the table is not square: it has {counted(table.n_rows, 'row')} and "
            f"{counted(len(table.columns), 'column')}", file=table.name,
            remedy="Give one row and one column per object, with names in the first of each or "
            "not.",
        )
    return _written(*result)


def square_table(source: Source, name: str | None = None) -> SquareTable | None:
    """The distances in a table, or None for columns of numbers.

    Equal names beside and above always mean distances.
    """
    result = _square(source, name, least_columns=1)[1]
    if result is None:
        return None
    table, columns, names = result
    if names == columns and len(table.columns) > len(columns):
        return _written(*result).dissimilarities()
    try:
        return _written(*result).dissimilarities_or_none()
    except DataError:
        return None


def _written(table: Table, columns: list[str], names: list[str] | None) -> Square:
    _refuse_repeated(names or [], table)
    values = np.column_stack([table.numbers(column) for column in columns])
    _refuse_words(table, columns, values)
    ids = names or [str(i + 1) for i in range(len(columns))]
    rows = table.row_numbers(np.arange(len(ids)))
    return Square(values, ids, names is not None, table.name, rows)


def _refuse_words(table: Table, columns: list[str], values: np.ndarray) -> None:
    """Refuse cells with words; those with a dash or a dot count as empty."""
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
    """Refuse repeated names of objects."""
    first: dict[str, int] = {}
    for row, text in enumerate(ids):
        if first.setdefault(text, row) != row:
            raise DataError(
                f"object {text!r} is listed twice", file=table.name, row=table.row_number(row),
                remedy="Give each object one row and its own name.",
            )


#: A table, its columns of numbers, and the names of its rows, if any.
_Square = tuple[Table, list[str], list[str] | None]


def _square(
    source: Source, name: str | None, least_columns: int = 2
) -> tuple[Table, _Square | None]:
    """The table as first read, and the square one, if there is one."""
    first = table = load(source, name, least_columns=least_columns, reshape=False)
    for group in _arrays(table).values():
        if len(group) == table.n_rows:
            return first, (table, group, None)
    for header in (table.header, True, False):
        if header != table.header:
            # Numbers may be names or values.
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
    """The table with an empty first row."""
    empty = {
        name: pa.chunked_array([pa.nulls(1, column.type), *column.slice(1).chunks], column.type)
        for name, column in zip(table.columns, table.data.columns, strict=True)
    }
    return replace(table, data=pa.table(empty))


def _arrays(table: Table) -> dict[str, list[str]]:
    """Columns name[1], name[2] ... of the arrays of a file."""
    result: dict[str, list[str]] = {}
    for column in table.columns:
        stem, bracket, rest = column.rpartition("[")
        if bracket and rest.rstrip("]").isdigit():
            result.setdefault(stem, []).append(column)
    return result
