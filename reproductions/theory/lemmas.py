"""Balls, half-spaces and annuli: the lemmas of the proof, tried on random ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.neighbors import kneighbors_graph

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.annuli import widths

#: Rounding.
_SLACK = 1e-9


def in_ball(n_points: int, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """(n, d) even points of the unit ball."""
    way = rng.standard_normal((n_points, dimension))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * rng.random((n_points, 1)) ** (1 / dimension)


def projected_balls(
    *, dimensions: Sequence[int], n_balls: int, n_points: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """How far from the projected centre of a ball its points in the unit cube are, by radius."""
    rows = []
    for number, dimension in enumerate(dimensions, 1):
        rng = np.random.default_rng((seed, dimension))
        farthest, n_inside = [], 0
        for _ in range(n_balls):
            radius = rng.uniform(0.1, 1)
            beside = rng.random(dimension) + radius * in_ball(1, dimension, rng)[0]
            points = beside + radius * in_ball(n_points, dimension, rng)
            inside = points[((points >= 0) & (points <= 1)).all(axis=1)]
            n_inside += len(inside)
            apart = np.linalg.norm(inside - np.clip(beside, 0, 1), axis=1)
            farthest.append(apart.max(initial=0) / radius)
        rows.append((f"d = {dimension}", max(farthest), n_inside))
        if progress(number / len(dimensions)) and number < len(dimensions):
            raise Stopped
    return pd.DataFrame(rows, columns=["cube", "farthest", "n_points"])


def _check_balls(table: pd.DataFrame) -> Observation:
    most = table["farthest"].max()
    return Observation(
        HOLDS if most <= 1 + _SLACK else DOES_NOT_HOLD,
        "farthest, in radii: " + ", ".join(
            f"{row.cube}: {row.farthest:.3f}" for row in table.itertuples()
        ),
        f"Of {table['n_points'].sum():,} points of balls in the cube none is farther from the "
        f"projected centre than {most:.3f} radii.",
    )


def localized(
    *, dimensions: Sequence[int], n_points: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """By how many diameters of a ball y is farther from its centre than x, where a cut meets it."""
    rows = []
    for number, dimension in enumerate(dimensions, 1):
        rng = np.random.default_rng((seed, dimension))
        centre, x = rng.standard_normal((2, n_points, dimension))
        radius = rng.uniform(0.05, 1, (n_points, 1))
        # A point of the plane between x and y that is in the ball; half of them on its edge.
        met = in_ball(n_points, dimension, rng)
        met[::2] /= np.linalg.norm(met[::2], axis=1, keepdims=True)
        met = centre + radius * met
        way = rng.standard_normal((n_points, dimension))
        # Half of the y lie in line with the centre, where the farthest are.
        way[::2] = (met - centre)[::2] * rng.choice([-1, 1], (len(way[::2]), 1))
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        y = met + np.linalg.norm(x - met, axis=1, keepdims=True) * way
        farther = np.linalg.norm(y - centre, axis=1) - np.linalg.norm(x - centre, axis=1)
        share = farther / (2 * radius[:, 0])
        rows += [(f"d = {dimension}", "least", share.min()),
                 (f"d = {dimension}", "most", share.max())]
        if progress(number / len(dimensions)) and number < len(dimensions):
            raise Stopped
    return pd.DataFrame(rows, columns=["space", "end", "diameters"])


def _check_localized(table: pd.DataFrame) -> Observation:
    most = table["diameters"].abs().max()
    ends = table.pivot_table("diameters", "space", "end", sort=False)
    return Observation(
        HOLDS if most <= 1 + _SLACK else DOES_NOT_HOLD,
        "; ".join(f"{space}: {r['least']:.3f} to {r['most']:.3f}" for space, r in ends.iterrows()),
        f"The distances of x and y from the centre differ by at most {most:.3f} diameters.",
    )


def separated(
    *, dimensions: Sequence[int], factors: Sequence[float], n_cuts: int, n_points: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Share of cuts that fail to part two balls, by how large a ball the pivots are drawn from."""
    rows = []
    work = [(d, factor) for d in dimensions for factor in factors]
    for number, (dimension, factor) in enumerate(work, 1):
        rng = np.random.default_rng((seed, number))
        failed = 0
        for _ in range(n_cuts):
            centre, other = rng.standard_normal((2, dimension))
            half = np.linalg.norm(centre - other) / 2
            radius = half * rng.uniform(0.05, 0.95)
            reach = factor * (half - radius)
            x, y = (c + reach * in_ball(1, dimension, rng) for c in (centre, other))
            edge = in_ball(n_points, dimension, rng)
            edge *= radius / np.linalg.norm(edge, axis=1, keepdims=True)
            failed += bool(
                (cdist(centre + edge, x) > cdist(centre + edge, y) + _SLACK).any()
                or (cdist(other + edge, y) > cdist(other + edge, x) + _SLACK).any()
            )
        rows.append((f"d = {dimension}", factor, failed / n_cuts))
        if progress(number / len(work)) and number < len(work):
            raise Stopped
    return pd.DataFrame(rows, columns=["space", "factor", "failed"])


