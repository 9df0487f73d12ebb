"""Tables of features: what was measured of each object, as numbers."""

from __future__ import annotations

import pandas as pd

from tripletscope.core.data.cells import unmarked
from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.source import Source
from tripletscope.core.io.loading import load
from tripletscope.core.io.names import ID_NAMES, LABEL_NAMES, named
from tripletscope.core.io.objects.objects import read_objects
from tripletscope.core.io.table import Table

#: Names of columns that say what is to be predicted.
_TARGETS = ("class", "target", "response", "outcome", "y")
#: Names of objects elsewhere, but of classes where there are features.
_CLASSES = ("label", "target", "targetid")
#: What is written for a number that is not there.
_MISSING = ("na", "n/a", "nan", "null", "none", "?", "-", ".")
#: From such a share of numbers on, a column is meant to hold nothing else.
_NEARLY = 0.8


def read_features(source: Source, name: str | None = None) -> pd.DataFrame:
    """Read a table with one row per object and its features in columns of numbers."""
    table = load(source, name, least_columns=1)
    texts = checked_cells(table, table.columns)
    own = naming_column(texts)
    refuse_repeated_names(texts, own, table.name)
    label = named([c for c in texts.columns if c != own], LABEL_NAMES)
    if label is not None and texts[label].duplicated().any():
        texts = texts.rename(columns={label: "class" if "class" not in texts else f"{label} (2)"})
    if own is None:
        own = "id" if "id" not in texts else "number of the row"
        texts.insert(0, own, [str(k + 1) for k in range(len(texts))])
    objects = read_objects(texts, own, name=table.name)
    if not features_of(objects):
        raise no_numbers(table.name)
    return objects


def features_of(objects: pd.DataFrame) -> list[str]:
    """Columns of numbers, but not those whose name says that they are to be predicted."""
    return [
        column for column in objects.columns
        if column not in ("id", "label", "image") and column.lower() not in _TARGETS
        and pd.api.types.is_numeric_dtype(objects[column])
        and not pd.api.types.is_bool_dtype(objects[column])
    ]


def no_numbers(file: str) -> DataError:
    """The error for a table without features."""
    return DataError(
        "there is no column of numbers", file=file,
        remedy="Give each object one row, with its features in columns of numbers.",
    )


def checked_cells(table: Table, columns: list[str]) -> pd.DataFrame:
    """Columns as texts, labelled with the rows of the file; empty where nothing is written."""
    cells = table.preview(table.n_rows)[columns]
    texts = pd.DataFrame({
        str(column): cells[column].astype("str").fillna("").str.strip().map(unmarked)
        for column in cells
    }, index=cells.index)
    texts = texts.mask(texts.isin({*_MISSING, *map(str.upper, _MISSING), "NaN", "None"}), "")
    if table.delimiter != ",":
        texts = texts.apply(_with_points)
    own = naming_column(texts)
    for column in texts.columns.drop([own] if own else []):
        _check_numbers(texts[column], table.name)
    return texts


def naming_column(texts: pd.DataFrame) -> str | None:
    """What names the objects; not numbers, which are features unless their column says else."""
    usual = named(texts.columns, [name for name in ID_NAMES if name not in _CLASSES])
    if usual is not None and (texts[usual] != "").all():
        return usual
    for column in texts:
        there = texts[column].is_unique and (texts[column] != "").all()
        if there and numbers_of(texts[column]).isna().all():
            return column
    return None


def refuse_repeated_names(texts: pd.DataFrame, own: str | None, file: str) -> None:
    """Raise DataError if the column `own` names an object twice."""
    again = texts[own].duplicated() if own is not None else pd.Series(dtype=bool)
    if again.any():
        raise DataError(
            f"object {texts[own][again].iloc[0]!r} is listed twice", file=file,
            row=int(again.index[again][0]), remedy="Keep one row per object.",
        )


def numbers_of(texts: pd.Series) -> pd.Series:
    """Numbers; NaN where a text is none."""
    return pd.to_numeric(texts.where(texts != ""), errors="coerce")


def _with_points(texts: pd.Series) -> pd.Series:
    """Numbers with a decimal comma as numbers with a point."""
    changed = texts.str.replace(",", ".", n=1)
    return changed.where(numbers_of(changed).notna(), texts)


def _check_numbers(texts: pd.Series, name: str) -> None:
    """Refuse something else among numbers, which would make the column one of texts."""
    written = texts[texts != ""]
    wrong = numbers_of(written).isna()
    if wrong.any() and not wrong.all() and (~wrong).mean() >= _NEARLY:
        raise DataError(
            f"{written[wrong].iloc[0]!r} in the column {texts.name!r} is not a number", file=name,
            row=int(wrong.index[wrong][0]), remedy="Correct it, or leave the cell empty.",
        )
