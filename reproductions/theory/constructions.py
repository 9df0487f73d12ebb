"""The figures of the proof: constructions in the plane, computed on lattices of points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from tripletscope.core.engine.progress import Progress, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.continuous import diameter, nearer_part
from tripletscope.reproductions.theory.cuts import heights
from tripletscope.reproductions.theory.drawing import (
    DRAWN,
    circle,
    closed,
    cut_line,
    reflections,
    table_of,
    values,
)

#: A cell, and what lies in it: centres of two balls, their radius, and a pivot.
CELL = np.array([[0.1, 0.3], [0.5, 0.0], [1.0, 0.15], [1.05, 0.6], [0.6, 0.85], [0.15, 0.7]])
A, B = np.array([0.25, 0.45]), np.array([0.9, 0.4])
RADIUS = 0.07
X = np.array([0.45, 0.62])
#: Rounding.
SLACK = 1e-9


def lattice(step: float) -> np.ndarray:
    """Points of a square lattice around the cell."""
    along = np.arange(-1 + step / 3, 2, step)
    return np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)


def disc(n_radii: int, n_angles: int) -> np.ndarray:
    """Points of the unit disc, its edge among them."""
    angle = 2 * np.pi * np.arange(n_angles) / n_angles
    edge = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.concatenate([radius * edge for radius in np.linspace(0, 1, n_radii)])


def in_cell(points: np.ndarray) -> np.ndarray:
    """Those of the points that are in the cell, whose corners turn left."""
    along = np.roll(CELL, -1, axis=0) - CELL
    beside = points[:, None] - CELL
    turn = along[:, 0] * beside[..., 1] - along[:, 1] * beside[..., 0]
    return points[(turn >= 0).all(axis=1)]


def good_and_bad(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Two balls in a cell, with the clearest good and bad cut between points of a lattice."""
    points = in_cell(lattice(step))
    x, y = (points[side] for side in np.nonzero(~np.eye(len(points), dtype=bool)))
    first, second = heights(np.array([A, B]), x, y)
    parted = np.minimum(np.maximum(first, -first), np.maximum(second, -second))
    parted = np.where(first * second < 0, parted, 0)
    both = np.maximum(np.abs(first), np.abs(second))
    pieces = [("", "cell A", closed(CELL)), ("", "balls", circle(A, RADIUS)),
              ("", "balls", circle(B, RADIUS))]
    for kind, clearest in (("good cut", np.argmax(parted)), ("bad cut", np.argmin(both))):
        pieces.append(("", kind, cut_line(x[clearest], y[clearest])))
    progress(1.0)
    return table_of(pieces, {
        ("", "good cuts"): np.mean(parted >= RADIUS), ("", "bad cuts"): np.mean(both <= RADIUS),
    })


def _check_sides(table: pd.DataFrame, cut: str) -> list[set[bool]]:
    """For each ball that is drawn, on which sides of a cut points of its circle are."""
    drawn = table[table["row"] == DRAWN]
    start, end = drawn.loc[drawn["kind"] == cut, ["x", "y"]].dropna().to_numpy()
    balls = drawn[drawn["kind"] == "balls"]
    left = (end[0] - start[0]) * (balls["y"] - start[1]) > (
        (end[1] - start[1]) * (balls["x"] - start[0])
    )
    number = balls["x"].isna().cumsum()[balls["x"].notna()]
    return [set(own) for _, own in left[balls["x"].notna()].groupby(number)]


def _check_cuts(table: pd.DataFrame) -> Observation:
    share = values(table)[""]
    good, bad = (_check_sides(table, cut) for cut in ("good cut", "bad cut"))
    parted = {True} in good and {False} in good
    both = all(len(sides) == 2 for sides in bad)
    more = share["good cuts"] > share["bad cuts"]
    return Observation(
        HOLDS if parted and both and more else DOES_NOT_HOLD,
        f"{100 * share['good cuts']:.1f} % good, {100 * share['bad cuts']:.2f} % bad cuts",
        f"The good cut {'parts' if parted else 'does not part'} the balls, the bad one "
        f"{'goes' if both else 'does not go'} through both, and {'more' if more else 'no more'} "
        "cuts are good than bad.",
    )


