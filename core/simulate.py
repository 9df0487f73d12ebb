"""Known truths and noisy answers about them."""

from __future__ import annotations

import numpy as np

from core.embedding.ordinal import margins
from core.method import Choice
from core.triplets import Triplets

NOISE = Choice(
    {
        "none": "No noise",
        "flip": "Flipped answers",
        "lognormal": "Log-normal distances",
        "positions": "Noisy positions",
        "logistic": "Logistic (STE)",
    },
    "Noise",
    "How a simulated observer errs.",
)


def random_questions(n_objects: int, n_questions: int, rng: np.random.Generator) -> np.ndarray:
    """(T, 3) questions (anchor; first, second), uniform over triples of different objects."""
    anchor = rng.integers(n_objects, size=n_questions)
    # Drawing from one or two fewer and stepping over what is taken keeps the draw uniform.
    first = rng.integers(n_objects - 1, size=n_questions)
    first += first >= anchor
    second = rng.integers(n_objects - 2, size=n_questions)
    low, high = np.minimum(anchor, first), np.maximum(anchor, first)
    second += second >= low
    second += second >= high
    return np.column_stack([anchor, first, second])


def answer(
    positions: np.ndarray,
    questions: np.ndarray,
    rng: np.random.Generator,
    *,
    noise: str = "none",
    level: float = 0.0,
) -> np.ndarray:
    """Rows (anchor, near, far) that a simulated observer gives.

    Parameters
    ----------
    positions : ndarray, shape (n, d)
        Where the objects truly are.
    questions : ndarray of int, shape (T, 3)
        Anchor and the two objects to choose from.
    noise : {"none", "flip", "lognormal", "positions", "logistic"}
        ``flip``: every answer is turned round with probability `level`. ``lognormal``: the logs
        of both distances carry normal noise of standard deviation `level`. ``positions``: each of
        the three objects is seen at its position plus normal noise of standard deviation `level`,
        afresh in every question. ``logistic``: the first is chosen with the probability of STE,
        1 / (1 + exp(d_first^2 - d_second^2)), with positions divided by `level` (1 if it is 0).
    level : float

    Returns
    -------
    ndarray of int, shape (T, 3)
    """
    n_questions = len(questions)
    if noise == "positions":
        seen = positions[questions]
        seen += level * rng.standard_normal(seen.shape)
        to_first = np.linalg.norm(seen[:, 0] - seen[:, 1], axis=1)
        to_second = np.linalg.norm(seen[:, 0] - seen[:, 2], axis=1)
        turned = to_first > to_second
    elif noise == "logistic":
        seen = positions[questions] / (level or 1.0)
        first2 = np.sum((seen[:, 0] - seen[:, 1]) ** 2, axis=1)
        second2 = np.sum((seen[:, 0] - seen[:, 2]) ** 2, axis=1)
        turned = rng.logistic(size=n_questions) > second2 - first2
    elif noise == "lognormal":
        seen = positions[questions]
        with np.errstate(divide="ignore"):  # two objects in one place are infinitely similar
            logs = np.log(np.linalg.norm(seen[:, :1] - seen[:, 1:], axis=2))
        logs += level * rng.standard_normal(logs.shape)
        turned = logs[:, 0] > logs[:, 1]
    elif noise in ("none", "flip"):
        turned = margins(positions, questions) < 0
        if noise == "flip":
            turned ^= rng.random(n_questions) < level
    else:
        raise ValueError(f"noise is {noise!r}; it must be one of {', '.join(NOISE.options)}.")
    rows = questions.copy()
    rows[turned, 1:] = rows[turned, :0:-1]
    return rows


def simulate(
    positions: np.ndarray,
    n_answers: int,
    *,
    noise: str = "none",
    level: float = 0.0,
    seed: int = 0,
    name: str = "simulated",
) -> Triplets:
    """Answers to random questions about objects at known positions.

    Parameters
    ----------
    positions : array-like, shape (n, d)
    n_answers : int
    noise, level
        See `answer`.
    seed : int

    Returns
    -------
    Triplets
        Of `n_answers` answers about n objects.
    """
    positions = np.asarray(positions, dtype=float)
    rng = np.random.default_rng(seed)
    questions = random_questions(len(positions), n_answers, rng)
    rows = answer(positions, questions, rng, noise=noise, level=level)
    return Triplets.from_array(rows, len(positions), name=name)
