"""The figures of the proof: constructions in the plane, drawn by computing them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.continuous import area, diameter, in_cell, nearer_part
from tripletscope.reproductions.theory.cuts import heights
from tripletscope.reproductions.theory.drawing import (
    circle,
    closed,
    cut_line,
    reflections,
    table_of,
    values,
)
from tripletscope.reproductions.theory.lemmas import in_ball

#: A cell, and what lies in it: centres of two balls, their radius, and a pivot.
CELL = np.array([[0.1, 0.3], [0.5, 0.0], [1.0, 0.15], [1.05, 0.6], [0.6, 0.85], [0.15, 0.7]])
A, B = np.array([0.25, 0.45]), np.array([0.9, 0.4])
RADIUS = 0.07
X = np.array([0.45, 0.62])
EVEN = "even density"


def good_and_bad(*, n_cuts: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Two balls in a cell, with the first good and the first bad one of random cuts."""
    rng = np.random.default_rng(seed)
    x, y = (in_cell(CELL, n_cuts, EVEN, rng) for _ in range(2))
    first, second = heights(np.array([A, B]), x, y)
    good = (np.minimum(np.abs(first), np.abs(second)) >= RADIUS) & (first * second < 0)
    bad = np.maximum(np.abs(first), np.abs(second)) <= RADIUS
    pieces = [("", "cell A", closed(CELL)), ("", "balls", circle(A, RADIUS)),
              ("", "balls", circle(B, RADIUS))]
    for kind, which in (("good cut", good), ("bad cut", bad)):
        if which.any():
            number = np.argmax(which)
            pieces.append(("", kind, cut_line(x[number], y[number])))
    progress(1.0)
    return table_of(pieces, {("", "good cuts"): good.mean(), ("", "bad cuts"): bad.mean()})


def _check_cuts(table: pd.DataFrame) -> Observation:
    share = values(table)[""]
    holds = share["good cuts"] > share["bad cuts"]
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        f"{100 * share['good cuts']:.1f} % good, {100 * share['bad cuts']:.2f} % bad cuts",
        f"Of random cuts of this cell {'more' if holds else 'no more'} are good than bad.",
    )


def cones(*, n_points: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """The cone over the middle plane, and the areas that the proof compares."""
    edge = nearer_part(CELL, A, B)
    middle = np.isclose(np.linalg.norm(edge - A, axis=1), np.linalg.norm(edge - B, axis=1))
    ends = edge[middle]
    rho = np.linalg.norm(A - B) / 2 - RADIUS
    pieces = [("", "cell A", closed(CELL)), ("", "Ω", ends)]
    for centre in (A, B):
        angles = np.sort(np.arctan2(*(ends - centre).T[::-1]) / (2 * np.pi))
        turn = (angles[0], angles[1]) if np.ptp(angles) < 0.5 else (angles[1], angles[0] + 1)
        for share in turn:
            ray = circle(centre, 0.8, (share, share))[:1]
            pieces.append(("", "cone Π", np.array([centre, ray[0]])))
        pieces += [("", "γ", circle(centre, rho)), ("", "Σ", circle(centre, rho, turn))]
        if centre is A:
            angle = turn[1] - turn[0]
    # Of the sector, of the cell, and of what of the ball γ is in the cell.
    points = in_cell(CELL, n_points, EVEN, np.random.default_rng(seed))
    inside = np.mean(np.linalg.norm(points - A, axis=1) <= rho) * area(CELL)
    progress(1.0)
    return table_of(pieces, {
        ("", "A"): area(CELL), ("", "2 Γ"): 2 * np.pi * angle * diameter(CELL) ** 2,
        ("", "γ in A"): inside, ("", "γ in Π"): np.pi * angle * rho**2,
    })


def _check_cones(table: pd.DataFrame) -> Observation:
    size = values(table)[""]
    holds = size["A"] <= size["2 Γ"] and size["γ in A"] >= size["γ in Π"]
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        ", ".join(f"{name} {size[name]:.3f}" for name in size.index),
        f"The cell is {'no larger' if size['A'] <= size['2 Γ'] else 'larger'} than twice the "
        f"sector Γ, and γ has {'no less' if size['γ in A'] >= size['γ in Π'] else 'less'} in the "
        "cell than in the cone.",
    )


