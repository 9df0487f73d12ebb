"""Matrices of distances between known objects."""

from __future__ import annotations

import numpy as np

from core.files.asked import positions_of
from core.files.loading import load
from core.files.names import counted, listing
from core.files.source import Source
from core.files.table import Table
from core.triplets import DataError, Triplets


def read_distances(
    source: Source, objects: Triplets, name: str | None = None
) -> tuple[np.ndarray, np.ndarray, str]:
    """Read a square matrix of distances.

    Parameters
    ----------
    source : path, bytes or binary file object
        A table of numbers with one row and one column per object. Names may stand in the first
        row, in the first column, or in both; without names, rows are all objects in their order.
    objects : Triplets
        Whose objects are meant: by id, by label, or by number from 0.
    name : str, optional
        Of the file, for messages.

    Returns
    -------
    matrix : ndarray, shape (m, m)
        NaN where a cell is no number.
    positions : ndarray of int, shape (m,)
        Of the objects of its rows.
    how : str
        A sentence on how the file was read.

    Raises
    ------
    DataError
        If the table is not square, its rows and columns are in different orders, or it names an
        unknown object or one object twice.
    """
    table, names = _square(source, name)
    columns = table.columns[-table.n_rows :]
    matrix = np.column_stack([table.numbers(column) for column in columns])
    if names is None:
        if len(matrix) != objects.n_objects:
            raise DataError(
                f"there are {counted(len(matrix), 'row')} without names, and "
                f"{counted(objects.n_objects, 'object')}", file=table.name,
                remedy="Write the objects' names into the first row or column.",
            )
        return matrix, np.arange(len(matrix)), (
            f"{counted(len(matrix), 'row')} without names: all objects in their order."
        )
    found, what = positions_of(np.array(names, dtype=object)[:, None], objects)
    found = found[:, 0]
    if (found < 0).any():
        unknown = names[int(np.argmax(found < 0))]
        raise DataError(
            f"{unknown!r} is no object of {objects.name}", file=table.name,
            remedy=f"Name objects by {what}, such as {listing(objects.ids, 3)}.",
        )
    if len(np.unique(found)) < len(found):
        raise DataError(
            "an object has two rows", file=table.name, remedy="Correct or leave out one of them."
        )
    return matrix, found, f"{counted(len(matrix), 'object')}, named by {what}."


def _square(source: Source, name: str | None) -> tuple[Table, list[str] | None]:
    """The table, and the names of its rows where it has them."""
    table = load(source, name, least_columns=2)
    for header in (table.header, True, False):
        if header != table.header:
            # Names that are numbers look like distances.
            table = load(source, name, header=header, least_columns=2)
        beside = len(table.columns) - table.n_rows
        if beside == 0:
            return table, table.columns if table.header else None
        if beside == 1:
            names = table.texts(table.columns[0]).tolist()
            if table.header and set(names) == set(table.columns[1:]) != set() \
                    and names != table.columns[1:]:
                raise DataError(
                    "rows and columns are in different orders", file=table.name,
                    remedy="Sort the rows as the columns are.",
                )
            return table, names
    raise DataError(
        "the table is not square", file=table.name,
        remedy="Give one row and one column per object, with names in the first of each or not.",
    )
