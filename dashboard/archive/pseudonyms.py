"""Participants under other names, wherever a data set mentions them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pandas as pd

from tripletscope.core.data.answers import in_use
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.studies.quality import Cleaning, Exclusion

_WHO = "participant"
#: Ids of Prolific (24 hexadecimal digits) and Mechanical Turk, and addresses of mail.
_ACCOUNT = re.compile(
    r"(?<![0-9A-Za-z])([0-9a-fA-F]{24}|A(?=[A-Z]*\d)[0-9A-Z]{10,20}|amzn1\.\S+)(?![0-9A-Za-z])"
    r"|\S+@\S+\.\w+"
)
_Answers = TypeVar("_Answers", Triplets, Quadruples)


def tables_of(
    cleaning: Cleaning, pairs: Quadruples | None, measured: RatedDissimilarities | None
) -> list[pd.DataFrame | None]:
    """All tables of a data set that may name participants."""
    excluded = [name for step in cleaning.exclusions for name in step.participants]
    return [
        cleaning.raw.answers, cleaning.catch_trials, pairs and pairs.answers,
        cleaning.gold and cleaning.gold.answers, measured and measured.table,
        pd.DataFrame({_WHO: excluded}),
    ]


def are_traceable(names: Iterable[str]) -> bool:
    """Whether some names hold those of accounts: of Prolific, of Mechanical Turk, or addresses."""
    return any(_ACCOUNT.search(name) for name in names)


def pseudonyms(*tables: pd.DataFrame | None) -> dict[str, str]:
    """``sub-001`` and so on for all participants in the tables, in the order of their names."""
    names = sorted({
        name for table in tables if table is not None and _WHO in table
        for name in table[_WHO].dropna().astype("str").unique()
    })
    width = max(3, len(str(len(names))))
    return {name: f"sub-{number:0{width}}" for number, name in enumerate(names, 1)}


def renamed(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    if _WHO not in table:
        return table
    table = in_use(table)
    column = table[_WHO]
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = [names[str(c)] for c in column.cat.categories]
        return table.assign(**{_WHO: column.cat.rename_categories(categories)})
    new = column.astype("str").map(names)
    return table.assign(**{_WHO: new.where(column.notna())})


def reworded(text: str, names: Mapping[str, str]) -> str:
    """A text with its participants under other names.

    Names without letters, or of one character, stay: they are other numbers and words, too.
    """
    words = sorted((name for name in names if len(name) > 1 and re.search(r"[^\W\d_]", name)),
                   key=len, reverse=True)
    if not words:
        return text
    one = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    return one.sub(lambda match: names[match[0]], text)


def renamed_cleaning(cleaning: Cleaning, names: Mapping[str, str]) -> Cleaning:
    catch = cleaning.catch_trials
    return Cleaning(
        renamed_answers(cleaning.raw, names), None if catch is None else renamed(catch, names),
        cleaning.gold and renamed_answers(cleaning.gold, names),
        tuple(_renamed_step(step, names) for step in cleaning.exclusions),
    )


def _renamed_step(step: Exclusion, names: Mapping[str, str]) -> Exclusion:
    chosen = dict(step.parameters)
    if chosen.get("column") == _WHO and chosen["values"] is not None:
        chosen["values"] = [names.get(who, who) for who in chosen["values"]]
    return replace(
        step, participants=tuple(names[p] for p in step.participants), parameters=chosen,
        reason=reworded(step.reason, names),
    )


def renamed_answers(answers: _Answers, names: Mapping[str, str]) -> _Answers:
    table = renamed(answers.answers, names)
    if isinstance(answers, Quadruples):
        return Quadruples(
            answers.rows, name=reworded(answers.name, names), objects=answers.objects,
            answers=table,
        )
    return Triplets(answers.rows, answers.objects, table, reworded(answers.name, names))


def telling(tables: Sequence[pd.DataFrame | None]) -> list[str]:
    """Columns that identify participants, such as a file's name.

    They have a different value for each of at least two participants, or mention one by name.
    """
    columns: dict[str, None] = {}
    for table in tables:
        if table is None or _WHO not in table:
            continue
        people = table[_WHO].astype("str").where(table[_WHO].notna())
        names = dict.fromkeys(people.dropna().unique(), "")
        for name, column in table.drop(columns=_WHO).items():
            if pd.api.types.is_float_dtype(column):
                continue
            pairs = pd.DataFrame({"who": people, "value": column.astype("str")}).dropna()
            pairs = pairs.drop_duplicates()
            one_each = pairs["who"].is_unique and pairs["value"].is_unique
            if len(pairs) > 1 and (one_each or _mentions(pairs["value"], names)):
                columns[str(name)] = None
    return list(columns)


def _mentions(values: pd.Series, names: Mapping[str, str]) -> bool:
    """Whether any text has a name that `reworded` would replace."""
    texts = "\n".join(values.unique())
    return reworded(texts, names) != texts
