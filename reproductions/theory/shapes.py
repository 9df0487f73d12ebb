"""The four shapes of two annuli's intersection: where each occurs, and how wide it is."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, silent
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Observation
from tripletscope.reproductions.theory.annuli import CASES, cases, ends, radii, widths
from tripletscope.reproductions.theory.constructions import drawn
from tripletscope.reproductions.theory.drawing import circle, table_of, values

#: Distance of the centres, and radius of the balls.
APART, RADIUS = 1.0, 0.08
#: A pivot of each case.
EXAMPLES = {"I": (0.3, 0.7), "II": (-0.3, 0.2), "III": (-0.05, 0.1), "IV": (0.4, 0.2)}
_ROUNDING = 1e-9
CENTRES = np.array([[0.0, 0.0], [APART, 0.0]])


def _sums(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum and difference of the distances from the centres."""
    one, two = (np.linalg.norm(x - centre, axis=1) for centre in CENTRES)
    return one + two, two - one


def _by_borders(x: np.ndarray) -> np.ndarray:
    """The case by the ellipse and the hyperbola whose foci are the centres."""
    total, less = _sums(x)
    outside, left = total >= APART + 4 * RADIUS, less > APART - 4 * RADIUS
    return np.where(outside, np.where(left, 1, 0), np.where(left, 2, 3))


def _nearer(step: float) -> np.ndarray:
    """Lattice points that are nearer to the first centre."""
    x, y = np.meshgrid(np.arange(-1 + step / 3, APART / 2, step), np.arange(step / 3, 1.2, step))
    return np.column_stack([x.ravel(), y.ravel()])


def regions(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """The ellipse and the hyperbola that part the four cases."""
    x = _nearer(step)
    found = cases(x, np.full(len(x), APART), RADIUS)
    # The inner circle of a near centre is none; what is drawn of this case is that of the third.
    circles = np.linalg.norm(x, axis=1) >= 2 * RADIUS
    same = found == _by_borders(x)
    pieces = [("", "centres and balls", circle(c, RADIUS)) for c in CENTRES]
    major = APART / 2 + 2 * RADIUS
    angle = 2 * np.pi * np.linspace(0, 1, 241)
    ellipse = np.column_stack([
        major * np.cos(angle), np.sqrt(major**2 - APART**2 / 4) * np.sin(angle)
    ])
    real = APART / 2 - 2 * RADIUS
    bend = np.linspace(-1.2, 1.2, 121)
    hyperbola = np.column_stack([
        -real * np.cosh(bend), np.sqrt(APART**2 / 4 - real**2) * np.sinh(bend)
    ])
    middle = np.array([APART / 2, 0])
    pieces += [("", "ellipse", ellipse + middle), ("", "hyperbola", hyperbola + middle),
               ("", "halfway", np.array([[APART / 2, -1.0], [APART / 2, 1.0]]))]
    pieces += [
        ("", f"x of case {name}", circle(EXAMPLES[name], 0.03)) for name in CASES
    ]
    progress(1.0)
    shares = {("", name): np.mean(found == k) for k, name in enumerate(CASES)}
    return table_of(pieces, shares | {("", "same"): same[circles].mean()})


def _check_regions(table: pd.DataFrame) -> Observation:
    share = values(table)[""]
    return Observation(
        HOLDS if share["same"] == 1 and share[list(CASES)].min() > 0 else DOES_NOT_HOLD,
        ", ".join(f"case {name} {100 * share[name]:.0f} %" for name in CASES),
        f"For {100 * share['same']:.1f} % of x ellipse and hyperbola tell which circles meet.",
    )


def intersections(*, step: float, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """The annuli of an x of each case, and how wide intersections are beside the proof's words."""
    pieces, measured = [], {}
    for name, place in EXAMPLES.items():
        x = np.array([place])
        own = radii(x, np.array([APART]), RADIUS)[0]
        panel = f"Case {name}"
        pieces.append((panel, "x", circle(place, 0.03)))
        for k, radius in enumerate(own):
            kind = "around a" if k < 2 else "around a′"
            if radius > 0:
                pieces.append((panel, kind, circle(CENTRES[k // 2], radius)))
        left, right = ends(x, np.array([APART]), RADIUS)[0]
        pieces += [(panel, "ends", np.array([[at, -0.6], [at, 0.6]])) for at in (left, right)]
    x = _nearer(step)
    apart = np.full(len(x), APART)
    kind, wide = _by_borders(x), widths(x, apart, RADIUS)
    for name, stated, corrected in zip(CASES, *_formulas(x), strict=True):
        here = kind == CASES.index(name)
        measured[f"Case {name}", "width"] = wide[here].max()
        measured[f"Case {name}", "as printed"] = np.abs(wide - stated)[here].max()
        measured[f"Case {name}", "corrected"] = np.abs(wide - corrected)[here].max()
    progress(1.0)
    return table_of(pieces, measured)


def _formulas(x: np.ndarray) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """What the proof says of the width in each case; and with the end of the second annulus.

    The leftmost point is in cases II and III that of the second annulus on the axis, at the
    abscissa δ - |x - a'| - 2r.
    """
    total, less = _sums(x)
    half, far = 2 * RADIUS * total / APART, (total + less) / 2
    to_axis = half + far + x[:, 0] - APART
    across, left = 2 * half, to_axis + 2 * RADIUS
    return (
        (across, to_axis - 2 * RADIUS, 4 * RADIUS / APART * far, across),
        (across, left, left, across),
    )


def _check_intersections(table: pd.DataFrame) -> Observation:
    found = values(table)
    wide, printed, corrected = (
        found.xs(name, level=1) for name in ("width", "as printed", "corrected")
    )
    wrong = [name for name in printed.index if printed[name] > _ROUNDING]
    mended = "exact" if corrected.max() <= _ROUNDING else "still not exact"
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        "largest width: " + ", ".join(f"{name} {wide[name]:.2f}" for name in wide.index),
        "The proof's formulas give the widths of all four cases." if not wrong else
        f"The proof's width is off in {' and '.join(wrong)}, by up to {printed.max():.2f}: II has "
        "-2r for +2r, and III takes the crossing of the outer circles for the leftmost point; "
        f"corrected, they are {mended}.",
    )


ITEMS = (
    drawn(
        "figure-7", ("thesis-figure-3.8",), "Where each shape of the intersection occurs",
        "An ellipse and a hyperbola around the centres part the four shapes that two annuli's "
        "intersection may have.",
        "Holds if for every lattice point x nearer to a and outside of its ball of radius 2r, "
        "the ellipse of sum δ + 4r and the hyperbola of difference δ - 4r tell which circles meet, "
        "and each of the four cases occurs.",
        regions, {"step": 0.004}, _check_regions,
        ours="Centres 1 apart and r = 0.08; the text's sum δ - 4r is a slip, as no sum of "
        "distances is below δ",
    ),
    drawn(
        "figure-8", ("thesis-figure-3.9",), "The four shapes of the intersection",
        "In each case other points are the leftmost and the rightmost of the intersection, so that "
        "its width is another formula.",
        "Holds if the proof's formulas for the width, from these points, are exact in all four "
        "cases, for every lattice point x nearer to a.",
        intersections, {"step": 0.004}, _check_intersections,
        ours="Centres 1 apart and r = 0.08",
    ),
)
