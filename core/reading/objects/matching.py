"""Tables of objects, matched to the objects of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import composed, plain_number, unmarked
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.reading.formats.source import Source
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.names import (
    ALIASES,
    ID_NAMES,
    IMAGE_NAMES,
    LABEL_NAMES,
    counted,
    file_name,
    is_picture_name,
    listing,
    named,
    normalised,
    stem,
    stem_key,
    whole_number,
    without_tags,
)


@dataclass(frozen=True)
class MatchReport:
    """How objects were matched to rows of a table, or to pictures."""

    how: str  # as a sentence
    n_matched: int
    missing: list[str]  # ids of objects without a match
    unused: list[str]  # rows or pictures without an object
    added: list[str]  # rows that became objects without answers

    def summary(self) -> list[str]:
        lines = [f"{counted(self.n_matched, 'object')} matched. {self.how}"]
        for items, what in (
            (self.missing, "without a match"), (self.unused, "unused"), (self.added, "added"),
        ):
            if items:
                lines.append(f"{len(items):,} {what}: {listing(items)}.")
        return lines


def match(
    objects: pd.DataFrame, table: pd.DataFrame, index_base: int | None, file: str | None = None
) -> tuple[np.ndarray, str]:
    """(n,) rows of `table` for the objects of the answers, -1 for none, and how they were matched.

    By id; else by id, label or picture without path, extension and case; or by position from
    `index_base`.
    """
    ids = objects["id"].tolist()
    if index_base is not None:
        return _by_position(ids, len(table), index_base, file), (
            f"Numbers are rows of the table of objects, counted from {index_base}."
        )
    names = table["id"].tolist()
    places = lookup(ids, names)
    how = "Objects were found by their ids."
    if (places < 0).any():
        stems = [stem_key(name) for name in names]
        for column in ("id", "label", "image"):
            if column not in objects:
                continue
            texts = objects[column].astype("str").fillna("")
            guess = lookup([stem_key(text) for text in texts], stems)
            if np.any((places < 0) & (guess >= 0)):
                how = f"Objects were found by their {column}, without path, extension and case."
            places = np.where(places < 0, guess, places)
    _refuse_unclear_numbers(ids, names, places, file)
    return places, how


def lookup(wanted: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """Positions in `names`; -1 for texts that are missing or repeated."""
    place: dict[str, int] = {}
    for i, name in enumerate(names):
        place[name] = -1 if name in place else i
    return np.array([place.get(text, -1) for text in wanted], dtype=np.int64)


def _by_position(ids: list[str], n_rows: int, base: int, file: str | None) -> np.ndarray:
    numbers = [whole_number(text) for text in ids]
    if None in numbers:
        raise DataError(
            f"object {ids[numbers.index(None)]!r} is not a number, so it is not an index",
            file=file,
            remedy="Match objects by their names.",
        )
    places = np.array(numbers, dtype=np.int64) - base
    places[(places < 0) | (places >= n_rows)] = -1
    return places


def _refuse_unclear_numbers(
    ids: list[str], names: list[str], places: np.ndarray, file: str | None
) -> None:
    """Refuse numbers that the table does not list: the user must say whether they are positions."""
    numbers = [whole_number(text) for text in ids]
    missing = np.flatnonzero(places < 0)
    if None in numbers or not len(missing):
        return
    low, high = min(numbers), max(numbers)
    listed = [whole_number(name) for name in names]
    answers = f"the answers number their objects from {low} to {high}"
    if None in listed:
        if len(missing) < len(ids):
            return
        fits = [base for base in (0, 1) if base <= low and high < len(names) + base]
        hint = f" Counting from {listing(list(map(str, fits)))} fits." if fits else ""
        raise DataError(
            f"{answers}, but the table of objects lists {counted(len(names), 'name')}: "
            f"{listing(names, 3)}", file=file,
            remedy="Say whether the numbers are rows of that table counted from 0 or from 1, or "
            f"give a table with the numbers in it.{hint}",
        )
    first, last = min(listed), max(listed)
    if {numbers[i] for i in missing} <= {first - 1, last + 1}:
        base = 0 if low == first - 1 else 1
        raise DataError(
            f"{answers}, but the table of objects from {first} to {last}", file=file,
            remedy="One of them probably counts from 0 and the other from 1. Say that the numbers "
            f"are rows of the table counted from {base}, or correct the table.",
        )


Answers = TypeVar("Answers", bound=Answers)

#: People who rated most objects before rows about one are a mean and no mistake.
_FEWEST_RATERS = 2
#: Share of the cells of a rating that are numbers; others are missing ones.
_NUMBERS = 0.9
#: Columns about a rating that are none.
_NO_RATINGS = frozenset(
    name for role in ("time", "trial", "block", "response_time") for name in ALIASES[role]
)
#: Texts of at most this many distinct values, on average twice each, are categories.
_MOST_CATEGORIES = 200


def read_objects(
    source: Source | pd.DataFrame, id_column: str | None = None, *, name: str | None = None,
    header: bool | None = None,
) -> pd.DataFrame:
    r"""Read a table with one row per object.

    Where people rated the objects one at a time, in rows of a person and an object, each column of
    numbers becomes the mean over people, called ``mean ...``.

    Parameters
    ----------
    source : path, bytes, binary file object or DataFrame
    id_column : str, optional
        The column that identifies the objects. By default the first with a usual name, such as id
        or object, and unique values, else the first with unique values.
    name : str, optional
        Of the file, for messages.
    header : bool, optional
        Whether the first row names the columns; by default recognised.

    Returns
    -------
    DataFrame
        ``id``, ``label``, ``image`` if there is one, then the other columns: numbers as floats
        or integers, words that repeat as categories, other text as text.

    Raises
    ------
    DataError
        If no column identifies the objects, or an id is missing or repeated.

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.features.read_objects(b"name,size_cm\ncup,9\nmug,10\n")[["id", "label", "size_cm"]]
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
    texts = texts_of(cells)
    if id_column is None:
        texts = over_people(texts, decimal_comma)
    id_column = id_column or _id_column(texts, name)
    if id_column not in texts:
        raise DataError(
            f"there is no column {id_column!r}", file=name,
            remedy=f"The columns are {listing(list(texts.columns))}.",
        )
    # As for the objects of answers: both files may have whole numbers with a fraction.
    texts[id_column] = texts[id_column].map(plain_number).map(composed)
    check_ids(texts[id_column], name)
    texts = texts.reset_index(drop=True)
    ids = texts[id_column]
    objects = pd.DataFrame({"id": ids})
    label = named([c for c in texts.columns if c != id_column and not _are_classes(texts[c])],
                  LABEL_NAMES)
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
            if column == "label" and "class" not in texts:
                other = "class"
            objects[other] = _typed(texts[column], decimal_comma)
    return objects


