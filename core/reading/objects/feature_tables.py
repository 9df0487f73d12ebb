"""Measurements of objects: tables of features, and distances, one or several per file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.cells import writable
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.ratings import Ratings
from tripletscope.core.reading.formats.arrays import arrays_in, decoded_texts
from tripletscope.core.reading.formats.source import Source, refuse_other_kinds, title_of, unpacked
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.matrix import Square, square_table
from tripletscope.core.reading.measuring import read_matrix
from tripletscope.core.reading.names import (
    ALIASES,
    ID_NAMES,
    LABEL_NAMES,
    counted,
    listing,
    named,
    normalised,
    whole_number,
)
from tripletscope.core.reading.objects.matching import (
    check_ids,
    match,
    numbers_of,
    over_people,
    read_objects,
    texts_of,
)
from tripletscope.core.reading.table import Table

#: Columns of classes and outcomes.
_TARGETS = ("class", "target", "response", "outcome", "y")
#: Columns of objects elsewhere, but of classes beside features.
_CLASSES = ("label", "target", "targetid")
#: Cells of missing numbers.
_MISSING = ("na", "n/a", "nan", "null", "none", "?", "-", ".")
#: Columns with at least this share of numbers must have no other cells.
_NEARLY = 0.8


def read_features(source: Source, name: str | None = None) -> pd.DataFrame:
    """Read a table with one row per object and its features in columns of numbers."""
    table = load(source, name, least_columns=1)
    texts = over_people(checked_cells(table, table.columns), table.delimiter != ",")
    id_column = naming_column(texts)
    if id_column is not None:
        check_ids(texts[id_column], table.name)
    label = named([c for c in texts.columns if c != id_column], LABEL_NAMES)
    if label is not None and texts[label].duplicated().any():
        texts = texts.rename(columns={label: "class" if "class" not in texts else f"{label} (2)"})
    if id_column is None:
        id_column = "id" if "id" not in texts else "number of the row"
        texts.insert(0, id_column, [str(k + 1) for k in range(len(texts))])
    objects = read_objects(texts, id_column, name=table.name)
    if not features_of(objects):
        raise no_numbers(table.name)
    return objects


def features_of(objects: pd.DataFrame) -> list[str]:
    """Columns of numbers, except those whose name shows a class or outcome."""
    return [
        column for column in objects.columns
        if column not in ("id", "label", "image") and column.lower() not in _TARGETS
        and pd.api.types.is_numeric_dtype(objects[column])
        and not pd.api.types.is_bool_dtype(objects[column])
    ]


def no_numbers(file: str) -> DataError:
    return DataError(
        "there is no column of numbers", file=file,
        remedy="Give each object one row, with its features in columns of numbers.",
    )


def checked_cells(table: Table, columns: list[str]) -> pd.DataFrame:
    """Columns as texts, labelled with the rows of the file; missing cells are ""."""
    texts = texts_of(table.preview(table.n_rows)[columns])
    texts = texts.mask(texts.isin({*_MISSING, *map(str.upper, _MISSING), "NaN", "None"}), "")
    if table.delimiter != ",":
        texts = texts.apply(lambda one: one.str.replace(",", ".", n=1).where(
            numbers_of(one, decimal_comma=True).notna(), one
        ))
    id_column = naming_column(texts)
    for column in texts.columns.drop([id_column] if id_column else []):
        _check_numbers(texts[column], table.name)
    return texts


def naming_column(texts: pd.DataFrame) -> str | None:
    """The column that names the objects; numbers do so only under a usual name."""
    usual = named(texts.columns, [name for name in ID_NAMES if name not in _CLASSES])
    if usual is not None and (texts[usual] != "").all():
        return usual
    for column in texts:
        identifies = texts[column].is_unique and (texts[column] != "").all()
        if identifies and numbers_of(texts[column]).isna().all():
            return column
    return None


def _check_numbers(texts: pd.Series, name: str) -> None:
    """Refuse other texts among numbers, which would make the column one of texts."""
    written = texts[texts != ""]
    wrong = numbers_of(written).isna()
    if wrong.any() and not wrong.all() and (~wrong).mean() >= _NEARLY:
        raise DataError(
            f"{written[wrong].iloc[0]!r} in the column {texts.name!r} is not a number", file=name,
            row=int(wrong.index[wrong][0]), remedy="Correct it, or leave the cell empty.",
        )


#: Most bytes of the numbers of one table.
MOST_BYTES = 4 * 10**8
#: Most tables in one file, such as layers of a network.
MOST_TABLES = 100
#: Arrays of names, and columns that number the rows, `normalised`.
_NAMES = {*ID_NAMES, *(f"{name}s" for name in ID_NAMES), "words", "concepts", "categories"}
_NUMBERING = ("", "column1", "unnamed0", "index", "row", "rownames", "indexlevel0")
#: A square table may have this many more rows or columns, with names.
_ASIDE = 1
#: Fewest objects with measurements.
_FEWEST = 3
#: Most groups of objects that a column of texts may name.
_MOST_GROUPS = 10


@short_repr
@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Measurements of the n objects of some answers: features of each, or their distances.

    Attributes
    ----------
    name : str
        The file without its ending, and the name of the array, if there are several.
    values : ndarray, shape (n, m), or None
        Features; NaN in rows of objects that are not in the table, or lack a number.
    distances : ndarray, shape (n, n), or None
        Instead of features; NaN for objects that are not in the table.
    columns : list of str
        Names of the features; empty if the file has none.
    notes : list of str
        How the file was read, and its rows matched to the objects, as sentences.
    missing : list of str
        Ids of objects without measurements.
    """

    name: str
    values: np.ndarray | None
    distances: np.ndarray | None
    columns: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def about(self) -> str:
        """The content in a few words."""
        if self.distances is not None:
            return f"distances of {counted(len(self.distances) - len(self.missing), 'object')}"
        n, m = self.values.shape
        return f"{counted(m, 'feature')} of {counted(n - len(self.missing), 'object')}"

    @property
    def measured_distances(self) -> tuple[np.ndarray, np.ndarray]:
        """(m, m) distances of the objects that have any, and (m,) their positions."""
        others = np.where(np.eye(len(self.distances), dtype=bool), np.nan, self.distances)
        objects = np.flatnonzero(~np.isnan(others).all(axis=1))
        return np.ascontiguousarray(self.distances[np.ix_(objects, objects)], float), objects

    def ratings(self, about: Answers, name: str | None = None) -> Ratings:
        """Distances as ratings by nobody in particular, for `tripletscope.ratings.map_measured`.

        Parameters
        ----------
        about : Triplets or Quadruples
            With the names of the objects.
        name : str, optional
            For captions; by default that of the table.
        """
        matrix, objects = self.measured_distances
        ids = [about.ids[i] for i in objects.tolist()]
        result = Ratings.from_matrices([matrix], ids, direction="dissimilar")
        result.source = self.name if name is None else name
        return result


