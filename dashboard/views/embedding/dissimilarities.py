"""Maps of dissimilarities that were measured, instead of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress
from tripletscope.core.inference.uncertainty.resampling import map_dissimilarities
from tripletscope.core.models.embedding import LOE, NMDS
from tripletscope.core.ratings import KINDS, Dissimilarities, Measured
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import (
    number,
    parameter_form,
    pick_method,
    pressed,
    switch,
)
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.keeping.folder import MEASURED
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.reproduce.dissimilarities import DissimilarityMap
from tripletscope.dashboard.results.dissimilarities import MappedDissimilarities, nearest
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.embedding.fitting import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.wording.formats import count
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.dissimilarities"
#: Replicates are mapped of so many objects; of more they would take an hour.
_REPLICATES, _MOST = 100, 150


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
            context.present(result, files=partial(_files, context, result))
        elif job is None or not job.active:
            if MEASURED in context.info.extra:
                panels.empty(
                    "No map of the dissimilarities yet",
                    "Press Fit. NMDS uses the rank order of the judgements, metric MDS their "
                    "values.",
                )
            else:
                panels.empty(
                    "No dissimilarities yet",
                    "Upload a square matrix of dissimilarities between these objects, such as "
                    "ratings, confusions or distances of features; then press Fit. Only their rank "
                    "order is "
                    "used.",
                )


def _ask(context: Context) -> None:
    """The form, and the button that maps what was measured, or what was uploaded."""
    measured = MEASURED in context.info.extra
    file = st.file_uploader(
        "Another matrix" if measured else "Matrix", key=_PLACE,
        help="A square table of dissimilarities or similarities, in any format: with object names "
        "in the first row and column, or in the order of the objects.",
    )
    kind = pick_method(
        context.session, ("matrix_embedding",), f"{_PLACE}.method", "Method", NMDS.name
    )
    method = kind(**parameter_form(context.session, kind, f"{_PLACE}.{kind.name}"))
    neighbours = None
    if kind is LOE:
        most = max(context.triplets.n_objects - 2, 1)
        neighbours = int(number(
            context.session, f"{_PLACE}.neighbours", "Neighbours", 1, most, min(5, most),
            help="The map is to keep this number of most similar objects nearest to each object.",
        ) or 1)
    own = measured and file is None
    weigh = own and kind is not LOE and switch(
        context.session, f"{_PLACE}.weigh", "Weigh by precision", False,
        help="Weights pairs by one over their squared standard error: pairs on which raters agree "
        "count more. With few raters, agreement is mostly chance, and plain means give a "
        "better map.",
    )
    asked = pressed(
        context.session, f"{_PLACE}.run", "Fit", type="primary", icon=":material/play_arrow:",
        width="stretch", disabled=file is None and not measured,
    )
    # Who has just asked for a map of it need not ask again.
    at_once = own and context.job is None and context.triplets.n_objects <= _MOST
    if not (asked or at_once):
        return
    if own:
        _begin_own(context, method, neighbours, weigh)
        st.rerun()
    try:
        matrix, objects, how = read_file(
            context.session, _PLACE, file, "distances", words="Reading the matrix",
            about=context.triplets,
        )
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    source = f"{file.name}. {how}"

    def work(progress: Progress) -> MappedDissimilarities:
        if neighbours is None:
            fitted = pool().call(method.fit_dissimilarities, matrix, progress=progress)
        else:
            graph = nearest(matrix, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
        return MappedDissimilarities(fitted, matrix, objects, neighbours, source)

    context.begin(f"{method.title}: {file.name}", f"Fitting {method.title}", work)
    st.rerun()


def _begin_own(
    context: Context, method: Any, neighbours: int | None, weigh: bool
) -> None:
    """Map what the data set was made of."""
    info, objects = context.info, np.array(context.triplets.ids, dtype=object)

    def work(progress: Progress) -> MappedDissimilarities:
        given = services().workspace.measured(info)
        apart = given.dissimilarities(_drawn_of(given))
        place = {name: i for i, name in enumerate(objects)}
        where = np.array([place[name] for name in apart.ids])
        source = f"{info.origin}. {_told(given, apart)}"
        if neighbours is not None:
            known = np.where(np.isfinite(apart.mean), apart.mean, np.inf)
            graph = nearest(known, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
            return MappedDissimilarities(fitted, apart.mean, where, neighbours, source, given=given)
        mapped = partial(map_dissimilarities, weigh=weigh, most=_REPLICATES)
        found = pool().call(mapped, method, apart, progress=progress)
        if weigh:
            source += " Pairs are weighted by one over their squared standard errors."
        return MappedDissimilarities(
            found.fitted, apart.mean, where, None, source, found.samples, given, weigh
        )

    context.begin(f"{method.title}: {info.name}", f"Fitting {method.title}", work)


def _drawn_of(given: Measured | None) -> int:
    """Replicates that are drawn of what was measured."""
    return _REPLICATES if given is not None and given.n_objects <= _MOST else 0


def _told(given: Measured, apart: Dissimilarities) -> str:
    """What dissimilarities are of, and what is known of their errors."""
    people = apart.n_raters
    # A matrix of nobody in particular may hold anything.
    words = KINDS[given.kind].title if people or given.kind != "ratings" else "Values of pairs"
    words += f" of {count(people, 'person', 'people')}." if people else "."
    upper = np.triu_indices(len(apart.mean), 1)
    missing = int(np.isnan(apart.mean[upper]).sum())
    if missing:
        words += f" {count(missing, 'pair')} never judged, and therefore omitted."
    if given.n_objects > _MOST and not len(apart.replicates):
        words += f" Ellipses are for up to {_MOST} objects."
    elif not len(apart.replicates):
        words += " No pair was judged twice, so errors cannot be estimated."
    return words


def _files(context: Context, result: MappedDissimilarities) -> Mapping[str, bytes]:
    """What maps it again, with the names of all objects of the data set."""
    again = steps_of(result, context.triplets.ids)
    return again.files(f"{export.file_name(context.info.name, result.fitted.name)}-again")


def steps_of(result: MappedDissimilarities, ids: Sequence[str]) -> DissimilarityMap:
    """What maps it again; `ids` are of all objects of the data set."""
    given = result.given
    return DissimilarityMap(
        result.fitted, [ids[i] for i in result.objects], result.matrix, given, _drawn_of(given),
        result.weigh, _REPLICATES, result.neighbours,
    )
