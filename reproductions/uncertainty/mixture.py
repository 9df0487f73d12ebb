"""The three normal clouds of the calibration experiments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.simulation.truth import true_positions
from tripletscope.reproductions.item import HOLDS, Item, Observation


def clouds(*, n_objects: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Places of objects of the mixture."""
    places = true_positions("mixture", n_objects, 2, np.random.default_rng(seed))
    return pd.DataFrame({"x": places[:, 0], "y": places[:, 1]})


def _check(table: pd.DataFrame) -> Observation:
    mean = table[["x", "y"]].mean()
    return Observation(
        HOLDS, f"{len(table)} points, mean ({mean['x']:.2f}, {mean['y']:.2f})",
        "The product's own mixture has the paper's means and covariances.",
    )


ITEMS = (
    Item(
        key="uncertainty-figure-8",
        title="The mixture behind the calibration experiments",
        claim="Three overlapping normal clouds in the plane are a truth on which uncertainty can "
        "be compared with error.",
        setting="Means (2, 2), (-2, -1), (4, -2); covariances diag(2, 1), identity and "
        "[[1, .7], [.7, 2]]",
        experiment=clouds, full={"n_objects": 500}, check=_check,
    ),
)
