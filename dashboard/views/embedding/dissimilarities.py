"""Maps of dissimilarities that were measured, instead of answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress
from tripletscope.core.inference.uncertainty.resampling import map_dissimilarities
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.models.embedding import LOE, NMDS
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.ratings import KINDS, Dissimilarities, Measured
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.shepard import MOST, shepard_plot
from tripletscope.dashboard.figures.theme import Canvas
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
from tripletscope.dashboard.results.maps import rough_said
from tripletscope.dashboard.views.embedding.fitting import PAGE
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.views.pictures import picture_addresses
from tripletscope.dashboard.wording import ENGLISH
from tripletscope.dashboard.wording.formats import count
from tripletscope.dashboard.working.pool import pool

_MAP = Canvas(900.0, 560.0)
_PLOT = Canvas(760.0, 420.0)
_PLACE = f"{PAGE}.dissimilarities"
#: Objects for each dimension, of which more are needed for stress to tell anything (Kruskal and
#: Wish, 1978).
_FEW = 4
#: Replicates are mapped of so many objects; of more they would take an hour.
_REPLICATES, _MOST = 100, 150


@dataclass(frozen=True)
class Mapped:
    """A matrix, and the map of it.

    Shapes: matrix (m, m).
    objects (m,): Positions of its objects among those of the data set.
    neighbours: Nearest ones that the map is to keep, by LOE.
    source: The file, and how it was read.
    samples: Where other raters would have put the objects, if that is known.
    given: Ratings and so on that the matrix is made of.
    weigh: Whether pairs count by their standard errors.
    """

    fitted: Embedding
    matrix: np.ndarray
    objects: np.ndarray
    neighbours: int | None
    source: str
    samples: Samples | None = None
    given: Measured | None = None
    weigh: bool = False

    def steps(self, ids: list[str]) -> DissimilarityMap:
        """What maps it again, with the names of all objects of the data set."""
        return DissimilarityMap(
            self.fitted, [ids[i] for i in self.objects], self.matrix, self.given,
            _drawn_of(self.given), self.weigh, _REPLICATES, self.neighbours,
        )


@tab(PAGE, "Dissimilarities", 2, slot=_PLACE)
def show_dissimilarities(context: Context) -> None:
    """A matrix between the objects, mapped by its order alone."""
    picture, side = context.picture_and_side()
    with side:
        _ask(context)
    job = context.job
    with picture:
        if job is not None and job.results:
            _show(context, job.results[0])
        elif job is None or not job.active:
            if MEASURED in context.info.extra:
                panels.empty(
                    "No map of the dissimilarities yet",
                    "Press Fit. NMDS keeps the order of what was judged, metric MDS its size.",
                )
            else:
                panels.empty(
                    "No dissimilarities yet",
                    "Upload a square matrix of dissimilarities between these objects: ratings, "
                    "confusions, distances of features; then press Fit. The map keeps their order, "
                    "not their size.",
                )


def _ask(context: Context) -> None:
    """The form, and the button that maps what was measured, or what was uploaded."""
    measured = MEASURED in context.info.extra
    file = st.file_uploader(
        "Another matrix" if measured else "Matrix", key=_PLACE,
        help="A square table of dissimilarities or similarities, in any format, with the "
        "names of the objects in the first row and column, or without names in the order of "
        "the objects.",
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
            help="Of every object: the map is to keep so many most similar ones nearest.",
        ) or 1)
    own = measured and file is None
    weigh = own and kind is not LOE and switch(
        context.session, f"{_PLACE}.weigh", "Weigh by precision", False,
        help="Each pair counts by one over its squared standard error: pairs about which raters "
        "agree count more. Of few raters agreement is chance mostly, and plain means make the "
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

    def work(progress: Progress) -> Mapped:
        if neighbours is None:
            fitted = pool().call(method.fit_dissimilarities, matrix, progress=progress)
        else:
            graph = _nearest(matrix, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
        return Mapped(fitted, matrix, objects, neighbours, source)

    context.begin(f"{method.title}: {file.name}", f"Fitting {method.title}", work)
    st.rerun()


def _begin_own(
    context: Context, method: Any, neighbours: int | None, weigh: bool
) -> None:
    """Map what the data set was made of."""
    info, objects = context.info, np.array(context.triplets.ids, dtype=object)

    def work(progress: Progress) -> Mapped:
        given = services().workspace.measured(info)
        apart = given.dissimilarities(_drawn_of(given))
        place = {name: i for i, name in enumerate(objects)}
        where = np.array([place[name] for name in apart.ids])
        source = f"{info.origin}. {_told(given, apart)}"
        if neighbours is not None:
            known = np.where(np.isfinite(apart.mean), apart.mean, np.inf)
            graph = _nearest(known, neighbours)
            fitted = pool().call(method.fit_graph, graph, progress=progress)
            return Mapped(fitted, apart.mean, where, neighbours, source, given=given)
        mapped = partial(map_dissimilarities, weigh=weigh, most=_REPLICATES)
        found = pool().call(mapped, method, apart, progress=progress)
        if weigh:
            source += " Pairs are weighted by one over their squared standard errors."
        return Mapped(
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
        words += f" {count(missing, 'pair')} never judged: what is not known does not count."
    if given.n_objects > _MOST and not len(apart.replicates):
        words += f" Ellipses are for up to {_MOST} objects."
    elif not len(apart.replicates):
        words += " No pair was judged twice, so that nothing is known of errors."
    return words


def _nearest(matrix: np.ndarray, neighbours: int) -> np.ndarray:
    """(m, m) whether an object is among so many nearest ones of another."""
    apart = matrix + np.diag(np.full(len(matrix), np.inf))
    found = np.zeros(matrix.shape, dtype=bool)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, : min(neighbours, len(matrix) - 1)]
    np.put_along_axis(found, nearest, True, axis=1)
    return found


def _show(context: Context, found: Mapped) -> None:
    fitted, matrix, objects = found.fitted, found.matrix, found.objects
    neighbours, source = found.neighbours, found.source
    triplets, stem = context.triplets, export.file_name(context.info.name, fitted.name)
    positions = np.full((triplets.n_objects, fitted.n_components), np.nan)
    positions[objects] = fitted.embedding_
    files = partial(found.steps(triplets.ids).files, f"{stem}-again")
    upper = np.triu_indices(len(matrix), 1)
    apart, fit = fitted.distances()[upper], None
    text = f"{analysis.describe(fitted)} of {count(len(objects), 'object')}, {source}"
    if neighbours is None:
        fit = fitted.disparities_[upper]
        text += f" Stress-1 {fitted.loss_:.4f}."
        known = np.isfinite(fit)
        upper = upper[0][known], upper[1][known]
        apart, fit = apart[known], fit[known]
        each = pd.Series(100 * fitted.stress_per_object_, name="share of the stress (%)")
    else:
        kept = (_nearest(matrix, neighbours) & _nearest(fitted.distances(), neighbours)).sum(axis=1)
        each = pd.Series(100 * kept / neighbours, name="neighbours kept (%)")
        text += f" {count(neighbours, 'neighbour')} each, {each.mean():.0f} % of them kept."
        if len(objects) <= _FEW * fitted.n_components:
            text += (
                f" Of so few objects stress is small whatever was judged: more than "
                f"{_FEW * fitted.n_components} are needed for a map in "
                f"{count(fitted.n_components, 'dimension')}."
            )
    if not fitted.converged_:
        text += " Not converged: allow for more iterations."
    if found.samples is not None:
        unit = "raters" if found.samples.unit == "participants" else "trials"
        if np.isfinite(found.samples.radius(0.95)):
            text += f" Ellipses hold 95 % where other {unit} would have put an object."
        text = " ".join([text, *rough_said(ENGLISH, found.samples, "ellipses")])
    data = _drawn(context, found, positions)

    def draw_map(canvas: Canvas) -> Any:
        return embedding_map(data, MapStyle(), caption=text, revision=source, canvas=canvas)

    def places() -> pd.DataFrame:
        axes = [f"x{c + 1}" for c in range(positions.shape[1])]
        return pd.concat([triplets.objects, pd.DataFrame(positions, columns=axes)], axis=1)

    panels.figure_panel(
        context.session, draw_map, key=f"{_PLACE}.map", alt=f"Map. {text}", canvas=_MAP,
        caption=text, name=f"{stem}-map", table=places, files=files,
        on_pick=context.session.select_positions,
    )
    st.subheader("Shepard plot", anchor=False)
    about = f"Distances in the map against the dissimilarities. {text}"
    if len(apart) > MOST:
        about += f" A random {MOST:,} of {count(len(apart), 'pair')} are drawn."

    def draw_plot(canvas: Canvas) -> Any:
        return shepard_plot(matrix[upper], apart, fit, caption=about, canvas=canvas)

    panels.figure_panel(
        context.session, draw_plot, key=f"{_PLACE}.shepard", alt=about, canvas=_PLOT,
        caption=about, name=f"{stem}-shepard", files=files,
        table=lambda: _pairs(triplets, objects, upper, matrix[upper], apart, fit),
    )
    st.subheader("Objects that fit worst", anchor=False)
    table = pd.DataFrame({"object": [triplets.labels[i] for i in objects], each.name: each})
    st.dataframe(
        table.sort_values(each.name, ascending=neighbours is not None, kind="stable"),
        hide_index=True, placeholder="", key=f"{_PLACE}.objects",
        column_config={each.name: st.column_config.NumberColumn(format="%.1f")},
    )


def _drawn(context: Context, found: Mapped, positions: np.ndarray) -> MapData:
    covariances, degrees, samples = None, None, found.samples
    if samples is not None:
        n, d = positions.shape
        covariances = np.full((n, d, d), np.nan)
        covariances[found.objects] = samples.covariances
        degrees = samples.degrees
    objects = context.triplets.objects
    return MapData(
        positions, objects, covariances, picture_addresses(context.info, objects, 64),
        context.selected, degrees,
    )


def _pairs(
    triplets: Triplets, objects: np.ndarray, pairs: tuple[np.ndarray, np.ndarray],
    given: np.ndarray, apart: np.ndarray, fit: np.ndarray | None,
) -> pd.DataFrame:
    """A row for every pair of objects."""
    first, second = (objects[k] for k in pairs)
    ids = np.array(triplets.ids, dtype=object)
    pairs = pd.DataFrame({
        "first": ids[first], "second": ids[second], "dissimilarity": given, "distance": apart
    })
    return pairs if fit is None else pairs.assign(disparity=fit)
