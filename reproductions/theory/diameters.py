"""Diameters of the cells of the continuous comparison tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.continuous import (
    DENSITIES,
    SQUARE,
    area,
    diameter,
    halves,
    leaves,
)

#: Shares between these are fitted: below 1, and seen often enough.
FITTED = (0.02, 0.8)


def large_descendants(
    *, densities: Sequence[str], beginnings: Sequence[int], n_levels: int, n_trees: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Share of cells with a descendant below k levels that has more than half their diameter.

    Cells within others are no wider, so only those that are still wide are divided.
    """
    rows = []
    work = [(density, begin) for density in densities for begin in beginnings]
    for number, (density, begin) in enumerate(work):
        rng = np.random.default_rng((seed, number))
        wide = np.zeros((n_trees, n_levels + 1), dtype=int)
        for tree in range(n_trees):
            root = SQUARE
            for _ in range(begin):
                root = halves(root, density, rng)[1]
            half, cells = diameter(root) / 2, [root]
            for level in range(n_levels + 1):
                cells = [
                    part for cell in cells for part in halves(cell, density, rng)[1:]
                    if diameter(part) > half
                ]
                wide[tree, level] = len(cells)
            done = (number + (tree + 1) / n_trees) / len(work)
            if progress(done) and done < 1:
                raise Stopped
        kind = f"{density}, cell at level {begin}"
        # More than k levels below is k + 1 levels below, or further down.
        rows += [
            (kind, density, k, np.mean(wide[:, k] > 0), wide[:, k].mean())
            for k in range(n_levels + 1)
        ]
    return pd.DataFrame(rows, columns=["cell", "density", "k", "share", "n_wide"])


def decay(part: pd.DataFrame) -> tuple[float, float]:
    """The gamma of c gamma^k that fits best, and the share of variance explained.

    Of fewer than three shares that can be fitted none: then nothing falls as a power.
    """
    own = part[part["share"].between(*FITTED)]
    if len(own) < 3:
        return 1.0, 0.0
    x, y = own["k"], np.log(own["share"])
    return float(np.exp(np.polyfit(x, y, 1)[0])), float(np.corrcoef(x, y)[0, 1] ** 2)


def levels_needed(density: str, dimension: int = 2) -> float:
    """The k from which the proposition's bound says something."""
    _, least, most = DENSITIES[density]
    ratio = most / least
    balls = (2**7 * dimension**1.5 * 25**dimension * ratio**2) ** dimension
    gamma = 1 - 1 / (ratio * 25**dimension)
    return float(np.log(balls * (balls + 1) / 2) / -np.log(gamma))


def _check(table: pd.DataFrame) -> Observation:
    found = {name: decay(part) for name, part in table.groupby("cell", sort=False)}
    words = "; ".join(
        f"{name}: γ = {gamma:.3f} (R² {explained:.3f})"
        for name, (gamma, explained) in found.items()
    )
    holds = all(gamma < 1 and explained > 0.95 for gamma, explained in found.values())
    rare = table[table["share"] < 0.05].groupby("cell")["k"].min()
    told = f"k = {rare.max():.0f}" if len(rare) == len(found) else "no k"
    needed = max(map(levels_needed, table["density"].unique()))
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD, words,
        f"The share {'falls' if holds else 'does not fall'} as γ^k with γ < 1 and is below 5 % at "
        f"{told}; the proof's bound exceeds 1 up to k = {needed:,.0f}.",
    )


def tree_of_cells(
    *, levels: Sequence[int], n_trees: int, density: str, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """The cells of a tree as they lie in the square, and what many trees have in common."""
    rows = []
    for number, level in enumerate(levels, 1):
        found = []
        for tree in range(n_trees):
            cells = leaves(level, density, np.random.default_rng((seed, tree)))
            found.append((len(cells), sum(map(area, cells)), np.mean(list(map(diameter, cells)))))
            if tree == 0:
                rows += [(f"level {level}", *corner, np.nan, np.nan, np.nan)
                         for cell in cells for corner in [*cell, cell[0], (np.nan, np.nan)]]
        rows.append((f"level {level}", np.nan, np.nan, *np.mean(found, axis=0)))
        if progress(number / len(levels)) and number < len(levels):
            raise Stopped
    return pd.DataFrame(rows, columns=["level", "x", "y", "n_cells", "area", "diameter"])


def _check_tree(table: pd.DataFrame) -> Observation:
    own = table.dropna(subset="n_cells")
    power = 2.0 ** own["level"].str.removeprefix("level ").astype(int)
    whole = bool(np.allclose(own["area"], 1) and np.allclose(own["n_cells"], power))
    words = ", ".join(
        f"{row.level}: {row.n_cells:.0f} cells, mean diameter {row.diameter:.3f}"
        for row in own.itertuples()
    )
    return Observation(
        HOLDS if whole else DOES_NOT_HOLD, words,
        f"Level l {'has' if whole else 'has not'} 2^l cells that fill the square without a gap.",
    )


ITEMS = (
    Item(
        key="forests-assumption-3.1",
        title="What is assumed of the data",
        also=("thesis-assumption-3.2.1", "forests-supplement-assumption-1.1"),
        claim="Objects are vectors in the unit cube whose density is nowhere zero and nowhere "
        "unbounded.",
        stated="It is assumed, not found; the experiments below draw objects by an even density "
        "and by one that is three times as high at one side.",
    ),
    Item(
        key="forests-definition-1",
        title="The continuous comparison tree",
        also=("thesis-definition-8",),
        claim="Each cell is halved between two pivots drawn from the density within it, whatever "
        "the objects are.",
        ours="The plane, where cells are polygons that are divided exactly",
        experiment=tree_of_cells,
        full={"levels": (2, 4, 7), "n_trees": 20, "density": "even density"},
        quick={"n_trees": 5}, check=_check_tree,
        rule="Holds if level l has 2^l cells whose areas sum to that of the square.",
        not_judged="Other dimensions than the plane.",
    ),
    Item(
        key="forests-proposition-3.1",
        title="Cells become narrow",
        also=("thesis-proposition-10", "forests-supplement-proposition-1.1"),
        claim="That a cell more than k levels below another has still more than half its diameter "
        "becomes exponentially unlikely as k grows.",
        published="P ≤ c γ^k with γ < 1",
        ours="The plane; all descendants of 1,000 squares, and of as many cells three levels down",
        experiment=large_descendants,
        full={"densities": tuple(DENSITIES), "beginnings": (0, 3), "n_levels": 16,
              "n_trees": 1000},
        quick={"n_trees": 60}, check=_check,
        rule="Holds if in every case the share of cells with a wide descendant, where it is "
        "between 0.02 and 0.8, falls as γ^k with γ < 1, and the line of its logarithm over k "
        "explains more than 95 % of the variance.",
        not_judged="That it is γ^k and no other fall: each line goes through three levels, as no "
        "others have shares between those; other dimensions than the plane; the constants of the "
        "proof, whose bound is below 1 only from a k of more than 100,000 on.",
    ),
)
