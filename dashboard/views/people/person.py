"""One person's map beside that of all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.people import PeopleComparison, WeightedEuclidean
from tripletscope.core.people.comparing import CONSISTENCY, ONE, WEIGHTS
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.observers import grid_height, map_grid
from tripletscope.dashboard.figures.people import most_different
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import colour_of
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.people.context import PAGE, PeopleContext, with_people
from tripletscope.dashboard.wording import ENGLISH
from tripletscope.dashboard.wording.formats import interval

#: Pixels that each of two maps is wide.
_WIDE = 300.0


@tab(PAGE, "One person", 2, needs=with_people)
def show_person(context: PeopleContext) -> None:
    """Choose a person; show what all see, and what this person does."""
    with context.side:
        method = context.model("model")
    fit = context.find(method, "fit")
    if fit is None:
        with context.picture:
            context.empty(
                "No weights have been computed yet",
                "Compute them on the tab Weights to compare each person's map with that of all.",
            )
        return
    fitted: WeightedEuclidean = fit.fitted()
    compared = context.compared(method)
    if compared is None or not compared.result().weights_differ:
        with context.picture:
            context.empty(
                "No single people", "Single people are not shown: weights are not seen to predict "
                "held-out answers better than one map."
            )
        return
    floor = fitted.floor
    order = [k for k in most_different(fitted.weights_) if floor.reached[k]]
    if not order:
        with context.picture:
            context.empty("No single people", floor_said(ENGLISH, floor, fitted.by))
        return
    names = short_people(fitted.people_.tolist())
    with context.side:
        person = pick(
            context.session, f"{PAGE}.person@{context.info.id}", "Person",
            {name: names[name] for name in fitted.people_[order].tolist()},
            help="People who weight the axes least alike come first.",
        )
        columns = {"": "None", **{c: c for c in context.columns}}
        colour = pick(
            context.session, f"{PAGE}.colour@{context.info.id}", "Colour", columns,
            default=colour_of(context.answers.objects) or "",
        ) or None
    with context.picture:
        if said := floor_said(ENGLISH, floor, fitted.by):
            st.caption(panels.plain(said))
        place = int(np.flatnonzero(fitted.people_ == person)[0])
        st.markdown(panels.plain(_said(fitted, place, compared.result())))
        _maps(context, fitted, place, colour)


def _said(fitted: WeightedEuclidean, place: int, found: PeopleComparison) -> str:
    """Weights of one person with their intervals, and what they predict."""
    parts = [
        f"axis {k + 1}: {interval(*row)}" for k, row in enumerate(zip(
            fitted.weights_[place], fitted.low_[place], fitted.high_[place], strict=True
        ))
    ]
    text = (
        f"{fitted.people_[place]}, {fitted.n_answers_[place]:,} answers. Weights, of which the "
        f"mean over people is 1: {'; '.join(parts)}."
    )
    rows = np.flatnonzero(found.people == fitted.people_[place])
    if not len(rows):
        return text
    right = dict(zip(found.models.tolist(), found.accuracy[rows[0]], strict=True))
    return (
        f"{text} One map predicts this person's held-out answers correctly in "
        f"{right[ONE]:.0%}, weights in {right[WEIGHTS]:.0%} (precision alone: "
        f"{right[CONSISTENCY]:.0%}; chance: {found.chance[rows[0]]:.0%})."
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
