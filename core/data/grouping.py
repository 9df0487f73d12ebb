"""Which answers are held out together: those to one question, those of one trial."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

#: A group of so many times the questions of its largest trial is a chain of trials. Triads have
#: three questions, of which a trial answers two.
_CHAINED = 2


def linked(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(T,) number of the group of each item, where those that share either number share a group.

    first, second (T,): Numbers from 0.
    """
    n_first, n_second = int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1
    ties = coo_array(
        (np.ones(len(first), dtype=bool), (first, n_first + second)),
        shape=(n_first + n_second,) * 2,
    )
    return connected_components(ties, directed=False)[1][first]


def grouped(questions: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, str]:
    """(T,) number of the group of each answer, and what keeps a group together, in words.

    Groups hold all that is linked by a question or by a trial. In designs whose trials are about
    the same few objects or about others, such as triads, that is a trial and its repeats. Trials
    of many objects share a question now and then, and chains of such ties leave little or nothing
    to learn from: where most answers are in a group of many more questions than a trial has,
    groups are the trials.

    questions, trials (T,): Numbers from 0.
    """
    groups = linked(questions, trials)
    # Different questions in every group, and the most in any of its trials.
    asked = np.bincount(groups[np.unique(questions, return_index=True)[1]])
    each = np.unique(trials.astype(np.int64) * (int(questions.max(initial=0)) + 1) + questions)
    in_trial = np.bincount(each // (int(questions.max(initial=0)) + 1))
    largest = np.zeros(len(asked), dtype=np.int64)
    np.maximum.at(largest, groups, in_trial[trials])
    chained = asked > _CHAINED * largest
    # Trials that each ask nearly everything, such as the ratings of a person, are in one group.
    all_in_one = len(asked) == 1 and len(in_trial) > 1
    if all_in_one or 2 * np.count_nonzero(chained[groups]) > len(groups):
        return np.unique(trials, return_inverse=True)[1], "trial"
    return groups, "question and trial"
