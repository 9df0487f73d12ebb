"""Objects that the forests are tried on."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.simulation.simulate import comparisons_of
from tripletscope.reproductions.data import LabelledVectors, vectors

#: Gisette is made of MNIST's fours and nines; the others are what is at hand.
STAND_IN = (
    "MNIST's 4 and 9 in place of Gisette, which is made of them, scikit-learn's digits in place of "
    "UCIHAR and wine or breast cancer in place of Isolet"
)
#: Some classes of a collection, by the name that they have here.
_PARTS = {
    "MNIST 0-4": ("mnist", range(5)), "digits 0-4": ("digits", range(5)),
    "MNIST 4/9": ("mnist", (4, 9)), "MNIST 0/1": ("mnist", (0, 1)),
    "digits 4/9": ("digits", (4, 9)),
    "wine 0/1": ("wine", (0, 1)),
}


def objects(name: str, most: int, rng: np.random.Generator) -> LabelledVectors:
    """At most so many objects of a collection or of some of its classes.

    Features of "wine" and "cancer", which have different units, are standardised.
    """
    source, classes = _PARTS.get(name, (name, None))
    given = vectors(source) if classes is None else vectors(source).of_classes(classes)
    given = given.some(most, rng)
    points = standardised(given.points) if source in ("wine", "cancer") else given.points
    return LabelledVectors(name, points, given.target)


def wines() -> Triplets:
    """The wines with their features and classes, and comparisons of their distances."""
    about = datasets.load_wine()
    table = pd.DataFrame(about.data, columns=about.feature_names).assign(
        cultivar=[f"cultivar {k + 1}" for k in about.target]
    )
    table.insert(0, "id", [f"wine {k}" for k in range(1, len(table) + 1)])
    points = standardised(about.data)
    rows = comparisons_of(squareform(pdist(points)), most=100 * len(table))
    return Triplets(rows, table, name="wines")


def wine_features() -> ColumnMap:
    """What goes in the place of a map of the `wines`."""
    return ColumnMap(columns=list(datasets.load_wine().feature_names))


def standardised(points: np.ndarray) -> np.ndarray:
    """(n, f) features with mean 0 and standard deviation 1; constant ones are 0."""
    spread = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)


def folds_of(given: LabelledVectors, n_folds: int, seed: int) -> list:
    """Training and test positions; classes are divided evenly, responses at random."""
    kind = StratifiedKFold if given.target.dtype.kind in "iu" else KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(given.points, given.target))
