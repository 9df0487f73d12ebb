"""Descriptions of the columns of an archive's tables.

Psych-DS (schema.org's words, JSON-LD) for tables in ``data``, BIDS for participants.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from tripletscope.core.data.cells import marked
from tripletscope.core.data.question_kinds import N_ASKED, N_SILENT, N_UNANSWERED
from tripletscope.core.reading.columns.reading import ROLES

#: Most values of a column of texts that are listed.
_LISTED = 20
_PAIR = "Position in the table of objects, counted from 0: "
#: Columns that are not roles of a reading.
_KNOWN = {
    "id": "Name by which answers mention the object.",
    "label": "Name of the object as figures show it.",
    "response_time_ms": "How long the response took.",
    "correct": "Whether the response to a question with a correct answer was correct.",
    N_ASKED: "Questions about objects that the participant was asked, answered or not.",
    **{name: f"{whose} that were {how}." for names, whose in (
        (N_UNANSWERED, "Of these, those"),
        (N_SILENT, "Questions of all participants who answered nothing"),
    ) for name, how in zip(names, ("skipped", "not answered within the time limit"), strict=True)},
    "row": "Row of the imported file.",
    "i": f"{_PAIR}first object of the pair that was said to be more similar.",
    "j": f"{_PAIR}second object of the pair that was said to be more similar.",
    "k": f"{_PAIR}first object of the other pair.",
    "l": f"{_PAIR}second object of the other pair.",
}
_UNITS = {"response_time": "s", "response_time_ms": "ms"}


def variables(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Every column as schema.org's ``PropertyValue``."""
    return [_variable(str(name), column) for name, column in table.items()]


def _variable(name: str, column: pd.Series) -> dict[str, Any]:
    record = {"@type": "PropertyValue", "name": name, "description": meaning(name, column)}
    if name in _UNITS:
        record["unitText"] = _UNITS[name]
    if _is_quantity(column):
        values = column.to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        if len(values):
            record |= {"minValue": float(values.min()), "maxValue": float(values.max())}
    return record


def meaning(name: str, column: pd.Series) -> str:
    about = _KNOWN.get(name) or (ROLES[name].help if name in ROLES else "")
    about = about or f"Column {name!r} of the imported file."
    listed = [] if _is_quantity(column) else levels(column)
    return f"{about} Values: {', '.join(listed)}." if listed else about


def levels(column: pd.Series) -> list[str]:
    """The different values of a column, if they are few."""
    values = sorted(column.dropna().astype("str").unique())
    return values if 0 < len(values) <= _LISTED else []


def sidecar(table: pd.DataFrame, about: str) -> bytes:
    return _json({"description": about, "variableMeasured": variables(table)})


def dataset_description(
    tables: Mapping[str, pd.DataFrame], properties: Mapping[str, Any]
) -> bytes:
    """Content of ``dataset_description.json`` for all tables in ``data``."""
    columns: dict[str, dict[str, Any]] = {}
    for table in tables.values():
        for variable in variables(table):
            columns.setdefault(variable["name"], variable)
    return _json({
        "@context": "https://schema.org/", "@type": "Dataset", **properties,
        "schemaVersion": "Psych-DS 0.4.0", "variableMeasured": [*columns.values()],
    })


def participants(
    answers: pd.DataFrame, kept: np.ndarray
) -> tuple[pd.DataFrame, dict[str, Any]] | None:
    """Participants with numbers of answers and constant columns, and their description; None
    without participants.
    """
    if "participant" not in answers:
        return None
    people = answers["participant"].astype("str")
    named = people.notna().to_numpy() & answers["participant"].notna().to_numpy()
    if not named.any():
        return None
    groups = answers[named].groupby(people[named].to_numpy(), sort=True)
    table = pd.DataFrame({
        "participant_id": list(groups.groups), "n_answers": groups.size().to_numpy(),
    })
    table["n_excluded"] = [
        int(np.sum(~kept[named][places])) for places in groups.indices.values()
    ]
    about = {
        "participant_id": {"Description": ROLES["participant"].help},
        "n_answers": {"Description": "Answers that were imported."},
        "n_excluded": {"Description": "Answers of these that are excluded."},
    }
    for name, column in answers[named].drop(columns="participant").items():
        each = column.astype("str").where(column.notna()).groupby(people[named].to_numpy())
        most = each.nunique().max()
        if name not in about and most == 1:
            table[name] = each.first().to_numpy()
            about[str(name)] = _of_bids(str(name), column)
    return table, about


def _of_bids(name: str, column: pd.Series) -> dict[str, Any]:
    record: dict[str, Any] = {"Description": meaning(name, column)}
    if not _is_quantity(column) and levels(column):
        record["Levels"] = {level: level for level in levels(column)}
    if name in _UNITS:
        record["Units"] = _UNITS[name]
    return record


def tab_separated(table: pd.DataFrame) -> bytes:
    """A table as BIDS writes it: tabs, and n/a for missing values."""
    texts = table.map(
        lambda value: marked(" ".join(str(value).split())) if pd.notna(value) else "n/a"
    )
    texts = texts.rename(columns=marked)
    return texts.to_csv(sep="\t", index=False, lineterminator="\n").encode()


def _is_quantity(column: pd.Series) -> bool:
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()