def read_feature_tables(
    source: Source, about: Answers, name: str | None = None
) -> list[FeatureTable]:
    r"""Read tables of features of objects, or of distances between them.

    A square table has distances if it is symmetric and its diagonal zero or empty, and similarities
    if its diagonal has the largest values. All other tables have features.

    Parameters
    ----------
    source : path, bytes or binary file object
        CSV and its relatives, Excel, Parquet, NumPy, HDF5 or MATLAB, also in a zip archive. Each of
        several arrays in a file is a table; one of texts names the objects.
    about : Triplets or Quadruples
        With the objects. A column such as id or name matches rows to objects, as in
        `attach_objects`; without one, the rows are all objects in order.
    name : str, optional
        Of the file, for messages.

    Returns
    -------
    list of FeatureTable

    Raises
    ------
    DataError
        If a file is unreadable, the rows do not match the objects, a column of numbers has other
        cells, or there are too many numbers.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]])
    >>> sizes = b"width,height\n1,2\n2,2\n4,3\n"
    >>> table = ts.features.read_feature_tables(sizes, answers, "sizes.csv")[0]
    >>> table.name, table.columns, table.about
    ('sizes', ['width', 'height'], '2 features of 3 objects')
    """
    result = [table for data, own in unpacked(source, name) for table in _tables(data, own, about)]
    if len(result) > MOST_TABLES:
        raise DataError(
            f"it holds {len(result):,} tables", file=name,
            remedy=f"At most {MOST_TABLES} are read at once; upload fewer.",
        )
    return result