def cones(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """The cones over the middle of a cell, and points against what the proof says of them."""
    edge = nearer_part(CELL, A, B)
    middle = np.isclose(np.linalg.norm(edge - A, axis=1), np.linalg.norm(edge - B, axis=1))
    ends = edge[middle]
    rho = np.linalg.norm(A - B) / 2 - RADIUS
    points = lattice(step)
    own = in_cell(points)
    pieces = [("", "cell A", closed(CELL)), ("", "Ω", ends)]
    covered, protruding = np.zeros(len(own), dtype=bool), 0
    for centre in (A, B):
        angles = np.sort(np.arctan2(*(ends - centre).T[::-1]) / (2 * np.pi))
        turn = (angles[0], angles[1]) if np.ptp(angles) < 0.5 else (angles[1], angles[0] + 1)

        def in_cone(which: np.ndarray, most: float, centre=centre, turn=turn) -> np.ndarray:
            beside = which - centre
            angle = np.arctan2(beside[:, 1], beside[:, 0]) / (2 * np.pi)
            return ((angle - turn[0]) % 1 <= turn[1] - turn[0]) & (
                np.linalg.norm(beside, axis=1) <= most
            )

        covered |= in_cone(own, diameter(CELL) + SLACK)
        cap = points[in_cone(points, rho)]
        protruding += len(cap) - len(in_cell(cap))
        for share in turn:
            ray = circle(centre, 0.8, (share, share))[:1]
            pieces.append(("", "cone Π", np.array([centre, ray[0]])))
        pieces += [("", "γ", circle(centre, rho)), ("", "Σ", circle(centre, rho, turn))]
    progress(1.0)
    return table_of(pieces, {
        ("", "points of A"): len(own), ("", "outside of both sectors"): np.sum(~covered),
        ("", "of γ in Π, outside of A"): protruding,
    })


def _check_cones(table: pd.DataFrame) -> Observation:
    count = values(table)[""].astype(int)
    bare, protruding = count["outside of both sectors"], count["of γ in Π, outside of A"]
    return Observation(
        DOES_NOT_HOLD if bare or protruding else HOLDS,
        ", ".join(f"{name}: {count[name]:,}" for name in count.index),
        f"{'Not all' if bare else 'All'} points of the cell are in one of the sectors Γ, and "
        f"{'not all' if protruding else 'all'} of the cones within ρ are in the cell.",
    )


def met(x: np.ndarray, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Whether the cuts between x and each point go through the ball around the centre."""
    far = np.linalg.norm(points - centre, axis=1) ** 2 - np.sum((x - centre) ** 2)
    return np.abs(far) <= 2 * RADIUS * np.linalg.norm(points - x, axis=1)


def _around(centres: Mapping[str, np.ndarray]) -> list[tuple[str, str, np.ndarray]]:
    """What is drawn of a pivot, balls, the borders of B_x and the annuli."""
    pieces = [("", "x", circle(X, 0.02))]
    for name, centre in centres.items():
        own = np.linalg.norm(X - centre)
        pieces += [
            ("", "ball", circle(centre, RADIUS)),
            ("", f"border of B_x, {name}", reflections(X, centre, RADIUS)),
            ("", "annulus", circle(centre, own - 2 * RADIUS)),
            ("", "annulus", circle(centre, own + 2 * RADIUS)),
        ]
    return pieces


def both_balls(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Where the other pivot is if the cut goes through both balls, and the annuli around it."""
    points = lattice(step)
    bad = np.all([met(X, points, centre) for centre in (A, B)], axis=0)
    inside = np.all([
        np.abs(np.linalg.norm(points - centre, axis=1) - np.linalg.norm(X - centre)) <= 2 * RADIUS
        for centre in (A, B)
    ], axis=0)
    progress(1.0)
    return table_of(_around({"β": A, "β′": B}), {
        ("", "B_x"): step**2 * bad.sum(), ("", "annuli"): step**2 * inside.sum(),
        ("", "outside"): np.sum(bad & ~inside),
    })


def _check_both_balls(table: pd.DataFrame) -> Observation:
    size = values(table)[""]
    return Observation(
        HOLDS if size["outside"] == 0 < size["B_x"] else DOES_NOT_HOLD,
        f"area of B_x {size['B_x']:.3f}, of the annuli's common part {size['annuli']:.3f}",
        f"{'Not all' if size['outside'] else 'All'} lattice points in B_x are in both annuli.",
    )


def nearest_of_cell(points: np.ndarray) -> np.ndarray:
    """(m, 2) the nearest points of the cell."""
    along = np.roll(CELL, -1, axis=0) - CELL
    beside = points[:, None] - CELL
    share = np.clip((beside * along).sum(axis=2) / (along**2).sum(axis=1), 0, 1)
    edges = CELL + share[..., None] * along
    best = np.argmin(np.linalg.norm(edges - points[:, None], axis=2), axis=1)
    found = edges[np.arange(len(points)), best]
    inside = np.isin(points, in_cell(points)).all(axis=1)
    return np.where(inside[:, None], points, found)


def brought_in(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Balls around points of a lattice, and those around the nearest points of the cell."""
    radius, z = 0.3, np.array([[0.95, -0.07]])
    (a,) = nearest_of_cell(z)
    centres = lattice(5 * step)
    near, points = nearest_of_cell(centres), in_cell(lattice(step))
    held = cdist(centres, points) <= radius
    outside = held & (cdist(near, points) > radius + SLACK)
    progress(1.0)
    return table_of(
        [("", "cell A", closed(CELL)), ("", "ball around z", circle(z[0], radius)),
         ("", "ball β around a", circle(a, radius)), ("", "z to a", np.array([z[0], a]))],
        {("", "balls"): np.sum(held.any(axis=1)), ("", "in A and a ball"): held.sum(),
         ("", "outside of β"): outside.sum()},
    )


def _check_brought_in(table: pd.DataFrame) -> Observation:
    count = values(table)[""].astype(int)
    return Observation(
        DOES_NOT_HOLD if count["outside of β"] else HOLDS,
        f"{count['outside of β']} of {count['in A and a ball']:,} points in {count['balls']} balls",
        f"{count['outside of β']} points of the cell that are in a ball are not in its β.",
    )


def one_ball(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """By how many diameters of a ball y is farther from its centre than x, where a cut meets it."""
    points, farther = lattice(step), []
    distance = np.linalg.norm(points - A, axis=1)
    for x in lattice(10 * step):
        own = met(x, points, A) & (points != x).any(axis=1)
        farther.append((distance[own] - np.linalg.norm(x - A)) / (2 * RADIUS))
    farther = np.concatenate(farther)
    progress(1.0)
    return table_of(_around({"β": A}), {
        ("", "pairs"): len(farther), ("", "least"): farther.min(), ("", "most"): farther.max(),
    })


def _check_one_ball(table: pd.DataFrame) -> Observation:
    found = values(table)[""]
    most = max(-found["least"], found["most"])
    return Observation(
        HOLDS if most <= 1 + SLACK else DOES_NOT_HOLD,
        f"{found['least']:.3f} to {found['most']:.3f} diameters over {found['pairs']:,.0f} pivots",
        f"The distances of x and y from the centre differ by at most {most:.3f} diameters.",
    )


def guaranteed(
    *, radii: Sequence[float], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Shares of cuts that fail to part balls, with pivots within ρ of the centres and beyond."""
    unit, measured = disc(6, 60), {}
    for radius in radii:
        rho = np.linalg.norm(A - B) / 2 - radius
        for factor in (1.0, 1.5):
            x = np.repeat(A + factor * rho * unit, len(unit), axis=0)
            y = np.tile(B + factor * rho * unit, (len(unit), 1))
            apart = np.linalg.norm(x - y, axis=1) > 0
            first, second = heights(np.array([A, B]), x[apart], y[apart])
            failed = (first < radius - SLACK) | (second > SLACK - radius)
            measured[f"r = {radius:g}", f"within {factor:g} ρ"] = failed.mean()
    pieces = [("", "balls", circle(c, RADIUS)) for c in (A, B)]
    rho = np.linalg.norm(A - B) / 2 - RADIUS
    pieces += [("", "within ρ", circle(c, rho)) for c in (A, B)]
    pieces += [
        ("", "cuts", cut_line(A + rho * unit[k], B + rho * unit[-k], 0.5)) for k in (70, 140, 330)
    ]
    progress(1.0)
    return table_of(pieces, measured)


def _check_guaranteed(table: pd.DataFrame) -> Observation:
    share = values(table)
    failed, beyond = (share.xs(f"within {factor} ρ", level=1) for factor in ("1", "1.5"))
    return Observation(
        HOLDS if failed.max() == 0 else DOES_NOT_HOLD,
        "fail with pivots within 1.5 ρ: " + ", ".join(
            f"{radius} {100 * value:.0f} %" for radius, value in beyond.items()
        ),
        f"With pivots within ρ {100 * failed.max():.1f} % of the cuts fail to part the balls.",
    )


def drawn(
    key: str, also: tuple[str, ...], title: str, claim: str, rule: str,
    experiment: Callable[..., pd.DataFrame], full: dict[str, Any],
    check: Callable[[pd.DataFrame], Observation], ours: str = "", not_judged: str = "",
) -> Item:
    """An item of the supplement that is a construction in the plane, on a lattice of points."""
    return Item(
        key=f"forests-supplement-{key}", also=also, title=title, claim=claim, rule=rule, ours=ours,
        experiment=experiment, full=full, check=check, not_judged=not_judged, exact=True,
    )


_PLANE = "Spaces of other dimensions than the plane and other places than those of the lattice."

ITEMS = (
    drawn(
        "figure-1", ("thesis-figure-3.2",), "Good cuts and bad cuts",
        "A good cut parts two far balls of a cell cleanly, a bad one goes through both.",
        "Holds if the good cut that is drawn leaves the balls on different sides, the bad one has "
        "points of both balls on both sides, and of the cuts between all pairs of lattice points "
        "of the cell more are good than bad.",
        good_and_bad, {"step": 0.06}, _check_cuts,
        not_judged="Other cells, of which lemmas 2.1 and 2.2 tell.",
    ),
    drawn(
        "figure-2", ("thesis-figure-3.3",), "The cones over the middle of a cell",
        "A cell is covered by two sectors over its middle, whose tips within ρ it contains.",
        "Holds if every lattice point of the cell that is drawn is in one of the two sectors Γ, "
        "and every one within ρ in a cone Π is in the cell.",
        cones, {"step": 0.005}, _check_cones, not_judged=_PLANE,
    ),
    drawn(
        "figure-3", ("thesis-figure-3.4",), "Where the other pivot of a bad cut is",
        "The pivots that make a bad cut with a given one lie between curves, and these between "
        "annuli.",
        "Holds if no lattice point that makes a bad cut with the pivot that is drawn is outside of "
        "one of the two annuli.",
        both_balls, {"step": 0.005}, _check_both_balls,
        ours="The curves are the images of x in all tangents of the balls",
        not_judged=f"The curves. {_PLANE}",
    ),
    drawn(
        "lemma-2.3", ("thesis-lemma-13", "forests-supplement-figure-4", "thesis-figure-3.5"),
        "A ball whose centre is brought into the cell",
        "If the centre of a ball is moved to the nearest point of a cell, the ball still holds all "
        "of the cell that it held.",
        "Holds if for balls of one radius around the points of a lattice, every lattice point of "
        "the cell in the ball is in the one that is moved.",
        brought_in, {"step": 0.02}, _check_brought_in, not_judged=_PLANE,
    ),
    drawn(
        "lemma-2.4", ("thesis-lemma-14", "forests-supplement-figure-5", "thesis-figure-3.6"),
        "Where the other pivot of a cut through a ball is",
        "If a cut goes through a ball, both pivots are equally far from its centre, but for a "
        "diameter of the ball.",
        "Holds if for all pairs of lattice points whose cut meets the ball the distances from its "
        "centre differ by at most its diameter.",
        one_ball, {"step": 0.02}, _check_one_ball,
        ours="The curve is the images of x in all tangents of the ball", not_judged=_PLANE,
    ),
    drawn(
        "lemma-2.5", ("thesis-lemma-15", "forests-supplement-figure-6", "thesis-figure-3.7"),
        "When a cut parts two balls for certain",
        "If each pivot is near enough to the centre of one of two balls, the cut parts the balls "
        "cleanly.",
        "Holds if for balls of three sizes no cut between points of a lattice that reaches to ρ "
        "from each centre, their edges among them, touches a ball or leaves it on the wrong side.",
        guaranteed, {"radii": (0.02, RADIUS, 0.2)}, _check_guaranteed,
        ours="Pivots within 1.5 ρ are measured beside", not_judged=_PLANE,
    ),
)
