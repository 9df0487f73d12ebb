"""Expansion rates of the data that the thesis's second chapter is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.trees.oracle import Vectors
from tripletscope.core.trees.quality import expansion_rates
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.samples import TITLES, sample

QUARTILES = {"lower quartile": 25, "median": 50, "upper quartile": 75, "largest": 100}
#: Images and others of the thesis's data; the second of each is measured in short.
STEEP, MODERATE = (TITLES["mnist"], TITLES["digits"]), (TITLES["chess"], TITLES["square"])
#: So many times as high the thesis found the rates of images.
TIMES = 10


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
    found = table.pivot_table("rate", "data", "quartile", sort=False)
    steep, moderate = (
        next(name for name in names if name in found.index) for names in (STEEP, MODERATE)
    )
    times = found.loc[steep] / found.loc[moderate]
    judged = times[["median", "upper quartile"]]
    return Observation(
        HOLDS if (judged >= TIMES).all() else DOES_NOT_HOLD,
        "median (upper quartile): " + ", ".join(
            f"{name} {row['median']:.0f} ({row['upper quartile']:.0f})"
            for name, row in found.iterrows()
        ),
        f"The median of {steep} is {judged['median']:.1f} times that of {moderate}, the upper "
        f"quartile {judged['upper quartile']:.1f} times.",
    )


ITEMS = (
    Item(
        key="thesis-figure-2.3",
        title="How fast balls fill as their radius doubles",
        claim="The number of objects around most objects grows moderately as the radius doubles, "
        "but ten times as fast, or faster, on images as on other data.",
        published="Ranges of MNIST and Gisette are ten times those of the other data sets",
        setting="10,000 objects of each data set, the rate of each object over various radii",
        rule="Holds if the median and the upper quartile of the rates of MNIST are each at least "
        "ten times those of chess.",
        stand_in="MNIST's 10,000 test images in place of 10,000 of its 70,000; chess is the "
        "thesis's own",
        ours="The rates of 1,000 of the 10,000 objects, over all radii; in short, digits and a "
        "square take the place of MNIST and chess",
        not_judged="Gisette, CoverType, Corel, CoAuth and MSC are not to be had; digits, white "
        "wine and simulated objects are only shown; the thesis does not say which rate is "
        "moderate, nor how much more than ten times would be too much.",
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
        stated="It lists data; of the seven sets, chess and 10,000 of MNIST's images are at hand.",
    ),
)
