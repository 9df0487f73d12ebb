"""The three normal clouds of the calibration experiments."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import kstest, norm

from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.simulation.truth import true_positions
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation


def clouds(*, n_objects: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Places of objects of the mixture."""
    places = true_positions("mixture", n_objects, 2, np.random.default_rng(seed))
    return pd.DataFrame({"x": places[:, 0], "y": places[:, 1]})


def _marginals(table: pd.DataFrame) -> tuple[float, float]:
    """Probability of as large a distance from the published mixture, of x and of y given x.

    By the Kolmogorov-Smirnov test: under the mixture both distribution functions are uniform.
    """
    means = np.array([(2.0, 2.0), (-2.0, -1.0), (4.0, -2.0)])
    covariances = np.array([[(2, 0), (0, 1)], [(1, 0), (0, 1)], [(1, 0.7), (0.7, 2)]])
    x, y = table["x"].to_numpy()[:, None], table["y"].to_numpy()[:, None]
    of_x = norm(means[:, 0], np.sqrt(covariances[:, 0, 0]))
    slope = covariances[:, 0, 1] / covariances[:, 0, 0]
    of_y = norm(
        means[:, 1] + slope * (x - means[:, 0]),
        np.sqrt(covariances[:, 1, 1] - slope * covariances[:, 0, 1]),
    )
    belongs = of_x.pdf(x) / of_x.pdf(x).sum(axis=1, keepdims=True)
    return tuple(
        float(kstest(each, "uniform").pvalue)
        for each in (of_x.cdf(x).mean(axis=1), (belongs * of_y.cdf(y)).sum(axis=1))
    )


def _check(table: pd.DataFrame) -> Observation:
    p = _marginals(table)
    said = f"{len(table)} points; p = {p[0]:.2f} for x, {p[1]:.2f} for y given x"
    if min(p) > 0.005:
        return Observation(HOLDS, said, "The points can be of the published mixture.")
    return Observation(DOES_NOT_HOLD, said, "The points are of another distribution.")


ITEMS = (
    Item(
        key="uncertainty-figure-8",
        title="The mixture behind the calibration experiments",
        claim="Three overlapping normal clouds in the plane are a truth on which uncertainty can "
        "be compared with error.",
        setting="Means (2, 2), (-2, -1), (4, -2); covariances diag(2, 1), identity and "
        "[[1, .7], [.7, 2]]",
        experiment=clouds, full={"n_objects": 500}, check=_check,
        rule="Holds if Kolmogorov-Smirnov tests of x and of y given x do not tell the program's "
        "points from the published mixture in equal parts, at 1 % for both together.",
    ),
)
