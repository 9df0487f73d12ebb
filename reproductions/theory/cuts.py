"""Good cuts, which part two far balls, and bad cuts, which go through both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.continuous import (
    DENSITIES,
    diameter,
    in_cell,
    in_cube,
    leaves,
)

GOOD, BAD, LEAST, MOST = "good cuts", "bad cuts", "bound of good cuts", "bound of bad cuts"
#: Levels at which cells of trees are taken.
DEPTH = 5


def heights(centres: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(b, m) heights of points over the planes halfway between x and y; above 0 nearer to x."""
    apart = np.linalg.norm(x - y, axis=1)
    return (cdist(centres, y, "sqeuclidean") - cdist(centres, x, "sqeuclidean")) / (2 * apart)


def far_pairs(
    points: np.ndarray, wide: float, radius: float, n_pairs: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Centres of balls that are at least half of `wide` apart, less a radius."""
    # The centre may be beside the cell as long as the ball meets it.
    step = rng.standard_normal(points.shape)
    step *= radius * rng.random((len(points), 1)) / np.linalg.norm(step, axis=1, keepdims=True)
    moved = points + step
    one, other = np.nonzero(cdist(moved, moved) >= wide / 2 - radius)
    some = rng.choice(len(one), n_pairs)
    return moved[one[some]], moved[other[some]]


def _cells(
    kind: str, density: str, n_cells: int, rng: np.random.Generator
) -> Iterator[tuple[float, object]]:
    """Diameters of cells, and how points are drawn in them."""
    if kind.startswith("cube"):
        dimension = int(kind.split()[1])
        for _ in range(n_cells):
            yield dimension**0.5, lambda n: in_cube(n, dimension, density, rng)
        return
    for _ in range(n_cells):
        all_leaves = leaves(DEPTH, density, rng)
        cell = all_leaves[rng.integers(len(all_leaves))]
        yield diameter(cell), lambda n, cell=cell: in_cell(cell, n, density, rng)


def bounds(kind: str, density: str, ratio: float) -> tuple[float, float]:
    """Of good cuts from below and of bad cuts from above, by the ratio c of diameter and radius."""
    dimension = int(kind.split()[1]) if kind.startswith("cube") else 2
    _, least, most = DENSITIES[density]
    good = 2 * least / most * ((ratio - 10) / (4 * ratio)) ** (2 * dimension)
    bad = most / least * 32 * dimension * ratio / ((ratio - 2) * (ratio - 6))
    return good, bad


def cuts(
    *, kinds: Sequence[str], densities: Sequence[str], ratios: Sequence[float], n_cells: int,
    n_pairs: int, n_cuts: int, seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Least share of good cuts and largest of bad ones over pairs of balls, beside the bounds.

    Balls are taken whole, though only what is of them in the cell counts: so fewer cuts are good
    and more are bad.
    """
    rows = []
    work = [(kind, density, ratio) for kind in kinds for density in densities for ratio in ratios]
    for number, (kind, density, ratio) in enumerate(work, 1):
        rng = np.random.default_rng((seed, number))
        good, bad = [], []
        for wide, drawn in _cells(kind, density, n_cells, rng):
            radius = wide / ratio
            one, other = far_pairs(drawn(200), wide, radius, n_pairs, rng)
            x, y = drawn(n_cuts), drawn(n_cuts)
            first, second = heights(one, x, y), heights(other, x, y)
            parted = ((first >= radius) & (second <= -radius)) | (
                (first <= -radius) & (second >= radius)
            )
            both = (np.abs(first) <= radius) & (np.abs(second) <= radius)
            good.append(parted.mean(axis=1).min())
            bad.append(both.mean(axis=1).max())
        least, most = bounds(kind, density, ratio)
        for about, curve, share in (
            (GOOD, GOOD, min(good)), (GOOD, LEAST, least), (BAD, BAD, max(bad)), (BAD, MOST, most)
        ):
            rows.append((f"{kind}, {density}", ratio, about, curve, share))
        if progress(number / len(work)) and number < len(work):
            raise Stopped
    return pd.DataFrame(rows, columns=["cell", "ratio", "about", "curve", "share"])


def _check_good(table: pd.DataFrame) -> Observation:
    share = table.pivot_table("share", ["cell", "ratio"], "curve", sort=False)
    below = int((share[GOOD] < share[LEAST]).sum())
    last = share.groupby("cell", sort=False).tail(1)
    return Observation(
        DOES_NOT_HOLD if below else HOLDS,
        "; ".join(
            f"{cell}, c = {ratio:g}: {row[GOOD]:.3f} (bound {row[LEAST]:.2g})"
            for (cell, ratio), row in last.iterrows()
        ),
        f"{below} of {len(share)} least shares of good cuts are below their bounds; they are "
        f"{(share[GOOD] / share[LEAST]).min():.0f} times as large or more.",
    )


def _check_bad(table: pd.DataFrame) -> Observation:
    share = table.pivot_table("share", ["cell", "ratio"], "curve", sort=False)
    above = int((share[BAD] > share[MOST]).sum())
    last = share.groupby("cell", sort=False).tail(1)
    return Observation(
        DOES_NOT_HOLD if above else HOLDS,
        "; ".join(
            f"{cell}, c = {ratio:g}: {row[BAD]:.4f} (bound {row[MOST]:.3f})"
            for (cell, ratio), row in last.iterrows()
        ),
        f"{above} of {len(share)} largest shares of bad cuts are above their bounds; "
        f"{int((share[MOST] >= 1).sum())} bounds are 1 or more and say nothing.",
    )


_KINDS = ("cube 1", "cube 2", "cube 3", "cell")
_OURS = (
    "Unit cubes of one to three dimensions and cells five levels down in trees of the plane; of "
    "random pairs of far balls, some with centres beside the cell, the worst counts"
)

_FULL = {
    "kinds": _KINDS, "densities": tuple(DENSITIES), "ratios": (12, 25, 50, 200, 1000),
    "n_cells": 3, "n_pairs": 60, "n_cuts": 10_000,
}
_QUICK = {"densities": ("even density",), "n_cells": 3, "n_pairs": 20, "n_cuts": 4000}

ITEMS = (
    Item(
        key="forests-supplement-lemma-2.1",
        title="Good cuts are not rare",
        also=("thesis-lemma-11",),
        claim="That a random cut parts two balls that lie far apart in a cell has a probability "
        "that is bounded from below, however small the cell is.",
        published="P ≥ 2 f_min / f_max ((c - 10) / 4c)^2d",
        ours=_OURS, experiment=cuts, full=_FULL, quick=_QUICK, check=_check_good,
        rule="Holds if for each cell, density and ratio c, no pair of far balls has a smaller "
        "share of good cuts than the bound.",
        not_judged="How tight the bound is: in three dimensions it is below a thousandth.",
    ),
    Item(
        key="forests-supplement-lemma-2.2",
        title="Bad cuts are rare",
        also=("thesis-lemma-12",),
        claim="That a random cut goes through both of two small balls that lie far apart has a "
        "probability that falls with their size.",
        published="P ≤ f_max / f_min · 32 d c / ((c - 2)(c - 6))",
        ours=_OURS, experiment=cuts, full=_FULL, quick=_QUICK, check=_check_bad,
        rule="Holds if for each cell, density and ratio c, no pair of far balls has a larger "
        "share of bad cuts than the bound; bounds of 1 and more say nothing.",
    ),
)
