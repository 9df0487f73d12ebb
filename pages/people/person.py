"""One person's map beside that of all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.people import PeopleComparison, WeightedEuclidean
from tripletscope.core.people.comparing import ONE, PRECISION, WEIGHTS
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.observers import grid_height, map_grid
from tripletscope.dashboard.figures.people import most_different
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import first_column_of
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words.formats import interval
from tripletscope.pages.people.context import PAGE, PeopleContext, with_people

#: Pixels that each of two maps is wide.
_WIDE = 300.0


@tab(PAGE, "One person", 2, needs=with_people)
def show_person(context: PeopleContext) -> None:
    """Choose a person; show what all see, and what this person does."""
    with context.side:
        method = context.model()
    fit, compared = context.find(method, "fit"), context.compared(method)
    with context.picture:
        if fit is None:
            context.empty(
                "No weights have been computed yet",
                "Compute them on the tab Weights to compare each person's map with that of all.",
            )
            return
        if compared is None or not compared.result().weights_differ:
            context.empty(
                "No single people", "Single people are not shown: weights are not seen to predict "
                "held-out answers better than one map."
            )
            return
        fitted: WeightedEuclidean = fit.fitted()
        floor = floor_said(fitted.floor, fitted.by)
        order = [k for k in most_different(fitted.weights_) if fitted.floor.reached[k]]
        if not order:
            context.empty("No single people", floor)
            return
    names = short_people(fitted.people_.tolist())
    with context.side:
        person = pick(
            context.session, f"{PAGE}.person@{context.info.id}", "Person",
            {name: names[name] for name in fitted.people_[order].tolist()},
            help="People who weight the axes least alike come first.",
        )
        usual = first_column_of(context.answers.objects) or ""
        colour = context.pick_column(f"{PAGE}.colour@{context.info.id}", default=usual)
    with context.picture:
        if floor:
            st.caption(panels.plain(floor))
        place = int(np.flatnonzero(fitted.people_ == person)[0])
        st.markdown(panels.plain(_told(fitted, place, compared.result())))
        _maps(context, fitted, place, colour)


def _told(fitted: WeightedEuclidean, place: int, comparison: PeopleComparison) -> str:
    """Weights of one person with their intervals, and what they predict."""
    rows = zip(fitted.weights_[place], fitted.low_[place], fitted.high_[place], strict=True)
    weights = "; ".join(f"axis {k}: {interval(*row)}" for k, row in enumerate(rows, 1))
    text = (
        f"{fitted.people_[place]}, {fitted.n_answers_[place]:,} answers. Weights, of which the "
        f"mean over people is 1: {weights}."
    )
    row = np.flatnonzero(comparison.people == fitted.people_[place])[:1]
    if not len(row):
        return text
    right = dict(zip(comparison.models.tolist(), comparison.accuracy[row[0]], strict=True))
    return (
        f"{text} One map predicts this person's held-out answers correctly in "
        f"{right[ONE]:.0%}, weights in {right[WEIGHTS]:.0%} (precision alone: "
        f"{right[PRECISION]:.0%}; chance: {comparison.chance[row[0]]:.0%})."
    )


def _maps(
    context: PeopleContext, fitted: WeightedEuclidean, place: int, colour: str | None
) -> None:
    person = str(fitted.people_[place])
    both = np.stack([fitted.embedding_, fitted.map_of(person)])
    both = np.where(fitted.placed_[None, :, None], both, np.nan)
    titles = ["all", short_people([person])[person]]
    text = (
        f"Map of all, and of {person}: each axis is stretched by the root of its weight. Both maps "
        f"have one scale. {context.size}"
    )

    def table() -> pd.DataFrame:
        return pd.concat([
            pd.DataFrame({"map": title, "object": context.answers.labels,
                          **{f"x{k + 1}": axis for k, axis in enumerate(x.T)}})
            for title, x in zip(titles, both, strict=True)
        ], ignore_index=True)

    context.figure(Drawing(
        "person", "The map of one person", text, text, grid_height(both, _WIDE) / _WIDE,
        lambda canvas: map_grid(
            both, titles, context.answers.objects, colour=colour, selected=context.selected,
            caption=text, canvas=canvas,
        ), table, picks=True,
    ))
