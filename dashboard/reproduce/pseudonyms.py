"""Participants under other names, wherever a data set mentions them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pandas as pd

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.quality import Cleaning

_WHO = "participant"
_Answers = TypeVar("_Answers", Triplets, Quadruples)


def pseudonyms(*tables: pd.DataFrame | None) -> dict[str, str]:
    """``sub-001`` and so on for all participants in the tables, in the order of their names."""
    names = sorted({
        name for table in tables if table is not None and _WHO in table
        for name in table[_WHO].dropna().astype("str").unique()
    })
    width = max(3, len(str(len(names))))
    return {name: f"sub-{number:0{width}}" for number, name in enumerate(names, 1)}


def renamed(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """A table with its participants under other names."""
    if _WHO not in table:
        return table
    column = table[_WHO]
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = [names.get(str(c), str(c)) for c in column.cat.categories]
        return table.assign(**{_WHO: column.cat.rename_categories(categories)})
    new = column.astype("str").map(lambda name: names.get(name, name))
    return table.assign(**{_WHO: new.where(column.notna())})


def renamed_cleaning(cleaning: Cleaning, names: Mapping[str, str]) -> Cleaning:
    """Answers, checks and exclusions with the participants under other names."""
    catch = cleaning.catch_trials
    return Cleaning(
        _renamed(cleaning.raw, names), None if catch is None else renamed(catch, names),
        cleaning.gold and _renamed(cleaning.gold, names),
        tuple(
            replace(step, participants=tuple(names.get(p, p) for p in step.participants))
            for step in cleaning.exclusions
        ),
    )


def _renamed(answers: _Answers, names: Mapping[str, str]) -> _Answers:
    table = renamed(answers.answers, names)
    if isinstance(answers, Quadruples):
        return Quadruples(
            answers.rows, name=answers.name, objects=answers.objects, answers=table
        )
    return Triplets(answers.rows, answers.objects, table, answers.name)


def telling(tables: Sequence[pd.DataFrame | None]) -> list[str]:
    """Columns other than the participant's by which every participant could be told apart.

    They have a value of its own for each of at least two participants, such as a file's name.
    """
    found: dict[str, None] = {}
    for table in tables:
        if table is None or _WHO not in table:
            continue
        people = table[_WHO].astype("str").where(table[_WHO].notna())
        for name, column in table.drop(columns=_WHO).items():
            if pd.api.types.is_float_dtype(column):
                continue
            pairs = pd.DataFrame({"who": people, "value": column.astype("str")}).dropna()
            pairs = pairs.drop_duplicates()
            if len(pairs) > 1 and pairs["who"].is_unique and pairs["value"].is_unique:
                found[str(name)] = None
    return list(found)
