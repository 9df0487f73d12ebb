"""Columns of answers that divide them: people, conditions, blocks, lists."""

from __future__ import annotations

import pandas as pd

from tripletscope.core.data.question_kinds import N_ASKED, N_SILENT, N_UNANSWERED
from tripletscope.core.reading.layouts.collect import KIND, TASK, UNANSWERED_BY
from tripletscope.core.reading.names import normalised, words_of

#: Values that name groups: fewer tell nothing apart, more are no groups, unless they are people.
_GROUPS = (2, 1000)
_PEOPLE = "participant"
#: Columns of answers that name no groups of people or questions.
_NO_GROUPS = (
    "side", "weight", "trial", "response_time", "time", N_ASKED, *N_UNANSWERED, *N_SILENT,
)
#: Columns that say something else of an answer than its condition, and most conditions.
_NO_CONDITIONS = (_PEOPLE, "split", "sampler")
_CONDITIONS = 12
#: Words in names of columns that say how an answer was given or whether it was right, as programs
#: call them.
_OF_ANSWERS = frozenset((
    "correct", "accuracy", "acc", "corr", "right", "wrong", "key", "keypress", "keys", "button",
    "resp", "response", "feedback", "confidence", "certainty", "score", "hit", "error",
))
#: Values of such columns: marks of right and wrong, keys, ratings.
_MARKS = frozenset((
    "0", "1", "true", "false", "yes", "no", "right", "wrong", "correct", "incorrect", "error",
))
#: Columns that Collect writes, beside those of the experimenter.
_OF_COLLECT = (KIND, TASK, "input", UNANSWERED_BY)
#: Share of answers from which a column tells the chosen side, or the side it.
_SAME = 0.95
#: Values that are numbers, or names with one, such as "block 2".
_NUMBERED = r"\D*\d+(?:\.\d+)?"


def dividing_columns(answers: pd.DataFrame) -> list[str]:
    """Columns of answers that divide them into groups: participants first, then in their order.

    One that says something else in most rows, such as a clock or remarks, divides them into none.
    """
    low, high = _GROUPS
    n_rows = answers["trial"].nunique() if "trial" in answers else len(answers)
    high = min(high, n_rows // 2)
    names = [
        name for name in answers.columns if name not in _NO_GROUPS
        and (low <= (n := answers[name].nunique()) <= high or (n > high and name == _PEOPLE))
    ]
    return sorted(names, key=lambda name: name != _PEOPLE)


def condition_columns(answers: pd.DataFrame) -> list[str]:
    """Columns whose few values may be conditions, the likeliest first.

    Numbered values mostly count blocks, sessions or lists. What one participant did under several
    of its values was done on purpose, which age or sex was not.
    """
    names = [name for name in dividing_columns(answers)
             if name not in _NO_CONDITIONS and answers[name].nunique() <= _CONDITIONS
             and not (TASK in answers and name in _OF_COLLECT)
             and not _is_of_answer(answers, name) and not _is_side(answers, name)]
    return sorted(names, key=lambda name: (_is_numbered(answers[name]), _is_between(answers, name)))


def main_condition(answers: pd.DataFrame) -> str:
    """The likeliest column of conditions; empty without one.

    More than two numbered values are blocks, lists, or ratings of one's answers: whether these
    differ nobody asked.
    """
    name = next(iter(condition_columns(answers)), "")
    return "" if name and answers[name].nunique() > 2 and _is_numbered(answers[name]) else name


def _is_of_answer(answers: pd.DataFrame, name: str) -> bool:
    """Whether a column says how an answer was given: by its name, and marks, keys or numbers in it.

    A condition may be called so, too, such as whether people respond by a word or a gesture.
    """
    if not {*map(normalised, words_of(name)), normalised(name)} & _OF_ANSWERS:
        return False
    values = answers[name].dropna().astype("str").str.casefold().unique().tolist()
    are_marks = all(value in _MARKS or len(value) == 1 for value in values)
    return are_marks or _is_numbered(answers[name])


def _is_side(answers: pd.DataFrame, name: str) -> bool:
    """Whether a column says which side was chosen, such as the key that was pressed."""
    if "side" not in answers:
        return False
    counts = pd.crosstab(answers[name], answers["side"]).to_numpy()
    return counts.size > 0 and counts.max(axis=1).sum() >= _SAME * counts.sum() \
        and counts.max(axis=0).sum() >= _SAME * counts.sum()


def _is_numbered(column: pd.Series) -> bool:
    return bool(column.dropna().astype("str").str.fullmatch(_NUMBERED).all())


def _is_between(answers: pd.DataFrame, name: str) -> bool:
    """Whether most participants have one of a column's values only."""
    if _PEOPLE not in answers:
        return False
    return bool(answers.groupby(_PEOPLE)[name].nunique().gt(1).mean() < 0.5)
