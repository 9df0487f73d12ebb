"""Maps of dissimilarities that were measured, instead of answers."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.core.inference.uncertainty.measured_map import MOST_DRAWN, map_measured
from tripletscope.core.models.embedding import LOE, NMDS
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.run import Run
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.folder import MEASURED
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, parameter_form, pick_method
from tripletscope.dashboard.ui.distances import ask_for_distances, measured_of
from tripletscope.dashboard.ui.elements import COMPUTED, run_button
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.embedding.fitting import PAGE

_PLACE = f"{PAGE}.dissimilarities"
_TASK = "map_measured"
_NO_MAP = (
    "No map of the dissimilarities yet",
    "Press Fit. NMDS uses the rank order of the judgements, metric MDS their values.",
)
_NO_MATRIX = (
    "No dissimilarities yet",
    "Upload a square matrix of dissimilarities between these objects, such as ratings, confusions "
    "or distances of features; then press Fit. Only their rank order is used.",
)


@tab(PAGE, "Dissimilarities", 6, slot=_PLACE, when=lambda info: MEASURED in info.extra)
def show_dissimilarities(context: Context) -> None:
    """A matrix between the objects, mapped by its order alone."""
    picture, side = context.picture_and_side()
    with side:
        data = _data(context)
        run = None if data is None else _ask(context.computing_with(data))
    with picture:
        if run is not None:
            context.present(run, files=partial(_again, context.info, run))
        else:
            context.empty(*_NO_MATRIX if data is None else _NO_MAP)


def _again(info: DatasetInfo, run: Run) -> dict[str, bytes]:
    workspace = services().workspace
    cleaning = workspace.cleaning(info)
    return reproduction(
        info, cleaning, [run], measured=workspace.measured(info),
        tables=[workspace.table(info, kept, cleaning.raw) for kept in workspace.tables(info)
                if kept.holds_distances],
    )


def _data(context: Context) -> RatedDissimilarities | None:
    """What is mapped: what the data set was made of, or distances that were uploaded."""
    info = context.info
    is_measured = MEASURED in info.extra
    table = ask_for_distances(context, _PLACE, own="As collected" if is_measured else "")
    if table is None and not is_measured:
        return None
    return measured_of(context, table)


def _ask(context: Context) -> Run | None:
    """The form, the button that maps the data, and their map, if there is one."""
    session, data = context.session, context.given
    kind = pick_method(session, ("matrix_embedding",), f"{_PLACE}.method", "Method", NMDS.name)
    method = kind(**parameter_form(session, kind, f"{_PLACE}.{kind.name}"))
    neighbours = _ask_for_neighbours(context) if kind is LOE else None
    weigh = not data.source and kind is not LOE and parameter_form(
        session, map_measured, _PLACE, hidden=("neighbours", "replicates"), folded=""
    )["weigh"]
    piece = (method, _TASK, {"weigh": weigh, "neighbours": neighbours})
    kept = context.find(*piece)
    # Of a view with other weights it is the same, and is listed anew: reports look there.
    is_there = kept is not None and kept.complete and kept.key in {
        run.key for run in context.runs(_TASK, "matrix_embedding")
    }
    is_asked = run_button(session, f"{_PLACE}.run", "Fit", why=COMPUTED if is_there else "")
    # Who has just asked for a map of it need not ask again.
    at_once = not (is_there or data.source or context.job) and data.n_objects <= MOST_DRAWN
    if is_asked or at_once:
        context.submit(f"{method.title}: {data.source or context.info.name}", [piece])
        st.rerun()
    return kept or _newest(context)


def _newest(context: Context) -> Run | None:
    """The newest map of the same data with other settings, where there is one."""
    for listed in context.runs(_TASK, "matrix_embedding"):
        run = services().workspace.run(context.info.id, listed.key)
        if run is not None and run.data == context.given.fingerprint:
            return run
    return None


def _ask_for_neighbours(context: Context) -> int:
    most = max(context.given.n_objects - 2, 1)
    return int(number(
        context.session, f"{_PLACE}.neighbours", "Neighbours", 1, most, min(5, most),
        help="The map is to keep this number of most similar objects nearest to each object.",
    ) or 1)