def _check_separated(table: pd.DataFrame) -> Observation:
    most = table[table["factor"] <= 1]["failed"].max()
    beyond = table[table["factor"] == table["factor"].max()]
    return Observation(
        HOLDS if most == 0 else DOES_NOT_HOLD,
        "; ".join(
            f"{row.space}: {100 * row.failed:.0f} % fail with pivots in {row.factor:g} ρ"
            for row in beyond.itertuples()
        ),
        f"With pivots within ρ of the centres {100 * most:.0f} % of the cuts fail to part the "
        "balls.",
    )


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
        f"Under no metric is more than {100 * most:.1f} % of a ball on the wrong side; squared "
        "distances, which break the triangle inequality, put "
        f"{100 * wrong[NO_METRIC]:.1f} % there.",
    )


INSIDE, BESIDE, REPAIRED = "centres in the cell", "centres beside the cell", "c - 6 in place of it"


def annulus_widths(
    *, ratios: Sequence[float], n_points: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Largest width of two annuli's intersection, divided by its bound 16 D / (c - 2), for D = 1.

    The cell is a triangle of x and the two centres, or of x and their projections, which are what
    the annuli are about; these are then as near to each other as the lemma lets them be.
    """
    rows = []
    for number, ratio in enumerate(ratios, 1):
        rng = np.random.default_rng((seed, number))
        radius = 1 / ratio
        for where, least in ((INSIDE, 0.5 - radius), (BESIDE, 0.5 - 3 * radius)):
            apart = np.where(
                rng.random(n_points) < 0.5, least, rng.uniform(least, 1, n_points)
            )
            x = np.column_stack([apart * rng.random(n_points), rng.random(n_points)])
            # The farthest x: as far from both centres as the diameter allows.
            x[0] = least / 2, np.sqrt(1 - least**2 / 4)
            apart[0] = least
            other = np.column_stack([apart, np.zeros(n_points)])
            own = np.maximum(
                np.linalg.norm(x, axis=1), np.linalg.norm(x - other, axis=1)
            ) <= 1 + _SLACK
            wide = widths(x[own], apart[own], radius).max()
            rows.append((where, ratio, wide / (16 / (ratio - 2))))
            if where == BESIDE:
                rows.append((REPAIRED, ratio, wide / (16 / (ratio - 6))))
        if progress(number / len(ratios)) and number < len(ratios):
            raise Stopped
    return pd.DataFrame(rows, columns=["where", "ratio", "share"])


def _check_widths(table: pd.DataFrame) -> Observation:
    most = table.groupby("where", sort=False)["share"].max()
    holds = most[[INSIDE, BESIDE]].max() <= 1 + _SLACK
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        "largest width over the bound: " + ", ".join(f"{w} {s:.2f}" for w, s in most.items()),
        "The widths stay below the bound." if holds else
        f"It holds with centres in the cell; with centres beside it, which the lemma admits, the "
        f"projections are as near as D/2 - 3r and the width is up to {most[BESIDE]:.2f} times the "
        f"bound, while 16 D / (c - 6) is kept ({most[REPAIRED]:.2f} of it) and serves as well.",
    )


ITEMS = (
    Item(
        key="forests-supplement-lemma-2.3",
        title="A ball whose centre is brought into the cell",
        also=("thesis-lemma-13",),
        claim="If the centre of a ball is moved to the nearest point of a cell, the ball still "
        "holds all of the cell that it held.",
        ours="Random balls at the unit cube",
        experiment=projected_balls,
        full={"dimensions": (1, 2, 3, 5, 8), "n_balls": 2000, "n_points": 1000},
        quick={"n_balls": 100}, check=_check_balls,
    ),
    Item(
        key="forests-supplement-lemma-2.4",
        title="Where the other pivot of a cut through a ball is",
        also=("thesis-lemma-14",),
        claim="If a cut goes through a ball, both pivots are equally far from its centre, but for "
        "a diameter of the ball.",
        ours="Random balls, pivots and cuts",
        experiment=localized,
        full={"dimensions": (1, 2, 3, 10), "n_points": 200_000}, quick={"n_points": 5000},
        check=_check_localized,
    ),
    Item(
        key="forests-supplement-lemma-2.5",
        title="When a cut parts two balls for certain",
        also=("thesis-lemma-15",),
        claim="If each pivot is near enough to the centre of one of two balls, the cut parts the "
        "balls cleanly.",
        ours="Random balls; pivots are also drawn from balls that are larger than ρ",
        experiment=separated,
        full={"dimensions": (1, 2, 3, 10), "factors": (0.5, 1.0, 1.2, 1.5, 2.0),
              "n_cuts": 3000, "n_points": 200},
        quick={"n_cuts": 200, "dimensions": (1, 2, 3)}, check=_check_separated,
    ),
    Item(
        key="forests-supplement-remark-2.1",
        title="The same in any metric space",
        also=("thesis-remark-16",),
        claim="That near pivots part two balls cleanly needs nothing but the triangle inequality.",
        ours="Random objects under five metrics, and under squared distances, which are none",
        experiment=in_metrics, full={"n_objects": 600, "n_pairs": 3000},
        quick={"n_objects": 200, "n_pairs": 300}, check=_check_metrics,
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
        full={"ratios": (11, 12, 15, 20, 30, 50, 100, 200), "n_points": 200_000},
        quick={"n_points": 5000}, check=_check_widths,
    ),
)
