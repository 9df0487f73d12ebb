"""The intersection of two annuli around points of the first axis, and its four shapes."""

from __future__ import annotations

import numpy as np

CASES = ("I", "II", "III", "IV")


def radii(x: np.ndarray, apart: np.ndarray, radius: float) -> np.ndarray:
    """(m, 4) inner and outer radius of the annuli that the other pivot of a bad cut is in.

    Shapes: apart (m,).
    x (m, 2): The one pivot; the balls' centres are 0 and (apart, 0).
    radius: Of the balls.
    """
    other = np.column_stack([apart, np.zeros(len(x))])
    one, two = np.linalg.norm(x, axis=1), np.linalg.norm(x - other, axis=1)
    return np.column_stack([one - 2 * radius, one + 2 * radius, two - 2 * radius, two + 2 * radius])


def ends(x: np.ndarray, apart: np.ndarray, radius: float) -> np.ndarray:
    """(m, 2) least and largest abscissa of the intersection.

    They are where two circles cross or where one crosses the axis; inner radii below 0 are no
    circles.
    """
    inner, outer, inner_2, outer_2 = radii(x, apart, radius).T
    found = []
    for one in (inner, outer):
        for two in (inner_2, outer_2):
            cross = (np.abs(one - two) <= apart) & (apart <= one + two) & (one >= 0) & (two >= 0)
            found.append(np.where(cross, (one**2 - two**2 + apart**2) / (2 * apart), np.nan))
        for at in (one, -one):
            inside = (inner_2 <= np.abs(at - apart)) & (np.abs(at - apart) <= outer_2)
            found.append(np.where(inside & (one >= 0), at, np.nan))
    for two in (inner_2, outer_2):
        for at in (apart + two, apart - two):
            inside = (inner <= np.abs(at)) & (np.abs(at) <= outer)
            found.append(np.where(inside & (two >= 0), at, np.nan))
    return np.column_stack([np.nanmin(found, axis=0), np.nanmax(found, axis=0)])


def widths(x: np.ndarray, apart: np.ndarray, radius: float) -> np.ndarray:
    """(m,) extent of the intersection along the line of the centres; see `radii`."""
    return np.diff(ends(x, apart, radius), axis=1)[:, 0]


def cases(x: np.ndarray, apart: np.ndarray, radius: float) -> np.ndarray:
    """(m,) which of the `CASES` x is in, for x nearer to the first centre.

    They differ in whether the inner circles meet, and whether the inner circle of the first annulus
    meets the outer one of the second.
    """
    inner, _, inner_2, outer_2 = radii(x, apart, radius).T
    both = (inner + inner_2 >= apart) & (inner >= 0)
    crossed = (np.abs(inner - outer_2) <= apart) & (inner >= 0)
    return np.where(both, np.where(crossed, 0, 1), np.where(crossed, 3, 2))
