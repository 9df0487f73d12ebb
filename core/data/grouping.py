"""Groups of answers that are held out together, and of objects that answers link."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tripletscope.core.data.places import different

#: A group with more than this multiple of the questions of its largest trial is a chain of trials.
#: Triads have three questions, of which a trial answers two.
_CHAINED = 2
#: The first trials are tested first: objects that recur mostly do so among these.
_FIRST = 5_000


def linked(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(T,) group of each item; items that share either number, from 0, share a group."""
    n_first, n_second = int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1
    ties = coo_array(
        (np.ones(len(first), dtype=bool), (first, n_first + second)),
        shape=(n_first + n_second,) * 2,
    )
    return connected_components(ties, directed=False)[1][first]


def grouped(questions: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, str]:
    """(T,) group of each answer, and what keeps a group together, in words.

    Groups contain everything linked by a question or a trial: in triads, a trial and its repeats.
    Trials of many objects share questions now and then, and chains of such ties would leave little
    to learn from. If most answers are in a group of many more questions than a trial has, groups
    are the trials.

    questions, trials (T,): Numbers from 0.
    """
    groups = linked(questions, trials)
    # Distinct questions in every group, and the most in any of its trials.
    group_of = np.full(int(questions.max(initial=-1)) + 1, -1)
    group_of[questions] = groups
    n_questions = np.bincount(group_of[group_of >= 0])
    each = different(trials.astype(np.int64) * (int(questions.max(initial=0)) + 1) + questions)
    in_trial = np.bincount(each // (int(questions.max(initial=0)) + 1))
    largest = np.zeros(len(n_questions), dtype=np.int64)
    np.maximum.at(largest, groups, in_trial[trials])
    chained = n_questions > _CHAINED * largest
    # Trials that each ask nearly everything, such as the ratings of a person, are in one group.
    all_in_one = len(n_questions) == 1 and len(in_trial) > 1
    if all_in_one or 2 * np.count_nonzero(chained[groups]) > len(groups):
        return np.unique(trials, return_inverse=True)[1], "trial"
    return groups, "question and trial"


def connected_objects(rows: np.ndarray, n_objects: int) -> np.ndarray:
    """(n,) number of the connected component of each object under the answers (T, 3) or (T, 4)."""
    first, other = np.repeat(rows[:, 0], rows.shape[1] - 1), rows[:, 1:].ravel()
    ties = coo_array((np.ones(len(first), dtype=bool), (first, other)), shape=(n_objects,) * 2)
    return connected_components(ties, directed=False)[1]


def trials_overlap(rows: np.ndarray, trials: np.ndarray | None) -> bool:
    """Whether objects are compared with others than those of one trial, which places them.

    Repeats of a trial do not place its objects among all others; if all answers are about the same
    objects, no others are needed.

    rows (T, 3) or (T, 4); trials (T,), from 0, or None if each answer is one.
    """
    if trials is None:
        trials = np.arange(len(rows))
    first = trials < _FIRST
    return any(_are_mixed(rows[some], trials[some]) for some in (first, slice(None)))


def _are_mixed(rows: np.ndarray, trials: np.ndarray) -> bool:
    objects, place = np.unique(rows, return_inverse=True)
    place = place.reshape(rows.shape)
    company = connected_objects(place, len(objects))
    if company.max(initial=0) == 0:
        return True
    size, shown = np.bincount(company), np.repeat(trials, rows.shape[1]).astype(np.int64)
    trial, object_ = np.divmod(different(shown * len(objects) + place.ravel()), len(objects))
    begins = np.flatnonzero(np.diff(trial, prepend=-1))
    in_trial = np.diff(begins, append=len(trial))
    return bool((in_trial < size[company[object_[begins]]]).any())
