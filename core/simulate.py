"""Known truths and noisy answers about them."""

from __future__ import annotations

import numpy as np

from core.embedding.ordinal import margins
from core.kernel.landmarks import choose_landmarks, landmark_questions
from core.method import Choice
from core.triplets import Triplets

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


TRUTHS = Choice(
    {
        "normal": "Normal cloud",
        "cube": "Uniform in a square or cube",
        "mixture": "Three clusters",
        "circle": "Colour circle",
        "sigmoid": "Scale: sigmoid",
        "cubic": "Scale: cubic",
        "polynomial": "Scale: second-degree polynomial",
        "sinusoid": "Scale: sinusoid",
        "observer": "Scale: an observer of their own (Gaussian process)",
    },
    "Truth",
    "Where the objects lie. Circle and clusters are in the plane, scales on a line along which "
    "the objects' stimulus is evenly spaced.",
)
#: Dimensions of the truths that have a number of their own.
DIMENSIONS = {
    "mixture": 2, "circle": 2,
    **dict.fromkeys(("sigmoid", "cubic", "polynomial", "sinusoid", "observer"), 1),
}
DESIGNS = {"random": "Random", "repeated": "Repeated, majority counts", "landmark": "Landmarks"}

# Lohaus et al. (2019), section 5.1.
_MEANS = np.array([[2.0, 2.0], [-2.0, -1.0], [4.0, -2.0]])
_COVARIANCES = np.array([[[2.0, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0.7], [0.7, 2]]])
#: Of the logistic around which observers vary (Lohaus et al. 2019, section 5.4).
_STEEPNESS = 25.0


def scale_function(name: str, x: np.ndarray) -> np.ndarray:
    """A known perceptual scale, from 0 to 1 for stimuli from 0 to 1.

    Parameters
    ----------
    name : {"sigmoid", "cubic", "polynomial", "sinusoid"}
        The first two rise; the others do not only (Haghiri 2020, section 4.3).
    x : ndarray, shape (n,)
    """
    if name == "sigmoid":
        values = 1.0 / (1.0 + np.exp(-10.0 * (x - 0.5)))
        low = 1.0 / (1.0 + np.exp(5.0))
        return (values - low) / (1.0 - 2.0 * low)
    if name == "cubic":
        return 0.5 + 4.0 * (x - 0.5) ** 3
    if name == "polynomial":
        return 4.0 * (x - 0.5) ** 2
    if name == "sinusoid":
        return 0.5 + 0.5 * np.sin(2.0 * np.pi * x)
    raise ValueError(f"name is {name!r}; it must be sigmoid, cubic, polynomial or sinusoid.")


def gaussian_process_observers(
    x: np.ndarray, n_observers: int, length_scale: float, rng: np.random.Generator
) -> np.ndarray:
    """Perceptual scales of observers who differ smoothly from a steep logistic.

    Parameters
    ----------
    x : ndarray, shape (n,)
        Stimuli from 0 to 1, where all observers agree on 0 and on 1.
    n_observers : int
    length_scale : float
        Of the squared-exponential kernel of unit variance: the shorter, the more they differ.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n_observers, n)

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Section 5.4 (length scales 2, 0.88, 0.54).
    """
    mean = 1.0 / (1.0 + np.exp(-_STEEPNESS * (np.append(x, [0.0, 1.0]) - 0.5)))
    every = np.append(x, [0.0, 1.0])
    kernel = np.exp(-0.5 * ((every[:, None] - every) / length_scale) ** 2)
    ends = kernel[-2:, -2:]
    gain = np.linalg.solve(ends, kernel[-2:, :-2]).T
    mean = mean[:-2] + gain @ (np.array([0.0, 1.0]) - mean[-2:])
    values, vectors = np.linalg.eigh(kernel[:-2, :-2] - gain @ kernel[-2:, :-2])
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return mean + rng.standard_normal((n_observers, len(x))) @ root.T


