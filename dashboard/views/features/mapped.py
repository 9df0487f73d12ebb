"""Do distances between features rank pairs of objects as the map does."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.embedding import STE
from tripletscope.core.evaluation.units import over_units
from tripletscope.core.explaining.correlation import MapCorrelation
from tripletscope.core.method import Method, described, unfitted
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.drawing.explaining import correlations_of
from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count, interval
from tripletscope.dashboard.views.features.context import PAGE, FeaturesContext, choose_spaces
from tripletscope.dashboard.views.opened_map import opened_map
from tripletscope.dashboard.views.page import tab

_WINDOW = 720
#: Answers of which so many maps are fitted without being asked for.
_AT_ONCE = 2_000
#: Objects that can be resampled at least.
FEWEST = 5


@tab(PAGE, "Map", 3, needs=choose_spaces, slot=f"{PAGE}.map")
def show_map(context: FeaturesContext) -> None:
    """A row for every feature space, with the interval of its rank correlation."""
    method, known = _map_of(context), context.known.sum()
    picture, side = context.picture_and_side()
    run = None
    with side:
        if known >= FEWEST:
            run = context.result(
                "map_correlation", "Correlating with the map",
                "Correlates distances between features with those of the map and of maps of "
                "resampled answers.", {"embedding": described(method)}, most=_AT_ONCE,
            )
            st.caption(panels.plain(f"Map: {analysis.describe(method)}."))
    with picture:
        if known < FEWEST:
            panels.empty(
                "Too few objects",
                f"{count(int(known), 'object')} have features in every chosen space; a rank "
                f"correlation needs at least {FEWEST}.",
            )
            return
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows whether pairs that are far apart in features are far apart in the "
                "map, with an interval for other objects and other people.",
            )
            return
        _show(context, run.result(), method)


def _map_of(context: FeaturesContext) -> Method:
    """The map that is open, as it was set; the usual one where there is none."""
    opened = opened_map(context.session, context.info)
    if opened is None:
        return STE()
    return unfitted({name: opened.record[name] for name in ("kind", "method", "parameters")})


def _show(context: FeaturesContext, found: MapCorrelation, method: Method) -> None:
    table, bounds = correlations_of(found)
    text = (
        f"Rank correlation of distances between features with those of the map "
        f"({analysis.describe(method)}), with 95 % intervals over objects and, at once, "
        f"{over_units(found.unit, found.n_units).removeprefix(' over ') or 'answers'}. "
        f"{context.size}"
        + (" Band: what two halves of the answers share, and the most that can be expected."
           if bounds else "")
    )

    def draw(canvas: Canvas) -> Any:
        return interval_rows(
            table, value="rank correlation", band=bounds, caption=text, canvas=canvas
        )

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.map", caption=text, window=_WINDOW,
        alt=f"Rank correlations of {count(len(table), 'feature space')}. {text}",
        canvas=Canvas(900.0, rows_height(len(table))), table=lambda: table,
        name=export.file_name(context.info.name, "features", "map"),
    )
    for sentence in verdicts(found):
        st.markdown(f"- {panels.plain(sentence)}")


def verdicts(found: MapCorrelation) -> list[str]:
    """What the correlations say, as sentences.

    Silent on: random features (tests/dashboard/views/test_features.py::test_random_correlations).
    """
    best = int(found.value.argmax())
    shown = interval(found.value[best], found.low[best], found.high[best])
    if not found.surely[best]:
        said = [f"None of them is seen to rank pairs better than chance: at best {shown}."]
    else:
        said = [f"{found.spaces[best]} ranks pairs most like the map: {shown}."]
        nothing = [name for name, sure in zip(found.spaces, found.surely, strict=True) if not sure]
        if nothing:
            said.append(f"Not told apart from chance: {', '.join(nothing)}.")
        others = [k for k in (-found.value).argsort(kind="stable") if k != best]
        for k in others[:1]:
            behind = interval(found.behind[k], found.behind_low[k], found.behind_high[k])
            said.append(
                f"It is ahead of {found.spaces[k]}, the next, by {behind}."
                if found.behind_low[k] > 0
                else f"It is not told apart from {found.spaces[k]}: ahead by {behind}."
            )
    if found.ceiling_lower > 0:
        said.append(
            f"Maps of two halves of the answers correlate at {found.ceiling_lower:.3f}; no "
            f"features can be expected above {found.ceiling_upper:.3f}."
        )
    said.append(
        "The map stands between features and answers here: what it does not hold, this cannot "
        "see. Accuracy asks the answers themselves."
    )
    return said
