"""Simulated answers: how observers err and differ, and which questions they are asked."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.geometry import rms
from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice, Number, Parameter, with_random_state
from tripletscope.core.models.embedding.ordinal import margins

NOISE = Choice(
    {
        "none": "No noise",
        "flip": "Flipped answers",
        "lognormal": "Log-normal distances",
        "positions": "Noisy positions",
        "logistic": "Logistic (STE)",
        "crowd": "Crowd kernel (CKL)",
    },
    "Noise",
    "How a simulated observer errs.",
)

#: The level of each noise: its meaning, range and default.
LEVELS = {
    "flip": Parameter("level", Number(
        0.0, 0.5, "Proportion of flipped answers",
        "Probability that an answer is flipped, whatever the question. At 0.5 observers guess.",
    ), 0.1),
    "lognormal": Parameter("level", Number(
        0.0, 10.0, "Distance noise (s.d. of log)",
        "Standard deviation of the logarithms of the two distances that are compared: at 0.3, "
        "perceived distances are typically off by a third.",
    ), 0.3),
    "positions": Parameter("level", Number(
        0.0, 100.0, "Position noise (s.d.)",
        "Standard deviation of the perceived positions of the three objects, drawn in every trial. "
        "A normal cloud has an s.d. of 1, circles a radius of 1, squares and scales a length of 1.",
    ), 0.1),
    "logistic": Parameter("level", Number(
        0.01, 100.0, "Unit of distance",
        "Distances are divided by this unit before they are squared and compared: differences well "
        "below it are hard to perceive. A normal cloud has an s.d. of 1, circles a radius of 1, "
        "squares and scales a length of 1.",
    ), 0.7),
    "crowd": Parameter("level", Number(
        0.0, 100.0, "Smoothing μ",
        "Added to both squared distances: the larger, the closer to guessing.",
    ), 0.1),
}

DESIGNS = {
    "random": "Random",
    "repeated": "Repeated, by majority",
    "landmark": "Landmarks",
    "triads": "Triads around the middle",
}

#: Most questions to a matrix of distances.
MOST_COMPARISONS = 200_000


def questions_of(
    design: str, n_objects: int, n_answers: int, rng: np.random.Generator, *, repeats: int = 3
) -> np.ndarray:
    """(T, 3) questions of a design, as often as each is asked.

    T is `n_answers`, or for "repeated" the multiple of `repeats` below it. "landmark": questions of
    every object about pairs of as few landmarks as give enough. "triads": the anchor lies between
    the others in the order of the objects.

    References
    ----------
    Haghiri, S. (2020). Comparison-based methods. Sections 4.3.1 (triads) and 5.2.
    """
    if design == "random":
        return random_questions(n_objects, n_answers, rng)
    if design == "repeated":
        different = random_questions(n_objects, max(n_answers // repeats, 1), rng)
        return np.repeat(different, repeats, axis=0)
    if design == "triads":
        low, middle, high = np.sort(random_questions(n_objects, n_answers, rng), axis=1).T
        swap = rng.random(n_answers) < 0.5
        return np.column_stack([middle, np.where(swap, high, low), np.where(swap, low, high)])
    if design == "landmark":
        k = np.arange(2, n_objects + 1)
        enough = k * (k - 1) // 2 * (n_objects - 2) >= n_answers
        few = int(k[np.argmax(enough)]) if enough.any() else n_objects
        questions = landmark_questions(n_objects, choose_landmarks(n_objects, few, rng), "k1")
        questions = rng.permutation(questions)
        return np.resize(questions, (n_answers, 3))  # more than there are: from the first again
    raise ValueError(f"design is {design!r}; it must be one of {', '.join(DESIGNS)}.")


def majority(rows: np.ndarray, repeats: int) -> np.ndarray:
    """(T / repeats, 3) majority of every `repeats` successive answers (T, 3) to one question."""
    if repeats % 2 == 0:
        raise ValueError(f"repeats is {repeats}; a majority needs an odd number.")
    each = rows.reshape(-1, repeats, 3)
    for_first = np.mean(each[:, :, 1] == each[:, :1, 1], axis=1) > 0.5
    chosen = each[:, 0].copy()
    chosen[~for_first, 1:] = chosen[~for_first, :0:-1]
    return chosen


def random_questions(n_objects: int, n_questions: int, rng: np.random.Generator) -> np.ndarray:
    """(T, 3) questions (anchor; first, second), uniform over triples of different objects."""
    anchor = rng.integers(n_objects, size=n_questions)
    # Draws from fewer objects step over those that are taken, which keeps them uniform.
    first = rng.integers(n_objects - 1, size=n_questions)
    first += first >= anchor
    second = rng.integers(n_objects - 2, size=n_questions)
    low, high = np.minimum(anchor, first), np.maximum(anchor, first)
    second += second >= low
    second += second >= high
    return np.column_stack([anchor, first, second])


def comparisons_of(
    distances: np.ndarray, *, most: int = MOST_COMPARISONS, seed: int = 0
) -> np.ndarray:
    """(T, 3) answers (anchor, nearer, farther) of distances (n, n) to questions without a tie.

    All questions, or `most` random ones if there are more.
    """
    n = len(distances)
    if n * (n - 1) * (n - 2) // 2 > most:
        rows = random_questions(n, most, np.random.default_rng(seed))
    else:
        first, second = np.triu_indices(n, 1)
        anchor = np.repeat(np.arange(n), len(first))
        rows = np.column_stack([anchor, np.tile(first, n), np.tile(second, n)])
        rows = rows[(rows[:, 1] != rows[:, 0]) & (rows[:, 2] != rows[:, 0])]
    lead = distances[rows[:, 0], rows[:, 2]] - distances[rows[:, 0], rows[:, 1]]
    rows[lead < 0] = rows[lead < 0][:, [0, 2, 1]]
    return np.unique(rows[lead != 0], axis=0)


def answer(
    positions: np.ndarray, questions: np.ndarray, rng: np.random.Generator, *, noise: str = "none",
    level: float = 0.0,
) -> np.ndarray:
    """Rows (anchor, near, far) that a simulated observer gives to questions (T, 3).

    noise ``flip``: Answers are flipped with probability `level`. ``lognormal``: The logs of both
        distances have normal noise of s.d. `level`. ``positions``: All three positions have normal
        noise of s.d. `level`, drawn in every question. ``logistic``: STE's probability,
        1 / (1 + exp(d_first^2 - d_second^2)), of positions divided by `level` (1 if it is 0).
        ``crowd``: CKL's, (d_second^2 + mu) / (d_first^2 + d_second^2 + 2 mu), where mu is `level`.
    """
    n_questions = len(questions)
    if noise == "positions":
        seen = positions[questions]
        seen += level * rng.standard_normal(seen.shape)
        to_first = np.linalg.norm(seen[:, 0] - seen[:, 1], axis=1)
        to_second = np.linalg.norm(seen[:, 0] - seen[:, 2], axis=1)
        swap = to_first > to_second
    elif noise in ("logistic", "crowd"):
        seen = positions[questions] / ((level or 1.0) if noise == "logistic" else 1.0)
        first2 = np.sum((seen[:, 0] - seen[:, 1]) ** 2, axis=1)
        second2 = np.sum((seen[:, 0] - seen[:, 2]) ** 2, axis=1)
        if noise == "logistic":
            swap = rng.logistic(size=n_questions) > second2 - first2
        else:
            total = first2 + second2 + 2.0 * level
            swap = rng.random(n_questions) * total > second2 + level
    elif noise == "lognormal":
        seen = positions[questions]
        with np.errstate(divide="ignore"):  # two objects in one place are infinitely similar
            logs = np.log(np.linalg.norm(seen[:, :1] - seen[:, 1:], axis=2))
        logs += level * rng.standard_normal(logs.shape)
        swap = logs[:, 0] > logs[:, 1]
    elif noise in ("none", "flip"):
        swap = margins(positions, questions) < 0
        if noise == "flip":
            swap ^= rng.random(n_questions) < level
    else:
        raise ValueError(f"noise is {noise!r}; it must be one of {', '.join(NOISE.options)}.")
    rows = questions.copy()
    rows[swap, 1:] = rows[swap, :0:-1]
    return rows


@with_random_state
def simulate(
    positions: np.ndarray, n_answers: int, *, noise: str = "none", level: float = 0.0,
    seed: int = 0, name: str = "simulated",
) -> Triplets:
    """Answers to random questions about objects at given positions.

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

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.simulate([[0, 0], [0, 1], [3, 0]], 100, noise="flip", level=0.1)
    <Triplets 'simulated': 100 answers on 3 objects>
    """
    positions = np.asarray(positions, dtype=float)
    rng = np.random.default_rng(seed)
    questions = random_questions(len(positions), n_answers, rng)
    rows = answer(positions, questions, rng, noise=noise, level=level)
    return Triplets.from_array(rows, len(positions), name=name)


def personal_maps(
    positions: np.ndarray, n_people: int, heterogeneity: float, rng: np.random.Generator
) -> np.ndarray:
    """(p, n, d) maps of people, normal about the map (n, d) of the group.

    `heterogeneity` is the RMS distance of people's positions from the group's, as a share of the
    size of the group's map (`tripletscope.core.data.geometry.map_size`).
    """
    noise = rng.standard_normal((n_people, *positions.shape))
    return positions + heterogeneity * rms(positions) * noise