def true_positions(
    truth: str, n_objects: int, n_components: int, rng: np.random.Generator
) -> np.ndarray:
    """(n, d) positions of a known truth.

    Parameters
    ----------
    truth : str
        One of `TRUTHS`.
    n_objects : int
    n_components : int
        Of clouds and cubes; the others have their own (`DIMENSIONS`).
    rng : numpy.random.Generator
    """
    line = np.linspace(0.0, 1.0, n_objects)
    if truth == "normal":
        return rng.standard_normal((n_objects, n_components))
    if truth == "cube":
        return rng.random((n_objects, n_components))
    if truth == "mixture":
        which = rng.integers(len(_MEANS), size=n_objects)
        noise = rng.standard_normal((n_objects, 2, 1))
        return _MEANS[which] + (np.linalg.cholesky(_COVARIANCES)[which] @ noise)[..., 0]
    if truth == "circle":
        angle = 2.0 * np.pi * np.arange(n_objects) / n_objects
        return np.column_stack([np.cos(angle), np.sin(angle)])
    if truth == "observer":
        return gaussian_process_observers(line, 1, 0.54, rng).T
    if truth in TRUTHS.options:
        return scale_function(truth, line)[:, None]
    raise ValueError(f"truth is {truth!r}; it must be one of {', '.join(TRUTHS.options)}.")


def questions_of(
    design: str, n_objects: int, n_answers: int, rng: np.random.Generator, *, repeats: int = 3
) -> np.ndarray:
    """Questions of a design, as often as each is asked.

    Parameters
    ----------
    design : {"random", "repeated", "landmark"}
        ``repeated``: random questions, each `repeats` times. ``landmark``: questions of every
        object about pairs of a few, drawn from as few landmarks as give enough.
    n_objects, n_answers : int
    rng : numpy.random.Generator
    repeats : int

    Returns
    -------
    ndarray of int, shape (T, 3)
        T is `n_answers`, or the multiple of `repeats` below it.

    References
    ----------
    Haghiri, S. (2020). Comparison-based methods. Section 5.2.
    """
    if design == "random":
        return random_questions(n_objects, n_answers, rng)
    if design == "repeated":
        different = random_questions(n_objects, max(n_answers // repeats, 1), rng)
        return np.repeat(different, repeats, axis=0)
    if design == "landmark":
        k = np.arange(2, n_objects + 1)
        enough = k * (k - 1) // 2 * (n_objects - 2) >= n_answers
        few = int(k[np.argmax(enough)]) if enough.any() else n_objects
        asked = landmark_questions(n_objects, choose_landmarks(n_objects, few, rng), "k1")
        asked = rng.permutation(asked)
        return np.resize(asked, (n_answers, 3))  # more than there are: from the first again
    raise ValueError(f"design is {design!r}; it must be one of {', '.join(DESIGNS)}.")


def majority(rows: np.ndarray, repeats: int) -> np.ndarray:
    """The answers that most of every `repeats` successive ones, to the same question, give.

    Parameters
    ----------
    rows : ndarray of int, shape (T, 3)
    repeats : int
        Odd, so that there is a majority; T is a multiple of it.

    Returns
    -------
    ndarray of int, shape (T / repeats, 3)
    """
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
    noise : {"none", "flip", "lognormal", "positions", "logistic", "crowd"}
        ``flip``: every answer is turned round with probability `level`. ``lognormal``: the logs
        of both distances carry normal noise of standard deviation `level`. ``positions``: each of
        the three objects is seen at its position plus normal noise of standard deviation `level`,
        afresh in every question. ``logistic``: the first is chosen with the probability of STE,
        1 / (1 + exp(d_first^2 - d_second^2)), with positions divided by `level` (1 if it is 0).
        ``crowd``: with that of CKL, (d_second^2 + mu) / (d_first^2 + d_second^2 + 2 mu), where mu
        is `level`.
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
    elif noise in ("logistic", "crowd"):
        seen = positions[questions] / ((level or 1.0) if noise == "logistic" else 1.0)
        first2 = np.sum((seen[:, 0] - seen[:, 1]) ** 2, axis=1)
        second2 = np.sum((seen[:, 0] - seen[:, 2]) ** 2, axis=1)
        if noise == "logistic":
            turned = rng.logistic(size=n_questions) > second2 - first2
        else:
            total = first2 + second2 + 2.0 * level
            turned = rng.random(n_questions) * total > second2 + level
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
