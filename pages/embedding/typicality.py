"""Typical and odd objects: how deep each lies among the others."""

from __future__ import annotations

from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map


@tab("embedding", "Typicality", 2.6, needs=choose_map, slot=PAGE)
def show_typicality(context: UncertaintyContext) -> None:
    """Depths of objects among each other, in the answers and on the map."""
    picture, side = context.drawer()
    with side:
        run = context.result(
            context.method, "typicality", "Counts how often each object is odd or near among the "
            "others, allows for its company, and compares this with the map.",
            options=context.options("typicality"),
        )
    with picture:
        context.present_or_promise(
            run, promise="Compute shows which objects are typical and which are odd, in the "
            "answers alone and on the map, if objects differ at all.",
        )
