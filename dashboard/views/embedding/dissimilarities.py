"""Maps of dissimilarities that were measured, instead of answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.engine.method import Method
from tripletscope.core.engine.progress import Progress, Stopped, part
from tripletscope.core.inference.evaluation.stress import StressTest, permuted_stress
from tripletscope.core.inference.uncertainty.measured_map import (
    MOST_DRAWN,
    map_measured,
    nearest,
)
from tripletscope.core.models.embedding import LOE, NMDS
from tripletscope.core.ratings import Measured
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.interface.controls import number, parameter_form, pick_method
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.folder import MEASURED
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.reproduce.dissimilarities import DissimilarityMap
from tripletscope.dashboard.reproduce.recipe import reproduction
from tripletscope.dashboard.results.dissimilarities import MappedDissimilarities
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import read_or_show_error, run_button
from tripletscope.dashboard.views.embedding.fitting import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.dissimilarities"
_TASK = "map_measured"
#: Random orders are tried of so many objects; of more, structure is hardly in doubt.
_TESTED = 60
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
        kept = _ask(context)
    job = context.job
    with picture:
        if kept is not None:
            context.present(kept, files=partial(_again, context.info, kept))
        elif job is not None and job.results and isinstance(job.results[0], MappedDissimilarities):
            result = job.results[0]
            again = steps_of(result, context.triplets.ids)
            name = export.file_name(context.info.name, result.fitted.name)
            context.present(result, files=partial(again.files, f"{name}-again"))
        else:
            context.empty(*_NO_MAP if MEASURED in context.info.extra else _NO_MATRIX)


def _again(info: DatasetInfo, run: Run) -> dict[str, bytes]:
    workspace = services().workspace
    return reproduction(
        info, workspace.cleaning(info), [run], measured=workspace.measured(info)
    )


def _ask(context: Context) -> Run | None:
    """The form, and the button that maps what was measured, or what was uploaded.

    Returns the map of what was measured, if there is one.
    """
    session, measured = context.session, MEASURED in context.info.extra
    file = st.file_uploader(
        "Another matrix" if measured else "Matrix", key=_PLACE,
        help="A square table of dissimilarities or similarities, in any format: with object names "
        "in the first row and column, or in the order of the objects.",
    )
    kind = pick_method(session, ("matrix_embedding",), f"{_PLACE}.method", "Method", NMDS.name)
    method = kind(**parameter_form(session, kind, f"{_PLACE}.{kind.name}"))
    neighbours = _ask_for_neighbours(context) if kind is LOE else None
    is_own = measured and file is None
    weigh = is_own and kind is not LOE and parameter_form(
        session, map_measured, _PLACE, hidden=("neighbours", "replicates"), folded=""
    )["weigh"]
    data = _measured(context.info) if is_own else None
    options = {"weigh": weigh, "neighbours": neighbours}
    kept = None if data is None else analysis.find(context.info, data, method, _TASK, options)
    # Of a view with other weights it is the same, and is listed anew: reports look there.
    is_there = kept is not None and kept.complete and kept.key in {
        run.key for run in context.runs(_TASK, "matrix_embedding")
    }
    is_asked = run_button(
        session, f"{_PLACE}.run", "Fit", disabled=(file is None and not measured) or is_there
    )
    if not is_own:
        if is_asked:
            _begin_uploaded(context, method, neighbours, file)
        return None
    # Who has just asked for a map of it need not ask again.
    at_once = not is_there and context.job is None and context.triplets.n_objects <= MOST_DRAWN
    if is_asked or at_once:
        title = f"{method.title}: {context.info.name}"
        context.computing_with(data).submit(title, [(method, _TASK, options)])
        st.rerun()
    return kept or _newest(context, data)


def _newest(context: Context, data: Measured) -> Run | None:
    """The newest map with other settings, where there is one."""
    for listed in context.runs(_TASK, "matrix_embedding"):
        run = services().workspace.run(context.info.id, listed.key)
        if run is not None and run.data == data.fingerprint:
            return run
    return None


def _measured(info: DatasetInfo) -> Measured:
    return _measured_of((info.id, info.imported, info.state), info)


@st.cache_resource(max_entries=4, show_spinner=False)
def _measured_of(content: tuple[str | None, ...], _info: DatasetInfo) -> Measured:
    return services().workspace.measured(_info)


def _ask_for_neighbours(context: Context) -> int:
    most = max(context.triplets.n_objects - 2, 1)
    return int(number(
        context.session, f"{_PLACE}.neighbours", "Neighbours", 1, most, min(5, most),
        help="The map is to keep this number of most similar objects nearest to each object.",
    ) or 1)


def _begin_uploaded(
    context: Context, method: Method, neighbours: int | None, file: Any
) -> None:
    content = read_or_show_error(
        context.session, _PLACE, file, "distances", words="Reading the matrix",
        about=context.triplets,
    )
    if content is None:
        return
    matrix, objects, how = content
    source = f"{file.name}. {how}"

    def work(progress: Progress) -> MappedDissimilarities:
        chance = None
        if neighbours is None:
            fitted = pool().call(
                method.fit_dissimilarities, matrix, progress=part(progress, 0.0, 0.5)
            )
            chance = _by_chance(method, matrix, part(progress, 0.5, 1.0))
        else:
            graph = nearest(matrix, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
        return MappedDissimilarities(
            fitted, matrix, objects, neighbours, source, chance=chance
        )

    context.begin(f"{method.title}: {file.name}", f"Fitting {method.title}", work)
    st.rerun()


def _by_chance(method: Method, matrix: np.ndarray, progress: Progress) -> StressTest | None:
    """Stress of random orders; None for more objects than are tried, or where it was stopped."""
    if len(matrix) > _TESTED:
        return None
    try:
        return pool().call(permuted_stress, method, matrix, progress=progress)
    except Stopped:
        return None


def steps_of(result: MappedDissimilarities, ids: Sequence[str]) -> DissimilarityMap:
    """What maps it again; `ids` are of all objects of the data set."""
    return DissimilarityMap(
        result.fitted, [ids[i] for i in result.objects], result.matrix, result.neighbours,
        result.chance,
    )
