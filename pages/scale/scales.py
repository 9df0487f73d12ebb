"""Scales of several methods against the stimulus, with their bands."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.scales import MLDS, bootstrap_scale, ordinal_scale
from tripletscope.dashboard.results.scales import ScaleLook
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.controls import parameter_form, several
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.scale.context import PAGE, StimulusContext, choose_stimulus

_TASKS = ("bootstrap_scale", "ordinal_scale")
#: Up to so many objects the first scales are computed without being asked for.
_QUICK = 2_000


@tab(PAGE, "Scale", 1, needs=choose_stimulus)
def show_scales(context: StimulusContext) -> None:
    """Scales of the chosen methods in one figure."""
    picture, side = context.picture_and_side()
    with side:
        pieces = _pieces(context)
        runs = context.results(
            PAGE, "Scale", pieces, "Computes scales, their bands, and their held-out error.",
            at_once=bool(pieces) and context.answers.n_objects <= _QUICK and not any(
                services().workspace.runs(context.info.id, task) for task in _TASKS
            ),
        )
        done = [run for run in runs if run is not None]
        fits = {run.method for run in done if run.task == "fit"}
        scales = [run for run in done if run.task == "ordinal_scale" or (
            run.task == "bootstrap_scale" and run.method in fits
        )]
    there = {run.key for run in scales}
    missing = [
        method.title for (method, task, _), run in zip(pieces, runs, strict=True)
        if task in _TASKS and (run is None or run.key not in there)
    ]
    with looks_row(picture):
        looks = _looks(context, scales)
    with picture:
        if not pieces:
            panels.empty("No method is chosen", "Choose one or more on the right.")
            return
        compared = [run for run in done if run.task == "compare_scales"]
        differ = any(run.result().shapes_differ for run in compared)
        # A scale of all answers that is nobody's is no finding: that comes first.
        context.present_or_promise(
            *(compared if differ else ()), *scales, *(() if differ else compared),
            beside=[run for run in done if run.key not in there], looks=looks,
            promise="Compute draws the scale of every chosen method against the stimulus, with a "
            "band.",
        )
        if scales and missing:
            verb = "is" if len(missing) == 1 else "are"
            st.caption(panels.plain(
                f"{'; '.join(missing)} {verb} not computed yet with these settings."
            ))


def _looks(context: StimulusContext, scales: list[Run]) -> dict[str, ScaleLook]:
    """How scales are shown, which all of them are alike; see `ScaleLook`."""
    if not scales:
        return {}
    run = next((run for run in scales if run.task == "bootstrap_scale"), scales[0])
    return {"": ask_look(context, run)[run.key]}


def _pieces(context: StimulusContext) -> list[Piece]:
    """Ask for methods and how their bands are made; what is to be computed."""
    names = several(
        context.session, f"{PAGE}.methods@{context.info.id}", "Methods", context.methods(),
        default=context.usual,
        help="MLDS (maximum likelihood difference scaling) assumes a monotonic scale. An embedding "
        "in one dimension does not.",
    )
    chosen = [context.method(name) for name in names]
    bands: dict[str, dict[str, Any]] = {}
    with st.popover("Bands and folds", width="stretch", key=f"{PAGE}.bands"):
        if any(isinstance(method, MLDS) for method in chosen):
            st.markdown("**Band of MLDS**")
            bands[MLDS.kind] = parameter_form(
                context.session, bootstrap_scale, f"{PAGE}.bootstrap_scale"
            )
        if any(isinstance(method, OrdinalEmbedding) for method in chosen):
            st.markdown("**Bands of embeddings**")
            hidden = ["stimulus", "n_components", *(["source"] if context.are_pairs else [])]
            bands["embedding"] = parameter_form(
                context.session, ordinal_scale, f"{PAGE}.ordinal_scale", hidden=hidden
            )
        st.markdown("**Held-out error**")
        folds = parameter_form(
            context.session, cross_validate, f"{PAGE}.folds", hidden=("repeats", "seed")
        )
    pieces: list[Piece] = []
    for method in chosen:
        if isinstance(method, MLDS):
            pieces += [(method, "fit", {}), (method, "bootstrap_scale", bands[MLDS.kind])]
        else:
            band = bands["embedding"] | {"stimulus": context.stimulus}
            source = {} if method.is_likelihood else {"source": "bootstrap"}
            pieces.append((method, "ordinal_scale", band | source))
    # Where questions are too few to be divided into folds, there are scales all the same.
    return [
        *pieces, *((method, "cross_validate", folds) for method in chosen),
        *(piece for method in chosen for piece in context.comparing(method, context.observers)),
    ]
