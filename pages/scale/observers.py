"""How participants differ: who predicts whom, what pooling brings, a map of each."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.people.predictions import pooling_curve
from tripletscope.core.scales import MLDS
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.controls import parameter_form, pick_method
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.pages.scale.context import PAGE, ScaleContext


@tab(PAGE, "Observers", 5, needs=ScaleContext.of)
def show_observers(context: ScaleContext) -> None:
    """Everything about participants, as far as it was computed."""
    if not context.groups:
        watch(context.job)
        panels.empty(
            "No participants",
            "These answers have no column of participants. Choose it when the file is read.",
        )
        return
    picture, side = context.picture_and_side()
    with side:
        method, pieces = _pieces(context)
        runs = context.results(
            "observers", "Scale", pieces,
            "Predicts every participant from each of the others and from growing groups, and maps "
            "each one.",
        )
    maps = [run for run in runs if run and run.task == "observer_maps"]
    # Participants and their groups alike: as of those that are the more.
    most = max(maps, key=lambda run: len(run.result().names), default=None)
    with looks_row(picture):
        looks = {} if most is None else {"": ask_look(context, most)[most.key]}
    with picture:
        context.present_or_promise(
            *runs, promise="Compute shows who predicts whom, how much pooling several participants "
            "improves prediction, and whose maps are similar.", looks=looks,
        )
        if any(runs) and not _has_maps(method):
            st.caption(
                "Difference scaling computes no maps: see the view Groups, or choose an embedding."
            )


def _pieces(context: ScaleContext) -> tuple[Method, list[Piece]]:
    """Ask for method, participants and groups; what is to be computed."""
    current = context.session
    usual = MLDS if context.are_pairs else DEFAULT_EMBEDDING
    kind = pick_method(
        current, ("embedding", MLDS.kind), f"{PAGE}.observers.method@{context.info.id}", "Method",
        usual.name,
    )
    method = kind(**parameter_form(
        current, kind, f"{PAGE}.observers.{kind.name}@{context.info.id}",
        columns={"objects": context.stimuli},
    ))
    options = context.options(
        "who_predicts_whom", columns={"answers": context.groups},
        place=f"{PAGE}.who@{context.info.id}",
    )
    pools = parameter_form(current, pooling_curve, f"{PAGE}.pooling", hidden=("by", "most", "seed"))
    by, most, group = options["by"], options["most"], options["group"]
    maps = [
        (method, "observer_maps", {"by": column, "most": most})
        for column in dict.fromkeys((group, by))
        if column is not None and _has_maps(method)
        and context.floor(method, column, most).reached.sum() > 1
    ]
    return method, [
        (method, "who_predicts_whom", options),
        (method, "pooling_curve", {**pools, "by": by, "most": most}), *maps,
    ]


def _has_maps(method: Method) -> bool:
    """Difference scaling makes none."""
    return method.kind == "embedding"