def _met(points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Whether the cut between X and each point goes through the ball around the centre."""
    far = np.linalg.norm(points - centre, axis=1) ** 2 - np.sum((X - centre) ** 2)
    return np.abs(far) <= 2 * RADIUS * np.linalg.norm(points - X, axis=1)


def _in_annulus(points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    own = np.linalg.norm(X - centre)
    return np.abs(np.linalg.norm(points - centre, axis=1) - own) <= 2 * RADIUS


def _other_pivots(
    centres: dict[str, np.ndarray], n_points: int, seed: int, progress: Progress
) -> pd.DataFrame:
    """Where the other pivot is if the cut goes through all balls, and the annuli around it."""
    rng = np.random.default_rng(seed)
    points = 3 * rng.random((n_points, 2)) - 1
    met = np.all([_met(points, centre) for centre in centres.values()], axis=0)
    inside = np.all([_in_annulus(points, centre) for centre in centres.values()], axis=0)
    pieces = [("", "x", circle(X, 0.02))]
    for name, centre in centres.items():
        own = np.linalg.norm(X - centre)
        pieces += [
            ("", "ball", circle(centre, RADIUS)),
            ("", f"border of B_x, {name}", reflections(X, centre, RADIUS)),
            ("", "annulus", circle(centre, own - 2 * RADIUS)),
            ("", "annulus", circle(centre, own + 2 * RADIUS)),
        ]
    progress(1.0)
    return table_of(pieces, {
        ("", "B_x"): 9 * met.mean(), ("", "annuli"): 9 * inside.mean(),
        ("", "outside"): np.mean(met & ~inside),
    })


def both_balls(*, n_points: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """B_x of two balls."""
    return _other_pivots({"β": A, "β′": B}, n_points, seed, progress)


def one_ball(*, n_points: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """B_x of one ball."""
    return _other_pivots({"β": A}, n_points, seed, progress)


def _check_other_pivots(table: pd.DataFrame) -> Observation:
    size = values(table)[""]
    return Observation(
        HOLDS if size["outside"] == 0 else DOES_NOT_HOLD,
        f"area of B_x {size['B_x']:.3f}, of the annuli's common part {size['annuli']:.3f}",
        f"{100 * size['outside']:.1f} % of the points tried are in B_x and outside of the annuli.",
    )


def brought_in(*, n_points: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """A ball with its centre beside the cell, and the one around the nearest point of the cell."""
    radius, z = 0.3, np.array([0.95, -0.07])
    after = np.roll(CELL, -1, axis=0)
    along = after - CELL
    share = np.clip(np.sum((z - CELL) * along, axis=1) / np.sum(along**2, axis=1), 0, 1)
    nearest = CELL + share[:, None] * along
    a = nearest[np.argmin(np.linalg.norm(nearest - z, axis=1))]
    points = z + radius * in_ball(n_points, 2, np.random.default_rng(seed))
    inside = points[_within(points)]
    progress(1.0)
    return table_of(
        [("", "cell A", closed(CELL)), ("", "ball around z", circle(z, radius)),
         ("", "ball β around a", circle(a, radius)), ("", "z to a", np.array([z, a]))],
        {("", "in A and the ball"): len(inside),
         ("", "outside of β"): np.sum(np.linalg.norm(inside - a, axis=1) > radius)},
    )


def _within(points: np.ndarray) -> np.ndarray:
    """Whether points are in the cell, whose corners turn left."""
    along = np.roll(CELL, -1, axis=0) - CELL
    beside = points[:, None] - CELL
    return (along[:, 0] * beside[..., 1] - along[:, 1] * beside[..., 0] >= 0).all(axis=1)


def _check_brought_in(table: pd.DataFrame) -> Observation:
    count = values(table)[""]
    outside = int(count["outside of β"])
    return Observation(
        DOES_NOT_HOLD if outside else HOLDS,
        f"{outside} of {int(count['in A and the ball']):,} points",
        f"{outside} points of the cell that are in the ball are not in β.",
    )


def guaranteed(*, n_cuts: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Cuts whose pivots are within ρ of the centres of two balls."""
    rng = np.random.default_rng(seed)
    rho = np.linalg.norm(A - B) / 2 - RADIUS
    x, y = A + rho * in_ball(n_cuts, 2, rng), B + rho * in_ball(n_cuts, 2, rng)
    first, second = heights(np.array([A, B]), x, y)
    pieces = [(("", "balls", circle(c, RADIUS))) for c in (A, B)]
    pieces += [("", "within ρ", circle(c, rho)) for c in (A, B)]
    pieces += [("", "cuts", cut_line(*pair, 0.5)) for pair in zip(x[:4], y[:4], strict=True)]
    progress(1.0)
    failed = np.mean((first < RADIUS) | (second > -RADIUS))
    return table_of(pieces, {("", "failed"): failed, ("", "tried"): n_cuts})


def _check_guaranteed(table: pd.DataFrame) -> Observation:
    share = values(table)[""]
    return Observation(
        HOLDS if share["failed"] == 0 else DOES_NOT_HOLD,
        f"{100 * share['failed']:.1f} % of {share['tried']:,.0f} cuts fail",
        f"{100 * share['failed']:.1f} % of the cuts do not part the balls cleanly.",
    )


def drawn(
    number: int, title: str, claim: str, ours: str, experiment: Callable[..., pd.DataFrame],
    full: dict[str, int], quick: dict[str, int], check: Callable[[pd.DataFrame], Observation],
    panel: str = "",
) -> Item:
    """An item of a figure of the supplement that is a construction in the plane."""
    return Item(
        key=f"forests-supplement-figure-{number}",
        also=(f"thesis-figure-3.{number + 1}",), title=title, claim=claim, ours=ours,
        experiment=experiment, full=full, quick=quick, check=check,
    )


_POINTS = {"n_points": 200_000}, {"n_points": 20_000}
_CUTS = {"n_cuts": 100_000}, {"n_cuts": 10_000}

ITEMS = (
    drawn(
        1, "Good cuts and bad cuts",
        "A good cut parts two far balls of a cell cleanly, a bad one goes through both.",
        "Both are counted among random cuts of the cell that is drawn",
        good_and_bad, *_CUTS, _check_cuts,
    ),
    drawn(
        2, "The cone over the middle of a cell",
        "A cell is covered by two sectors over its middle, whose tips it contains.",
        "The areas that the proof compares are measured in the cell that is drawn",
        cones, *_POINTS, _check_cones,
    ),
    drawn(
        3, "Where the other pivot of a bad cut is",
        "The pivots that make a bad cut with a given one lie between curves, and these between "
        "annuli.",
        "The curves are the images of x in all tangents of the balls",
        both_balls, *_POINTS, _check_other_pivots,
    ),
    drawn(
        4, "A ball whose centre is brought into the cell",
        "What a ball around a point beside the cell holds of the cell, the same ball around the "
        "nearest point of the cell holds too.",
        "Random points of the ball that is drawn", brought_in, *_POINTS, _check_brought_in,
    ),
    drawn(
        5, "Where the other pivot of a cut through a ball is",
        "The pivots that make a cut through a ball with a given one lie in an annulus around its "
        "centre.",
        "The curve is the images of x in all tangents of the ball",
        one_ball, *_POINTS, _check_other_pivots,
    ),
    drawn(
        6, "Cuts that part two balls for certain",
        "Whichever pivots are within ρ of the centres, the cut parts the balls.",
        "Random pivots, the cuts of four of which are drawn",
        guaranteed, *_CUTS, _check_guaranteed,
    ),
)