def _are_classes(labels: pd.Series) -> bool:
    """Whether labels (n,) are those of classes, which many objects share, and no names."""
    filled = labels[labels != ""]
    return len(filled) > 2 and 2 * filled.nunique() <= len(filled)


def attach_objects(
    triplets: Answers, table: Source | pd.DataFrame, index_base: int | None = None, *,
    add: bool = False,
) -> tuple[Answers, MatchReport]:
    """Describe the objects of `triplets` by a table."""
    table = read_objects(table)
    objects = triplets.objects
    places, how = match(objects, table, index_base)
    if len(objects) and not (places >= 0).any():
        raise DataError(
            f"none of the objects ({listing(triplets.ids, 3)}) is in the table of objects "
            f"({listing(table['id'].tolist(), 3)})",
            remedy="Name the objects in a column id as the answers do.", trouble="objects",
        )
    unused = np.setdiff1d(np.arange(len(table)), places)
    result = table.reindex(places).reset_index(drop=True)  # missing where a place is -1
    described = objects[["id", "label"]].copy()
    own_labels = (table["label"] != table["id"].map(stem)).any()
    # A table without labels must not replace existing ones by its ids.
    if own_labels or (objects["label"] == objects["id"]).all():
        described["label"] = result["label"].where(places >= 0, objects["label"])
    for column in objects.columns.drop(["id", "label"]).drop(table.columns, errors="ignore"):
        described[column] = objects[column]
    for column in table.columns.drop(["id", "label"]):
        described[column] = result[column]
    if "image" in objects and "image" in table:
        described["image"] = result["image"].where(result["image"].notna(), objects["image"])
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


