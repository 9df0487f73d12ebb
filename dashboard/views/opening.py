"""A data set in words."""

from __future__ import annotations

from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.wording.formats import count


def about(info: DatasetInfo) -> str:
    """A data set in a sentence of a caption."""
    return f"{info.name}: {count(info.n_objects, 'object')}, {answers_of(info)}."


def size_of(info: DatasetInfo) -> str:
    """How much a data set holds, in words."""
    people = f", {count(info.n_participants, 'participant')}" if info.n_participants else ""
    return f"{count(info.n_objects, 'object')}, {answers_of(info)}{people}"


def answers_of(info: DatasetInfo) -> str:
    """How many answers, and in how many trials they were given."""
    if info.has_only_pairs:
        return count(info.n_pairs, "comparison of pairs", "comparisons of pairs")
    answers = count(info.n_answers, "answer")
    return f"{answers} in {count(info.n_trials, 'trial')}" if info.n_trials else answers