def _tables(data: bytes, name: str, about: Answers) -> Iterator[FeatureTable]:
    refuse_other_kinds(data, name)
    arrays = arrays_in(data, name)
    if arrays is None:
        yield _of_table(data, name, about)
        return
    texts = {
        key: [writable(text.strip()) for text in decoded_texts(values).ravel().tolist()]
        for key, values in arrays.items()
        if values.dtype.kind in "US" and values.size == max(values.shape, default=0)
    }
    # Activations of a network's units at several places are consecutive.
    matrices = {
        key: values.reshape(len(values), -1) for key, values in arrays.items()
        if values.dtype.kind in "biuf" and values.ndim and values.size > 1
    }
    if not matrices:
        raise no_numbers(name)
    for key, values in matrices.items():
        if _numbers_rows(key, values):
            continue
        whole = name if len(matrices) == 1 else f"{name}, {key}"
        named = next((names for own, names in texts.items() if len(names) == len(values)
                      and (len(texts) == 1 or normalised(own) in _NAMES)), None)
        title = title_of(name) if len(matrices) == 1 else f"{title_of(name)} {key}"
        square, notes = None, []
        if 1 < len(values) == values.shape[1]:
            ids, rows = [str(i + 1) for i in range(len(values))], np.arange(1, len(values) + 1)
            square = Square(values.astype(float), ids, False, name, rows).dissimilarities_or_none()
        if square is not None:
            values, notes = square.values, square.notes
        yield _matched(title, values, [], named, about, whole, notes, None, square is not None)


def _numbers_rows(key: str, values: np.ndarray) -> bool:
    """Whether an array numbers its rows, by its name and values."""
    counts = values.shape[1] == 1 and key and normalised(key) in {*_NAMES, *_NUMBERING}
    return bool(counts) and np.array_equal(np.diff(values[:, 0]), np.ones(len(values) - 1))


def _of_table(data: bytes, name: str, about: Answers) -> FeatureTable:
    """Features, or distances, in a table of texts, a sheet, records or Parquet."""
    table = load(data, name, least_columns=1, reshape=False)
    about_square = abs(table.n_rows - len(table.columns)) <= _ASIDE
    square = square_table(table) if about_square else None
    if square is not None:
        return _matched(
            title_of(name), square.values, [], square.ids if square.is_named else None, about, name,
            square.notes, None, square=True,
        )
    if named(table.columns, ALIASES["participant"]):
        means = over_people(texts_of(table.preview(table.n_rows)), table.delimiter != ",")
        table = load(means.to_csv(index=False).encode(), name, least_columns=1, reshape=False)
    exact = [c for c in table.columns if pa.types.is_floating(table.data.column(c).type)]
    texts = checked_cells(table, [c for c in table.columns if c not in exact])
    notes, numbering = [], _numbering(texts, table)
    if numbering is not None:
        texts = texts.drop(columns=numbering)
        notes.append(f"The first column numbers the rows and is left out ({numbering!r}).")
    id_column = naming_column(texts)
    if id_column is not None:
        check_ids(texts[id_column], name)
    numbers = {column: table.numbers(column) for column in exact}
    for column in texts.columns.drop([id_column] if id_column else []):
        result = numbers_of(texts[column])
        if result.notna().any() and (texts[column][result.isna()] == "").all():
            numbers[str(column)] = result.to_numpy(dtype=float)
    order = [column for column in table.columns if column in numbers]
    rest = [c for c in texts.columns if c != id_column and c not in numbers]
    grouped = {str(c): coded for c in rest if (coded := _groups(str(c), texts[c]))}
    for coded in grouped.values():
        numbers |= coded
        order += coded
    if not order:
        raise no_numbers(name)
    if grouped:
        notes.append(f"Groups, coded by differences: {listing([*grouped])}.")
    left = [str(c) for c in rest if str(c) not in grouped]
    if left:
        notes.append(f"No numbers, and left out: {listing(left)}.")
    return _matched(
        title_of(name), np.column_stack([numbers[column] for column in order]), order,
        None if id_column is None else texts[id_column].tolist(), about, name, notes,
        table.row_numbers(np.arange(table.n_rows)), square=False,
    )


