"""What the popularity of single objects predicts, whatever they are compared with."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.triplets import Answers


def popularity_mistakes(answers: Answers, learned: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """(t,) error of each held-out answer, predicted by how often its options were chosen.

    0 or 1, or one half where both options are as popular. The anchor plays no part.

    learned, held_out (T,): Masks of the answers.
    """
    rows, n = answers.rows, answers.n_objects
    width = rows.shape[1] // 2
    options = slice(-2 * width, -width), slice(-width, None)
    near, far = (
        sum(np.bincount(column, answers.weight[learned], n) for column in rows[learned, part].T)
        for part in options
    )
    liked = np.log((near + 1.0) / (far + 1.0))
    first, second = (liked[rows[held_out, part]] for part in options)
    return 0.5 - np.sign((first - second).sum(axis=1)) / 2
