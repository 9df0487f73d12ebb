"""Directions in which columns of the objects grow on the map."""

from __future__ import annotations

from typing import Any

from tripletscope.core.run import Run
from tripletscope.dashboard.ui.looks import Result, look_of
from tripletscope.dashboard.ui.task import task_tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map


def _nothing_to_draw(context: UncertaintyContext) -> tuple[str, str] | None:
    if context.fitted.n_components == 1:
        return "One dimension has no directions", "Choose a map of two dimensions or more."
    if not context.columns:
        return (
            "Nothing is known of the objects",
            "Add a table of the objects on the page Data: a column of numbers gets a direction.",
        )
    return None


def _as_the_map(context: UncertaintyContext, run: Run) -> dict[str, Any]:
    result = Result(context.info, context.triplets, context.fit, None, None)
    return {"looks": {"": look_of(context.session, result)}}


task_tab(
    "embedding", "Directions", 2.5, "directions", name="directions", needs=choose_map, slot=PAGE,
    refuse=_nothing_to_draw, looks=_as_the_map,
    columns=lambda context: {"objects": context.columns},
    about="Predicts columns of the objects from their places, on the map and on maps of resampled "
    "answers.",
    promise="Compute shows in which direction each column of the objects grows on the map, if it "
    "does, and how certain that direction is.",
)