def _groups(column: str, texts: pd.Series) -> dict[str, np.ndarray]:
    """Columns for the groups that a column of texts names; none if it names single objects.

    Objects of different groups have a squared distance of 1: two groups are 0 and 1, of more each
    has a column.
    """
    names = sorted({*texts})
    if "" in names or not 2 <= len(names) <= min(_MOST_GROUPS, len(texts) // 2):
        return {}
    size = 1.0 if len(names) == 2 else np.sqrt(0.5)
    named = names[1:] if len(names) == 2 else names
    return {f"{column}: {one}": size * (texts == one).to_numpy(dtype=float) for one in named}


def _numbering(texts: pd.DataFrame, table: Table) -> str | None:
    """A first column without a name of its own that counts the rows."""
    first = table.columns[0]
    if not table.header or first not in texts or normalised(str(first)) not in _NUMBERING:
        return None
    counted_from = [[str(k + base) for k in range(len(texts))] for base in (0, 1)]
    return str(first) if texts[first].tolist() in counted_from and texts.shape[1] > 1 else None


def _matched(
    title: str, values: np.ndarray, columns: list[str], names: list[str] | None,
    about: Answers, file: str, notes: list[str], rows: np.ndarray | None, square: bool,
) -> FeatureTable:
    """The table with a row for each object of the answers."""
    _check_size(values, about.n_objects, file)
    places, how = _places(names, len(values), about, file)
    has_row = places >= 0
    if square:
        wide, notes = _spread(values, places), [*notes, how]
    else:
        _refuse_infinite(values, columns, file, rows)
        values, columns, notes = _without_empty(values, columns, [*notes, how])
        wide = np.full((about.n_objects, values.shape[1]), np.nan, _kept_as(values))
        wide[has_row] = values[places[has_row]]
        lacking = has_row & np.isnan(wide).any(axis=1)
        if lacking.any():
            short = [about.ids[i] for i in np.flatnonzero(lacking)]
            notes.append(
                f"{counted(len(short), 'object')} omitted for missing numbers: {listing(short)}."
            )
        wide[lacking] = np.nan
        has_row &= ~lacking
    if has_row.sum() < _FEWEST:
        raise DataError(
            f"only {counted(int(has_row.sum()), 'object')} of {about.n_objects:,} can be compared",
            file=file, remedy="Complete the numbers, or leave out columns with many empty cells.",
        )
    missing = [about.ids[i] for i in np.flatnonzero(places < 0)]
    if missing:
        notes.append(f"{counted(len(missing), 'object')} not in it: {listing(missing)}.")
    unused = len(values) - int((places >= 0).sum())
    if unused:
        notes.append(f"{counted(unused, 'row')} about other objects.")
    unmeasured = [about.ids[i] for i in np.flatnonzero(~has_row)]
    return FeatureTable(
        title, None if square else wide, wide if square else None, columns, notes, unmeasured
    )


def _check_size(values: np.ndarray, n_objects: int, file: str) -> None:
    size = _kept_as(values).itemsize
    if size * values.size <= MOST_BYTES:
        return
    most = max(MOST_BYTES // (size * max(len(values), n_objects)), 1)
    raise DataError(
        f"its {len(values):,} rows of {counted(values.shape[1], 'number')} take "
        f"{size * values.size / 1e6:,.0f} MB, more than {MOST_BYTES / 1e6:.0f}", file=file,
        remedy=f"Reduce each object to at most {most:,} numbers, by principal components or by "
        "averaging over places, or give the distances instead.",
    )


def _kept_as(values: np.ndarray) -> np.dtype:
    """Single precision if the file has no more."""
    return np.dtype(np.float32 if values.dtype in (np.float16, np.float32) else float)


def _refuse_infinite(
    values: np.ndarray, columns: list[str], file: str, rows: np.ndarray | None
) -> None:
    wrong = np.argwhere(np.isinf(values))
    if len(wrong):
        row, column = wrong[0]
        where = repr(columns[column]) if columns else f"{column + 1}"
        raise DataError(
            f"a number in column {where} is infinite", file=file,
            row=int(rows[row]) if rows is not None else int(row) + 1,
            remedy="Correct it, or leave it empty (NaN).",
        )


def _without_empty(
    values: np.ndarray, columns: list[str], notes: list[str]
) -> tuple[np.ndarray, list[str], list[str]]:
    """The table without columns that have no number."""
    empty = np.isnan(values).all(axis=0)
    if not empty.any() or empty.all():
        return values, columns, notes
    kept = [name for name, gone in zip(columns, empty, strict=True) if not gone] if columns else []
    return values[:, ~empty], kept, [
        *notes, f"{counted(int(empty.sum()), 'column')} without any number left out."
    ]


def _places(
    names: list[str] | None, n_rows: int, about: Answers, file: str
) -> tuple[np.ndarray, str]:
    """(n,) the row of each object, -1 for none; and a sentence on how they were matched."""
    n = about.n_objects
    if names is None:
        if n_rows != n:
            raise DataError(
                f"it has {counted(n_rows, 'row')} without names, and there are "
                f"{counted(n, 'object')}", file=file,
                remedy="Add a column id with the names of the objects, such as "
                f"{listing(about.ids, 3)}.",
            )
        return np.arange(n), (
            f"Its rows have no names: they are taken as all objects in their order, the first as "
            f"{about.labels[0]}, the last as {about.labels[-1]}."
        )
    places, how = match(about.objects, pd.DataFrame({"id": names}), None, file)
    if (places >= 0).any():
        return places, how
    counted_from = _all_numbers(names, n)
    if counted_from is not None:
        at = {int(text) - counted_from: row for row, text in enumerate(names)}
        return np.array([at[i] for i in range(n)]), (
            f"Objects are numbered from {counted_from} in their order: number {counted_from} is "
            f"{about.labels[0]}, {counted_from + n - 1} is {about.labels[-1]}."
        )
    raise DataError(
        f"none of the objects ({listing(about.ids, 3)}) is among its names ({listing(names, 3)})",
        file=file, remedy="Name the objects in a column id as the answers do, or leave the names "
        "out if the rows are all objects in their order.",
    )


def read_distances(source: Source, about: Answers, name: str | None = None) -> FeatureTable:
    """Distances in a square table or in ratings of pairs.

    Its rows name some of the objects, or are all of them in order.
    """
    square, file = read_matrix(source, name), name or "the table"
    places, how = _places(square.ids if square.is_named else None, len(square.ids), about, file)
    strange = np.setdiff1d(np.arange(len(square.ids)), places)
    if len(strange):
        raise DataError(
            f"{square.ids[strange[0]]!r} is no object of {about.name}, or not the only row about "
            "one", file=file, remedy=f"Name objects as the answers do: {listing(about.ids, 3)}.",
        )
    _check_size(square.values, about.n_objects, file)
    missing = [about.ids[i] for i in np.flatnonzero(places < 0)]
    wide, notes = _spread(square.values, places), [*square.notes, how]
    return FeatureTable(title_of(file), None, wide, [], notes, missing)


def _spread(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Distances (m, m) between all objects, by the row of each; NaN for those without one."""
    wide = np.full((len(places), len(places)), np.nan)
    known = np.flatnonzero(places >= 0)
    wide[np.ix_(known, known)] = values[np.ix_(places[known], places[known])]
    return wide


def _all_numbers(names: list[str], n: int) -> int | None:
    """0 or 1 if the names are the numbers of all objects from there, else None."""
    numbers = sorted(-1 if (value := whole_number(text)) is None else value for text in names)
    return next((base for base in (0, 1) if numbers == list(range(base, n + base))), None)
