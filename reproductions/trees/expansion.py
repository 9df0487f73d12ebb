"""Expansion rates of data, and which data the thesis's second chapter is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.tree.oracle import Vectors
from tripletscope.core.tree.quality import expansion_rates
from tripletscope.reproductions import data
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.samples import PUBLISHED, TITLES, sample

QUARTILES = {"lower quartile": 25, "median": 50, "upper quartile": 75, "largest": 100}
#: Where the thesis found rates ten times as high as elsewhere.
STEEP = TITLES["mnist"]


def rates(
    *, sets: Sequence[str], n_objects: int, n_balls: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Quartiles of the objects' own expansion rates."""
    rows = []
    for number, name in enumerate(sets, 1):
        rng = np.random.default_rng((seed, number))
        points = sample(name, n_objects, rng)
        some = rng.choice(len(points), min(n_balls, len(points)), replace=False)
        apart = Vectors(points).about(points[some]).distances()
        # Rounding leaves something between an object and itself.
        apart[np.arange(len(some)), some] = 0
        if name == "chess":
            # The indicators' distances are roots of the numbers of coordinates that differ.
            apart = np.round(apart**2 / 2)
        found = np.percentile(expansion_rates(apart), list(QUARTILES.values()))
        rows += [(TITLES[name], q, rate) for q, rate in zip(QUARTILES, found, strict=True)]
        if progress(number / len(sets)) and number < len(sets):
            raise Stopped
    return pd.DataFrame(rows, columns=["data", "quartile", "rate"])


def _check_rates(table: pd.DataFrame) -> Observation:
    medians = table[table["quartile"] == "median"].set_index("data")["rate"]
    upper = table[table["quartile"] == "upper quartile"].set_index("data")["rate"]
    said = "median (upper quartile): " + ", ".join(
        f"{name} {medians[name]:.0f} ({upper[name]:.0f})" for name in medians.index
    )
    if STEEP not in medians.index:
        least = medians.idxmin()
        return Observation(
            HOLDS if medians.max() >= 10 * medians.min() else DOES_NOT_HOLD, said,
            f"The medians differ {medians.max() / medians.min():.0f}-fold; {least} has the least.",
        )
    # Digits are images, too; they are no counterexample and no support.
    others = medians.drop([STEEP, TITLES["digits"]], errors="ignore")
    times = medians[STEEP] / others.max()
    return Observation(
        HOLDS if times >= 10 else DOES_NOT_HOLD, said,
        f"The median of {STEEP} is {times:.0f} times that of {others.idxmax()}, the next.",
    )


def described(
    *, sets: Sequence[str], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Sizes of the data sets at hand, beside the thesis's."""
    rows = []
    for name in sets:
        n_objects, n_features = data.vectors(name).points.shape
        published = PUBLISHED.get(name, (np.nan, np.nan))
        rows += [(TITLES[name], "objects", n_objects, published[0]),
                 (TITLES[name], "features", n_features, published[1])]
    progress(1.0)
    return pd.DataFrame(rows, columns=["data", "number of", "here", "published"])


def _check_described(table: pd.DataFrame) -> Observation:
    known = table.dropna(subset="published")
    features = known[known["number of"] == "features"]
    whole = known[known["number of"] == "objects"]
    here = whole[whole["here"] == whole["published"]]["data"]
    said = "; ".join(
        f"{name}: " + ", ".join(f"{int(n):,} {what}" for what, n in zip(
            part["number of"], part["here"], strict=True
        )) for name, part in table.groupby("data", sort=False)
    )
    same = bool((features["here"] == features["published"]).all())
    full = ", ".join(here) or "none of them"
    return Observation(
        HOLDS if same else DOES_NOT_HOLD, said,
        f"{len(features)} of the seven data sets are at hand, {full} in full; others stand in for "
        "the rest.",
    )


ITEMS = (
    Item(
        key="thesis-figure-2.3",
        title="How fast balls fill as their radius doubles",
        claim="The number of objects around most objects grows moderately as the radius doubles, "
        "but about ten times as fast on images as on other data.",
        published="Ranges of MNIST and Gisette are ten times those of the other data sets",
        setting="10,000 objects of each data set, the rate of each object over various radii",
        ours="At most 10,000 objects, the rates of 1,000 of them over all radii; digits, white "
        "wine and simulated objects in place of Gisette, CoverType, Corel, CoAuth and MSC",
        experiment=rates,
        full={"sets": ("mnist", "chess", "digits", "white_wine", "square", "normal5"),
              "n_objects": 10_000, "n_balls": 1000},
        quick={"sets": ("digits", "square", "normal5"), "n_objects": 2000, "n_balls": 500},
        check=_check_rates, needs=("mnist", "chess", "white_wine"),
    ),
    Item(
        key="thesis-table-2.2",
        title="The data of the search experiments",
        claim="Trees are tried on data from six to five thousand dimensions, and on two networks.",
        published="MNIST 70,000 × 784, Gisette 12,500 × 5,000, CoverType 50,000 × 53, Corel "
        "19,787 × 44 (Euclidean), chess 28,056 × 6 (mismatch), CoAuth 11,204 and MSC 10,848 "
        "(shortest paths)",
        experiment=described,
        full={"sets": ("mnist", "chess", "digits", "white_wine")}, quick={"sets": ("digits",)},
        check=_check_described, needs=("mnist", "chess", "white_wine"),
    ),
)
