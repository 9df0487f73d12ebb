"""A data set, and its answers, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import MEASURED
from tripletscope.dashboard.words.formats import count


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
    if MEASURED in info.extra:  # nobody gave them
        return count(info.n_answers, "derived comparison")
    answers = count(info.n_answers, "answer")
    return f"{answers} in {count(info.n_trials, 'trial')}" if info.n_trials else answers


def answer_table(answers: Answers, places: np.ndarray) -> pd.DataFrame:
    """Answers by label, with what is known of each."""
    names = np.array(answers.labels, dtype=object)[answers.rows[places]]
    roles = ["anchor", "nearer", "farther"]
    if isinstance(answers, Quadruples):
        roles = ["nearer 1", "nearer 2", "farther 1", "farther 2"]
    metadata = answers.answers.iloc[places].reset_index(drop=True)
    metadata = metadata.rename(columns={role: f"{role} (data)" for role in roles})
    return pd.concat([pd.DataFrame(names, columns=roles), metadata], axis=1)
