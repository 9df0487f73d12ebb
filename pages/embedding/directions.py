"""Directions in which columns of the objects grow on the map."""

from __future__ import annotations

from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.looks import Result, look_of
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map


@tab("embedding", "Directions", 2.5, needs=choose_map, slot=PAGE)
def show_directions(context: UncertaintyContext) -> None:
    """The map with an arrow for each column that grows in one direction."""
    if context.fitted.n_components == 1:
        panels.empty("One dimension has no directions", "Choose a map of two dimensions or more.")
        return
    if not context.columns:
        panels.empty(
            "Nothing is known of the objects",
            "Add a table of the objects on the page Data: a column of numbers gets a direction.",
        )
        return
    picture, side = context.drawer()
    with side:
        options = context.options("directions", columns={"objects": context.columns})
        run = context.result(
            context.method, "directions", "Predicts columns of the objects from their places, on "
            "the map and on maps of resampled answers.", options=options,
        ) if options["columns"] else None
    with picture:
        result = Result(context.info, context.triplets, context.fit, None, None)
        context.present_or_promise(
            run, promise="Compute shows in which direction each column of the objects grows on the "
            "map, if it does, and how certain that direction is.",
            looks={"": look_of(context.session, result)},
        )
