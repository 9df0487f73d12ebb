"""Tables of objects: what is known of each object beside the answers."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import plain_number, unmarked
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.io.formats.source import Source
from tripletscope.core.io.loading import load
from tripletscope.core.io.names import (
    ID_NAMES,
    IMAGE_NAMES,
    LABEL_NAMES,
    file_name,
    is_picture_name,
    listing,
    named,
    stem,
    without_tags,
)
from tripletscope.core.io.objects.matching import MatchReport, match

Given = TypeVar("Given", bound=Judgements)

#: Texts of at most this many different values, and on average twice each, are categories.
_MOST_CATEGORIES = 200


def read_objects(
    source: Source | pd.DataFrame,
    id_column: str | None = None,
    *,
    name: str | None = None,
    header: bool | None = None,
) -> pd.DataFrame:
    r"""Read a table with one row per object.

    Parameters
    ----------
    source : path, bytes, binary file object or DataFrame
    id_column : str, optional
        The column that identifies the objects. By default the first usual name, such as id or
        object, whose values are unique, or else the first column with unique values.
    name : str, optional
        Name of the file, for messages.
    header : bool, optional
        Whether the first row of the file names the columns; by default the program decides.

    Returns
    -------
    DataFrame
        ``id``, ``label``, ``image`` if there is one, then the other columns: numbers as floats
        or integers, words that repeat as categories, other text as text.

    Raises
    ------
    DataError
        If no column identifies the objects, or an id is missing or comes twice.

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.read_objects(b"name,size_cm\ncup,9\nmug,10\n")[["id", "label", "size_cm"]]
        id label  size_cm
    0  cup   cup        9
    1  mug   mug       10
    """
    if isinstance(source, pd.DataFrame):
        cells = source.reset_index(drop=True)
        name, decimal_comma = name or "table of objects", False
    else:
        table = load(source, name, header=header, least_columns=1)
        name, decimal_comma = table.name, table.delimiter != ","
        cells = table.preview(table.n_rows)  # labelled with the rows of the file
    texts = pd.DataFrame({str(column): _as_texts(cells[column]) for column in cells.columns})
    id_column = id_column or _id_column(texts, name)
    if id_column not in texts:
        raise DataError(
            f"there is no column {id_column!r}", file=name,
            remedy=f"The columns are {listing(list(texts.columns))}.",
        )
    # As the objects of answers are read: both files may have been written with a fraction.
    texts[id_column] = texts[id_column].map(plain_number)
    _check_ids(texts[id_column], name)
    texts = texts.reset_index(drop=True)
    ids = texts[id_column]
    objects = pd.DataFrame({"id": ids})
    label = named([c for c in texts.columns if c != id_column], LABEL_NAMES)
    objects["label"] = texts[label].where(texts[label] != "", ids) if label else ids.map(stem)
    if objects["label"].duplicated().any() and not label:
        objects["label"] = ids
    image = named(texts.columns, IMAGE_NAMES)
    if image is None and ids.map(is_picture_name).all():
        image = id_column
    if image is not None:
        objects["image"] = texts[image].map(lambda text: file_name(without_tags(text)) or None)
    for column in texts.columns:
        if column not in (id_column, label, image):
            other = column if column not in objects else f"{column} (2)"
            objects[other] = _typed(texts[column], decimal_comma)
    return objects


def attach_objects(
    triplets: Given,
    table: Source | pd.DataFrame,
    index_base: int | None = None,
    *,
    add: bool = False,
) -> tuple[Given, MatchReport]:
    """Describe the objects of `triplets` by a table."""
    table = read_objects(table)
    known = triplets.objects
    places, how = match(known, table, index_base)
    if len(known) and not (places >= 0).any():
        raise DataError(
            f"none of the objects ({listing(triplets.ids, 3)}) is in the table of objects "
            f"({listing(table['id'].tolist(), 3)})",
            remedy="Name the objects in a column id as the answers do.",
        )
    unused = np.setdiff1d(np.arange(len(table)), places)
    found = _rows(table, places)
    described = known[["id", "label"]].copy()
    own_labels = (table["label"] != table["id"].map(stem)).any()
    # A table without labels of its own has only its ids to offer, which may be less than we have.
    if own_labels or (known["label"] == known["id"]).all():
        described["label"] = found["label"].where(places >= 0, known["label"])
    for column in known.columns.drop(["id", "label"]).drop(table.columns, errors="ignore"):
        described[column] = known[column]
    for column in table.columns.drop(["id", "label"]):
        described[column] = found[column]
    if "image" in known and "image" in table:
        described["image"] = found["image"].where(found["image"].notna(), known["image"])
    taken = set(triplets.ids)
    added = [i for i in unused if add and table["id"][i] not in taken]
    if added:
        described = pd.concat([described, table.iloc[added]], ignore_index=True)
    report = MatchReport(
        how, int((places >= 0).sum()),
        missing=[i for i, place in zip(triplets.ids, places, strict=True) if place < 0],
        unused=table["id"].iloc[np.setdiff1d(unused, added)].tolist(),
        added=table["id"].iloc[added].tolist(),
    )
    return triplets.with_objects(described), report


def _rows(table: pd.DataFrame, places: np.ndarray) -> pd.DataFrame:
    """Rows of the table at `places`; missing where a place is -1."""
    return table.reindex(np.where(places < 0, -1, places)).reset_index(drop=True)


def _as_texts(column: pd.Series) -> pd.Series:
    texts = column.astype("str").fillna("").str.strip().map(unmarked)
    return texts.map(plain_number) if pd.api.types.is_float_dtype(column) else texts


def _id_column(texts: pd.DataFrame, name: str) -> str:
    unique = [c for c in texts.columns if texts[c].is_unique and (texts[c] != "").all()]
    usual = named(unique, ID_NAMES) or named(texts.columns, ["id"])
    if usual is None and not unique:
        raise DataError(
            "no column has a different value in each row, so none identifies the objects",
            file=name, remedy="Give each object one row and an id.",
        )
    # What is wrong with a column called id is told: numbers beside it are hardly meant.
    return usual or unique[0]


def _check_ids(ids: pd.Series, name: str) -> None:
    for wrong, problem, remedy in (
        (ids == "", "an object has no id", "Give each object an id."),
        (ids.duplicated(), "object {!r} is listed twice", "Keep one row per object."),
    ):
        if wrong.any():
            row = ids.index[wrong][0]
            raise DataError(problem.format(ids[row]), file=name, row=int(row), remedy=remedy)


def _typed(texts: pd.Series, decimal_comma: bool) -> pd.Series:
    """Numbers as numbers, words that repeat as categories."""
    written = texts[texts != ""]
    figures = texts.str.replace(",", ".", n=1) if decimal_comma else texts
    numbers = pd.to_numeric(figures.where(figures != ""), errors="coerce")
    if len(written) and numbers[written.index].notna().all():
        return numbers.astype(np.int64) if _are_whole(numbers) else numbers
    texts = texts.where(texts != "")
    unique = written.nunique()
    return texts.astype("category") if unique <= min(_MOST_CATEGORIES, len(texts) / 2) else texts


def _are_whole(numbers: pd.Series) -> bool:
    return bool(numbers.notna().all() and (numbers == numbers.round()).all()
                and numbers.abs().max() < 2**53)