def texts_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as texts without white space and marks around them; missing ones are ""."""
    return pd.DataFrame({str(own): _as_texts(cells[own]) for own in cells}, index=cells.index)


def _as_texts(column: pd.Series) -> pd.Series:
    texts = column.astype("str").fillna("").str.strip().map(unmarked)
    return texts.map(plain_number) if pd.api.types.is_float_dtype(column) else texts


def numbers_of(texts: pd.Series, decimal_comma: bool = False) -> pd.Series:
    """Numbers; NaN for other texts."""
    figures = texts.str.replace(",", ".", n=1) if decimal_comma else texts
    return pd.to_numeric(figures.where(texts != ""), errors="coerce")


def over_people(texts: pd.DataFrame, decimal_comma: bool = False) -> pd.DataFrame:
    """One row per object, with means over people, of rows of a person and an object.

    Of other tables the rows are as they were. Left out is what varies within an object and is no
    number, what is of the person, times and the order of trials.
    """
    who = named(texts.columns, ALIASES["participant"])
    what = named([column for column in texts if column != who], ID_NAMES)
    if who is None or what is None or texts[what].is_unique:
        return texts
    filled = texts[(texts[who] != "") & (texts[what] != "")]
    raters = filled.groupby(what)[who].nunique()
    twice = filled.duplicated([who, what]).any()  # by another scale, perhaps
    if twice or len(filled) < len(texts) or raters.median() < _FEWEST_RATERS:
        return texts
    result = {what: pd.Series(raters.index, raters.index)}
    objects, people = filled.groupby(what, sort=False), filled.groupby(who)
    for column in filled.columns.drop([who, what]):
        written = filled[column][filled[column] != ""]
        numbers = numbers_of(written, decimal_comma)
        if objects[column].nunique().max() == 1:  # the same for all
            result[column] = objects[column].first()
        elif people[column].nunique().max() == 1 or normalised(column) in _NO_RATINGS:
            continue
        elif len(written) and numbers.notna().mean() >= _NUMBERS:
            result[f"mean {column}"] = numbers.groupby(filled[what]).mean().map(repr)
    return pd.DataFrame(result).loc[objects.first().index].fillna("").reset_index(drop=True)


def _id_column(texts: pd.DataFrame, name: str) -> str:
    unique = [c for c in texts.columns if texts[c].is_unique and (texts[c] != "").all()]
    usual = named(unique, ID_NAMES) or named(texts.columns, ["id"])
    if usual is None and not unique:
        raise DataError(
            "no column has a different value in each row, so none identifies the objects",
            file=name, remedy="Give each object one row and an id.",
        )
    # A column called id is meant even if it is faulty; the error then says how.
    return usual or unique[0]


def check_ids(ids: pd.Series, name: str) -> None:
    """Refuse empty and repeated ids, which are labelled with the rows of the file."""
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
    numbers = numbers_of(texts, decimal_comma)
    if len(written) and numbers[written.index].notna().all():
        whole = numbers.notna().all() and (numbers == numbers.round()).all()
        return numbers.astype(np.int64) if whole and numbers.abs().max() < 2**53 else numbers
    texts = texts.where(texts != "")
    unique = written.nunique()
    return texts.astype("category") if unique <= min(_MOST_CATEGORIES, len(texts) / 2) else texts
