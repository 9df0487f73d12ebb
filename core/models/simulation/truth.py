"""Known truths: where simulated objects lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tripletscope.core.engine.declared import Choice

TRUTHS = Choice(
    {
        "normal": "Normal cloud",
        "cube": "Square or cube",
        "mixture": "Three clusters",
        "moons": "Two half moons",
        "rings": "Two rings",
        "circle": "Colour circle",
        "helix": "Pitch helix",
        "linear": "Scale: linear",
        "root": "Scale: square root",
        "sigmoid": "Scale: sigmoid",
        "cubic": "Scale: cubic",
        "polynomial": "Scale: quadratic",
        "sinusoid": "Scale: sinusoid",
        "observer": "Scale: one per observer",
    },
    "True configuration",
    "True configuration of the objects. A square or cube is filled evenly. Clusters, half moons, "
    "rings and the circle lie in the plane, the helix in space. Scales lie on a line, and the "
    "objects are evenly spaced along the stimulus; observers vary by a Gaussian process.",
)
SCALES = ("linear", "root", "sigmoid", "cubic", "polynomial", "sinusoid", "observer")
#: Dimensions of the truths that have a number of their own.
DIMENSIONS = {
    **dict.fromkeys(("mixture", "moons", "rings", "circle"), 2), "helix": 3,
    **dict.fromkeys(SCALES, 1),
}
#: Length scale of the observers, by default the shortest of Lohaus et al. (2019).
LENGTH_SCALE = 0.54

# Lohaus et al. (2019), section 5.1.
_MEANS = np.array([[2.0, 2.0], [-2.0, -1.0], [4.0, -2.0]])
_COVARIANCES = np.array([[[2.0, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0.7], [0.7, 2]]])
#: Of the logistic around which observers vary (Lohaus et al. 2019, section 5.4).
_STEEPNESS = 25.0
#: Octaves of the pitch helix. A turn rises by the radius of the circle.
_OCTAVES = 3
#: Jitter of the half moons and rings, whose radii are 1 and 1/2.
_JITTER = 0.07


def scale_function(name: str, x: np.ndarray) -> np.ndarray:
    """(n,) a known perceptual scale, from 0 to 1, of stimuli (n,) from 0 to 1.

    "linear", "root", "sigmoid" and "cubic" rise; "polynomial" and "sinusoid" do not only (Haghiri
    2020, section 4.3).
    """
    if name in ("linear", "root"):
        return np.array(x, dtype=float) if name == "linear" else np.sqrt(x)
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
    raise ValueError(
        f"name is {name!r}; it must be linear, root, sigmoid, cubic, polynomial or sinusoid."
    )


def gaussian_process_observers(
    x: np.ndarray, n_observers: int, length_scale: float, rng: np.random.Generator
) -> np.ndarray:
    """(n_observers, n) scales of observers who differ smoothly from a steep logistic.

    Stimuli (n,) go from 0 to 1, where all observers agree on 0 and 1. The shorter the length scale
    of the squared-exponential kernel of unit variance, the more observers differ.

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
    """(n, d) positions of a known truth; see `known_truth`."""
    return known_truth(truth, n_objects, n_components, rng)[0]


def known_truth(
    truth: str, n_objects: int, n_components: int, rng: np.random.Generator,
    *, length_scale: float = LENGTH_SCALE,
) -> tuple[np.ndarray, pd.DataFrame]:
    """Positions (n, d) of one of `TRUTHS`, and what an experimenter would know of the objects.

    `n_components` matters for clouds and cubes alone. A normal cloud has a standard deviation of 1,
    a cube sides of 1, circle, rings and helix a radius of 1; scales go from 0 to 1, an observer's
    perhaps beyond. The table has ``group`` for clusters, half moons and rings; ``stimulus`` for
    scales (0 to 1), circle (degrees) and helix (octaves).

    References
    ----------
    Shepard, R. N. (1982). Geometrical approximations to the structure of musical pitch.
    Psychological Review, 89, 305-333: the helix, a turn for every octave.
    """
    nothing = pd.DataFrame(index=range(n_objects))
    if truth == "normal":
        return rng.standard_normal((n_objects, n_components)), nothing
    if truth == "cube":
        return rng.random((n_objects, n_components)), nothing
    if truth in _GROUPED:
        positions, group = _GROUPED[truth](n_objects, rng)
        return positions, pd.DataFrame({"group": pd.Categorical([f"group {g + 1}" for g in group])})
    line = np.linspace(0.0, 1.0, n_objects)
    if truth == "circle":
        angle = 2.0 * np.pi * np.arange(n_objects) / n_objects
        positions = np.column_stack([np.cos(angle), np.sin(angle)])
        return positions, pd.DataFrame({"stimulus": np.degrees(angle)})
    if truth == "helix":
        octaves = _OCTAVES * line
        angle = 2.0 * np.pi * octaves
        positions = np.column_stack([np.cos(angle), np.sin(angle), octaves])
        return positions, pd.DataFrame({"stimulus": octaves})
    if truth == "observer":
        positions = gaussian_process_observers(line, 1, length_scale, rng).T
    elif truth in SCALES:
        positions = scale_function(truth, line)[:, None]
    else:
        raise ValueError(f"truth is {truth!r}; it must be one of {', '.join(TRUTHS.options)}.")
    return positions, pd.DataFrame({"stimulus": line})


def _mixture(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    which = rng.integers(len(_MEANS), size=n)
    noise = rng.standard_normal((n, 2, 1))
    return _MEANS[which] + (np.linalg.cholesky(_COVARIANCES)[which] @ noise)[..., 0], which


def _moons(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_moons  # imported late: slow to import

    return make_moons(n, noise=_JITTER, random_state=int(rng.integers(2**31)))


def _rings(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_circles

    return make_circles(n, noise=_JITTER, factor=0.5, random_state=int(rng.integers(2**31)))


_GROUPED: dict[str, Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "mixture": _mixture, "moons": _moons, "rings": _rings,
}
