"""Metric spaces and annuli: what the proof says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import kneighbors_graph

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.annuli import widths

#: Rounding.
_SLACK = 1e-9


def _paths(points: np.ndarray) -> np.ndarray:
    graph = kneighbors_graph(points, 8, mode="distance")
    return shortest_path(graph.maximum(graph.T), directed=False)


#: Distances by name; all but the last are metrics.
DISTANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Euclidean": lambda p: squareform(pdist(p)),
    "Manhattan": lambda p: squareform(pdist(p, "cityblock")),
    "largest coordinate": lambda p: squareform(pdist(p, "chebyshev")),
    "mismatches": lambda p: squareform(pdist(np.floor(6 * p), "hamming")),
    "shortest paths": _paths,
    "squared Euclidean": lambda p: squareform(pdist(p, "sqeuclidean")),
}
NO_METRIC = "squared Euclidean"


def in_metrics(
    *, n_objects: int, n_pairs: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Share of the cuts that put an object of a ball on the wrong side, by distance."""
    rows = []
    for number, (name, measure) in enumerate(DISTANCES.items(), 1):
        rng = np.random.default_rng(seed)
        # Many coordinates of few values make mismatches of many kinds.
        apart = measure(rng.random((n_objects, 12 if name == "mismatches" else 3)))
        wrong = tried = 0
        for _ in range(n_pairs):
            a, b = rng.choice(n_objects, 2, replace=False)
            half = apart[a, b] / 2
            radius = half * rng.uniform(0.3, 0.9)
            ball = np.flatnonzero(apart[a] <= radius)
            x, y = (np.flatnonzero(apart[c] <= half - radius) for c in (a, b))
            misplaced = apart[np.ix_(ball, x)].max(axis=1) > (
                apart[np.ix_(ball, y)].min(axis=1) + _SLACK
            )
            wrong, tried = wrong + int(misplaced.sum()), tried + len(ball)
        rows.append((name, wrong / tried, tried))
        if progress(number / len(DISTANCES)) and number < len(DISTANCES):
            raise Stopped
    return pd.DataFrame(rows, columns=["distance", "wrong", "n_tried"])


def _check_metrics(table: pd.DataFrame) -> Observation:
    wrong = table.set_index("distance")["wrong"]
    most = wrong.drop(NO_METRIC).max()
    return Observation(
        HOLDS if most == 0 else DOES_NOT_HOLD,
        ", ".join(f"{name} {100 * share:.1f} %" for name, share in wrong.items()),
        "Under every metric all objects of the balls are on the right side." if most == 0 else
        f"Under one metric {100 * most:.1f} % of the objects of balls are on the wrong side.",
    )


INSIDE, BESIDE, REPAIRED = "centres in the cell", "centres beside the cell", "c - 6 in place of it"


def annulus_widths(
    *, ratios: Sequence[float], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Largest width of two annuli's intersection, divided by its bound 16 D / (c - 2), for D = 1.

    The cell is a triangle of x and the two centres, or of x and their projections, which are what
    the annuli are about; these are then as near to each other as the lemma lets them be.
    """
    rows = []
    for ratio in ratios:
        radius = 1 / ratio
        for where, least in ((INSIDE, 0.5 - radius), (BESIDE, 0.5 - 3 * radius)):
            apart, x, height = (axis.ravel() for axis in np.meshgrid(
                np.linspace(least, 1, 30), np.linspace(0, 1, 61), np.linspace(0, 1, 60)
            ))
            # The farthest x: as far from both centres as the diameter allows.
            apart = np.append(apart, least)
            x = np.column_stack([
                apart * np.append(x, 0.5), np.append(height, np.sqrt(1 - least**2 / 4))
            ])
            other = np.column_stack([apart, np.zeros(len(apart))])
            own = np.maximum(
                np.linalg.norm(x, axis=1), np.linalg.norm(x - other, axis=1)
            ) <= 1 + _SLACK
            wide = widths(x[own], apart[own], radius).max()
            rows.append((where, ratio, wide / (16 / (ratio - 2))))
            if where == BESIDE:
                rows.append((REPAIRED, ratio, wide / (16 / (ratio - 6))))
    progress(1.0)
    return pd.DataFrame(rows, columns=["where", "ratio", "share"])


def _check_widths(table: pd.DataFrame) -> Observation:
    most = table.groupby("where", sort=False)["share"].max()
    holds = most[[INSIDE, BESIDE]].max() <= 1 + _SLACK
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        "largest width over the bound: " + ", ".join(f"{w} {s:.2f}" for w, s in most.items()),
        "The widths stay below the bound." if holds else
        "With centres beside the cell, which the lemma admits, the projections are as near as "
        f"D/2 - 3r and the width is up to {most[BESIDE]:.2f} times the bound; 16 D / (c - 6) is "
        "kept.",
    )


ITEMS = (
    Item(
        key="forests-supplement-remark-2.1",
        title="The same in any metric space",
        also=("thesis-remark-16",),
        claim="That near pivots part two balls cleanly needs nothing but the triangle inequality.",
        ours="Random objects under five metrics, and under squared distances, which are none",
        experiment=in_metrics, full={"n_objects": 400, "n_pairs": 600},
        quick={"n_objects": 200, "n_pairs": 300}, check=_check_metrics,
        rule="Holds if under none of five metrics any object of a ball is nearer to a pivot within "
        "ρ of the other centre than to one within ρ of its own.",
    ),
    Item(
        key="forests-supplement-lemma-2.6",
        title="Two annuli meet in a narrow strip",
        also=("thesis-lemma-17",),
        claim="Where two annuli around far centres meet, their intersection is narrow along the "
        "line of the centres.",
        published="Width ≤ 16 D / (c - 2)",
        ours="All x that a cell of diameter D may have, for annuli as near as they may be",
        experiment=annulus_widths,
        full={"ratios": (11, 12, 15, 20, 30, 50, 100, 200)}, check=_check_widths, exact=True,
        rule="Holds if the intersection is nowhere wider than 16 D / (c - 2), for all x of a "
        "lattice and centres in the cell or beside it, as the lemma admits both.",
    ),
)
