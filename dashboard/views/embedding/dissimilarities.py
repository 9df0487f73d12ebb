"""Maps of dissimilarities that were measured, instead of answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.engine.progress import Progress, Stopped, part
from tripletscope.core.inference.evaluation.stress import StressTest, permuted_stress
from tripletscope.core.inference.uncertainty.resampling import map_dissimilarities
from tripletscope.core.models.embedding import LOE, NMDS
from tripletscope.core.ratings import KINDS, Dissimilarities, Measured
from tripletscope.dashboard import export
from tripletscope.dashboard.interface.controls import number, parameter_form, pick_method, switch
from tripletscope.dashboard.keeping.folder import MEASURED
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.reproduce.dissimilarities import DissimilarityMap
from tripletscope.dashboard.results.dissimilarities import MappedDissimilarities, nearest
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import read_or_show_error, run_button
from tripletscope.dashboard.views.embedding.fitting import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.wording.formats import count
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.dissimilarities"
#: Replicates are mapped of so many objects; of more they would take an hour.
_REPLICATES, _MOST = 100, 150
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
        _ask(context)
    job = context.job
    with picture:
        if job is not None and job.results:
            result = job.results[0]
            again = steps_of(result, context.triplets.ids)
            name = export.file_name(context.info.name, result.fitted.name)
            context.present(result, files=partial(again.files, f"{name}-again"))
        else:
            context.empty(*_NO_MAP if MEASURED in context.info.extra else _NO_MATRIX)


def _ask(context: Context) -> None:
    """The form, and the button that maps what was measured, or what was uploaded."""
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
    weigh = is_own and kind is not LOE and switch(
        session, f"{_PLACE}.weigh", "Weigh by precision", False,
        help="Weights pairs by one over their squared standard error: pairs on which raters agree "
        "count more. With few raters, agreement is mostly chance, and plain means give a "
        "better map.",
    )
    is_asked = run_button(session, f"{_PLACE}.run", "Fit", disabled=file is None and not measured)
    # Who has just asked for a map of it need not ask again.
    at_once = is_own and context.job is None and context.triplets.n_objects <= _MOST
    if not (is_asked or at_once):
        return
    if is_own:
        _begin_own(context, method, neighbours, weigh)
    else:
        _begin_uploaded(context, method, neighbours, file)


def _ask_for_neighbours(context: Context) -> int:
    most = max(context.triplets.n_objects - 2, 1)
    return int(number(
        context.session, f"{_PLACE}.neighbours", "Neighbours", 1, most, min(5, most),
        help="The map is to keep this number of most similar objects nearest to each object.",
    ) or 1)


def _begin_uploaded(context: Context, method: Any, neighbours: int | None, file: Any) -> None:
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


def _begin_own(context: Context, method: Any, neighbours: int | None, weigh: bool) -> None:
    """Map what the data set was made of."""
    info, objects = context.info, np.array(context.triplets.ids, dtype=object)

    def work(progress: Progress) -> MappedDissimilarities:
        data = services().workspace.measured(info)
        measured = data.dissimilarities(_drawn_of(data))
        place = {name: i for i, name in enumerate(objects)}
        where = np.array([place[name] for name in measured.ids])
        source = f"{info.origin}. {_described(data, measured)}"
        if neighbours is not None:
            distances = np.where(np.isfinite(measured.mean), measured.mean, np.inf)
            graph = nearest(distances, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
            return MappedDissimilarities(
                fitted, measured.mean, where, neighbours, source, given=data
            )
        make = partial(map_dissimilarities, weigh=weigh, most=_REPLICATES)
        mapped = pool().call(make, method, measured, progress=part(progress, 0.0, 0.5))
        weights = measured.weights if weigh else None
        chance = _by_chance(method, data, part(progress, 0.5, 1.0), weights)
        if weigh:
            source += " Pairs are weighted by one over their squared standard errors."
        return MappedDissimilarities(
            mapped.fitted, measured.mean, where, None, source, mapped.samples, data, weigh, chance
        )

    context.begin(f"{method.title}: {info.name}", f"Fitting {method.title}", work)
    st.rerun()


def _by_chance(
    method: Any, given: np.ndarray | Measured, progress: Progress,
    weights: np.ndarray | None = None,
) -> StressTest | None:
    """Stress of random orders; None for more objects than are tried, or where it was stopped."""
    if (given.n_objects if isinstance(given, Measured) else len(given)) > _TESTED:
        return None
    try:
        return pool().call(permuted_stress, method, given, weights, progress=progress)
    except Stopped:
        return None


def _drawn_of(data: Measured | None) -> int:
    return _REPLICATES if data is not None and data.n_objects <= _MOST else 0


def _described(data: Measured, measured: Dissimilarities) -> str:
    """What dissimilarities are of, and what is known of their errors."""
    people = measured.n_raters
    # A matrix of nobody in particular may hold anything.
    words = KINDS[data.kind].title if people or data.kind != "ratings" else "Values of pairs"
    words += f" of {count(people, 'person', 'people')}." if people else "."
    missing = int(np.isnan(measured.mean[np.triu_indices(len(measured.mean), 1)]).sum())
    if missing:
        words += f" {count(missing, 'pair')} never judged, and therefore omitted."
    if data.n_objects > _MOST and not len(measured.replicates):
        words += f" Ellipses are for up to {_MOST} objects."
    elif not len(measured.replicates):
        words += " No pair was judged twice, so errors cannot be estimated."
    return words


def steps_of(result: MappedDissimilarities, ids: Sequence[str]) -> DissimilarityMap:
    """What maps it again; `ids` are of all objects of the data set."""
    return DissimilarityMap(
        result.fitted, [ids[i] for i in result.objects], result.matrix, result.given,
        _drawn_of(result.given), result.weigh, _REPLICATES, result.neighbours, result.chance,
    )
