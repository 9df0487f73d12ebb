"""Maps turned towards one another, also those under each condition, and how far they agree."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from tripletscope.core.data.geometry import procrustes, procrustes_disparity
from tripletscope.core.inference.held_out.compare import neighbour_overlap
from tripletscope.core.inference.held_out.inspection import inspect_objects
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run, key
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results import MapLook, Placed
from tripletscope.dashboard.results.colouring import first_colouring
from tripletscope.dashboard.results.comparison import suggestions_of
from tripletscope.dashboard.results.dividing import condition_columns
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import PlainMap
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.chart import Gestures
from tripletscope.dashboard.ui.choosing import fits_of_all
from tripletscope.dashboard.ui.colouring import colourings, pick_colouring
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick, pressed, several, switch
from tripletscope.dashboard.ui.current_comparison import current_comparison
from tripletscope.dashboard.ui.handover import ask_for_conditions, conditions_of
from tripletscope.dashboard.ui.looks import colour_of
from tripletscope.dashboard.ui.opened_map import map_method, opened_map
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.turning import turn_of
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count

_HALF = Canvas(560.0, 420.0)
_LEAST = 3  # objects in common
_MOST = 4  # maps that are shown without being chosen
_OFFERED = 3  # columns of conditions
_ZOOMS = {
    "all": "All objects", "selected": "Selected objects", "inner": "Without the outermost 10 %",
}


@dataclass(frozen=True)
class ShownMap:
    """A fitted map, where it is kept, what it is called, and of which data it is.

    n_answers: Under its condition, of which alone it is; None of a map of all answers.
    """

    place: str
    name: str
    data: str
    listed: RunInfo
    run: Run
    fitted: OrdinalEmbedding
    n_answers: int | None = None

    @property
    def answers(self) -> tuple[str | None, str | None, int]:
        """Which answers it is of: tasks differ by the columns that they read of the same ones."""
        return self.listed.dataset, self.listed.state, self.listed.renewals


@dataclass(frozen=True)
class AlignedMap(PlainMap):
    """A map with lines from where objects are in the reference, `before`."""

    window: tuple[np.ndarray, np.ndarray] | None = None
    before: np.ndarray | None = None

    @property
    def key(self) -> str:
        return f"{self.run.key} {self.window}"

    def draw(self, canvas: Canvas) -> go.Figure:
        figure = super().draw(canvas)
        if self.before is not None:
            path = np.full((len(self.before), 3, 2), np.nan)
            path[:, 0], path[:, 1] = self.before, self.where.positions
            x, y = path.reshape(-1, 2).T
            figure.add_scatter(
                x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": "rgba(128,128,128,0.55)", "width": 1.0},
            )
            figure.data = (figure.data[-1], *figure.data[:-1])  # below the points
        return figure.update_traces(marker_showscale=False, selector={"type": "scatter"})


@tab("embedding", "Side by side", 5, slot=PAGE)
def show_maps(context: Context) -> None:
    watch(context.job)
    waiting = context.waiting  # asked first: a job may end while its result is looked for
    conditions = _of_conditions(context)
    _take_up_conditions(context, conditions, waiting)
    listed = _listed(context.info)
    if not listed and not conditions:
        panels.empty(
            "There is no map yet", "Fit one under “Map”, or compute several on the page Compare.",
        )
        _offer_conditions(context, conditions)
        return
    names = {place: name for place, (name, _, _) in listed.items()}
    names |= {place: shown.name for place, shown in conditions.items()}
    chosen = several(
        context.session, f"compare.maps@{context.info.id}", "Maps", names,
        default=_first(context, listed),
        help="Maps fitted on any page, for any view, and for other data sets about the same "
        "objects; and those of the answers under each condition.",
    )
    _offer_conditions(context, conditions)
    if not chosen:
        panels.empty("No map is chosen", "Choose some above.")
        return
    shown = [conditions.get(place) or _shown(place, *listed[place]) for place in chosen]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = pick(
            context.session, f"compare.reference@{context.info.id}", "Aligned to",
            {s.place: s.name for s in shown}, width=240,
            help="The other maps are rotated, reflected, translated and scaled to fit this map as "
            "closely as possible (Procrustes).",
        )
        objects = context.triplets.objects
        colours = colourings(
            context.session, context.info, objects,
            lambda: inspect_objects(inspected.fitted, context.triplets), uncertain=False,
        )
        of_map = context.session.drafts.get(f"map.colour@{context.info.id}")
        if of_map not in ("", *colours):
            of_map = first_colouring(objects, colours)
        colour = pick_colouring(
            context.session, f"compare.colour@{context.info.id}", colours, of_map
        )
        zoom = pick(context.session, "compare.zoom", "Zoom", _ZOOMS, width=180,
                    help="All maps show the same part of the plane.")
        arrows = switch(context.session, "compare.arrows", "Differences", False,
                        help="Lines from each object's position in the reference to its position "
                        "here.")
    first = next(s for s in shown if s.place == reference)
    shown = [first, *(s for s in shown if s is not first)]
    inspected = next((s for s in shown if s.n_answers is None), first)
    # Marked as on the page of the map; pictures would cover one another in these small ones.
    marks = context.session.drafts.get(f"map.marks.plane@{context.info.id}")
    look = MapLook(
        "points" if marks == "points" else "labels",
        **colour_of(objects, colour, lambda: colours),
    )
    _grid(context, shown, look, zoom, arrows)
    if any(s.n_answers is not None for s in shown):
        st.caption("Maps of fewer answers differ by chance, too. Whether attention differs is "
                   "tested on the page People, under “Conditions”.")
    _agreement(context, shown)


def _of_conditions(context: Context) -> dict[str, ShownMap]:
    """The maps of the answers under each condition, as far as they are there: place -> map."""
    info, maps = context.info, {}
    for by in condition_columns(context.triplets.answers):
        run = context.find(map_method(info), "observer_maps", {"by": by})
        listed = run and next((one for one in context.runs("observer_maps", "embedding")
                               if one.key == run.key), None)
        if run is None or listed is None:
            continue
        result = run.result()
        for name, n, positions in zip(result.names, result.n_answers, result.maps, strict=True):
            fitted, placed = run.fresh(), np.isfinite(positions).all(axis=1)
            fitted.embedding_ = np.where(placed[:, None], positions, 0.0)
            fitted.embeddings_, fitted.placed_ = fitted.embedding_[None], placed
            fitted.n_objects_ = len(placed)
            place = f"{info.id}/{run.key}/{name}"
            maps[place] = ShownMap(place, f"{by}: {name}", info.name, listed, run, fitted, int(n))
    return maps


def _take_up_conditions(
    context: Context, conditions: dict[str, ShownMap], waiting: bool
) -> None:
    """Compute the maps of conditions that somebody asked for, and show them once they are there."""
    drafts, info = context.session.drafts, context.info
    place = conditions_of(info)
    by, begun = drafts.get(place) or ("", False)
    there = [s.place for s in conditions.values() if s.run.options["by"] == by]
    if there:
        opened = opened_map(info)
        values = {
            f"compare.maps@{info.id}": [*([f"{info.id}/{opened.key}"] if opened else []), *there],
            "compare.arrows": True,
        }
        context.session.take_up(values)
        widgets().update(values)
    elif by and not waiting and not begun:
        drafts[place] = [by, True]
        context.submit(f"Map of each {by}: {info.name}",
                       [(map_method(info), "observer_maps", {"by": by})])
        st.rerun()
    if there or (begun and not waiting):  # the end of a job that failed is to be seen
        del drafts[place]


def _offer_conditions(context: Context, conditions: dict[str, ShownMap]) -> None:
    """Buttons that compute maps for the values of columns."""
    there = {s.run.options["by"] for s in conditions.values()}
    names = [by for by in condition_columns(context.triplets.answers) if by not in there]
    if context.waiting or not names:
        return
    with st.container(horizontal=True):
        for by in names[:_OFFERED]:
            if pressed(context.session, f"compare.conditions.{by}", f"Map of each {by}",
                       icon=":material/add:", type="tertiary",
                       help="Maps the answers under each condition alone, by the method of the "
                       "open map."):
                ask_for_conditions(context.session, context.info, by)
                st.rerun()


def _listed(info: DatasetInfo) -> dict[str, tuple[str, str, RunInfo]]:
    """Every map of the same objects: place -> its name, its data set's name, its entry."""
    same = services().workspace.about_the_same_objects(info)
    return {
        f"{data.id}/{run.key}": (name, data.name, run)
        for name, data, run in fits_of_all([info, *same], "embedding")
    }


def _shown(place: str, name: str, data: str, listed: RunInfo) -> ShownMap:
    run = services().workspace.run(listed.dataset, listed.key)
    return ShownMap(place, name, data, listed, run, run.fitted())


def _aligned(info: DatasetInfo, shown: list[ShownMap]) -> list[np.ndarray]:
    """(n, d) positions of every map, d >= 2, closest to the first; NaN for objects without one."""
    most = max(2, *(s.fitted.n_components for s in shown))
    target, placed = _padded(shown[0].fitted, most), shown[0].fitted.placed_
    if shown[0].n_answers is None:
        turn = turn_of(info, shown[0].run).rotation  # as on the other pages
        target[:, : len(turn)] = target[:, : len(turn)] @ turn
    aligned = [target]
    for other in shown[1:]:
        both, positions = placed & other.fitted.placed_, _padded(other.fitted, most)
        if both.any():
            positions = procrustes(positions[both], target[both])(positions)
        aligned.append(positions)
    return [
        np.where(shown_map.fitted.placed_[:, None], positions, np.nan)
        for shown_map, positions in zip(shown, aligned, strict=True)
    ]


def _padded(fitted: OrdinalEmbedding, n_components: int) -> np.ndarray:
    """(n, n_components) positions, the further ones 0."""
    return np.pad(fitted.embedding_, ((0, 0), (0, n_components - fitted.n_components)))


def _first(context: Context, listed: dict[str, tuple[str, str, RunInfo]]) -> list[str]:
    """The maps to begin with: the open one, the same of all answers, and recommended ones.

    Where these are fewer than two, then the newest other one.
    """
    info, triplets = context.info, context.triplets
    plan = current_comparison(context.session, info, triplets)
    wanted = {
        (name, suggestion.n_components)
        for name, (suggestion, _) in suggestions_of(plan.runs(info, triplets), triplets).items()
    }
    keys = [
        key("fit", method, triplets) for method in plan.methods
        if (method.title, method.n_components) in wanted
    ]
    opened = opened_map(info)
    if opened is not None:
        same = {name: opened.record[name] for name in ("method", "parameters")}
        before = [
            run.key for _, _, run in listed.values() if info.state and run.dataset == info.id
            and run.is_of("") and run.record.items() >= same.items()
        ]
        keys = [opened.key, *before[:1], *keys]
    places = dict.fromkeys(place for k in keys if (place := f"{info.id}/{k}") in listed)
    # Former exclusions are neither before nor after those in use.
    further = {
        place: not run.is_of(info.state) for place, (_, _, run) in listed.items()
        if run.dataset != info.id or run.is_of(info.state) or run.is_of("")
    }
    if len(places) > 1:
        return list(places)[:_MOST]
    return list(dict.fromkeys([*places, *sorted(further, key=further.__getitem__)]))[:2]


def _grid(
    context: Context, shown: list[ShownMap], look: MapLook, zoom: str, arrows: bool
) -> None:
    planes = [positions[:, :2] for positions in _aligned(context.info, shown)]
    selected = context.selected
    window = _window(planes, zoom, selected)
    places = st.columns(min(len(shown), 2))
    for k, (s, plane) in enumerate(zip(shown, planes, strict=True)):
        text = _map_caption(context.info, s, shown[0], k)
        drawn = AlignedMap(
            ShownResults((), context.triplets, context.info.name, looks={"": look},
                         selected=tuple(selected)),
            s.run, Placed(plane, None, None), f"{s.name}. {text}", window,
            planes[0] if arrows and k else None,
        )
        with places[k % len(places)]:
            st.markdown(f"**{panels.plain(s.name)}**" + (" (reference)" if not k else ""))
            drawing = Drawing(
                f"map-{k}", s.name, text, f"Map. {text}", _HALF.height / _HALF.width,
                drawn.draw, drawn.table,
            )
            panels.figure_panel(
                context.session, drawing, key=f"compare.map.{k}", canvas=_HALF,
                name=export.file_name(context.info.name, s.run.method, f"compared-{k + 1}"),
                gestures=Gestures(on_pick=context.session.select_positions), of_view=False,
            )


def _window(
    planes: list[np.ndarray], zoom: str, selected: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corner of the part of the plane that all maps show."""
    inside = np.concatenate(planes)
    chosen = np.concatenate([plane[selected] for plane in planes])
    if zoom == "selected" and np.isfinite(chosen).any():
        inside = chosen
    cut = 5.0 if zoom == "inner" else 0.0
    low, high = np.nanpercentile(inside, [cut, 100.0 - cut], axis=0)
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    return low - margin, high + margin


def _map_caption(info: DatasetInfo, shown: ShownMap, reference: ShownMap, place: int) -> str:
    error = None if shown.n_answers is not None else _held_out(shown)
    text = f"{shown.data}. "
    if shown.n_answers is not None:
        text += f"{count(shown.n_answers, 'answer')} under this condition alone."
    elif error is None:
        text += "Its held-out error is not known."
    else:
        text += words("held-out error of map", error=error)
        if shown.run.data != reference.run.data and shown.answers != reference.answers:
            text += " Its error and that of the reference are about different answers."
    if not shown.run.complete:
        text += " Stopped early."
    if shown.fitted.n_components > 2:
        text += " First two axes of the reference." if place else " First two principal axes."
    if not place:
        return text
    disparity, overlap = _closeness(shown, reference)
    if np.isnan(disparity):
        return f"{text} Too few objects in common to compare the maps."
    return (
        f"{text} {100 * disparity:.1f} % of the reference's variance is unexplained (Procrustes); "
        f"{100 * overlap:.0f} % of the {_neighbours(info.n_objects)} nearest neighbours are the "
        "same."
    )


def _held_out(shown: ShownMap) -> tuple[float, float, float] | None:
    """The newest held-out error of a map's method on its answers, with its interval."""
    dataset, state, renewals = shown.answers
    same = {"method": shown.run.method, "parameters": shown.run.parameters}
    records = [
        other.record for task in ("cross_validate", "split_error")
        for other in services().workspace.runs(dataset, task, "embedding", of_any_exclusions=True)
        if other.record.items() >= same.items()
        and (other.state, other.renewals) == (state, renewals)
    ]
    if not records:
        return None
    numbers = max(records, key=lambda record: record["created"])["numbers"]
    return numbers["error"], numbers["low"], numbers["high"]


def _closeness(first: ShownMap, second: ShownMap) -> tuple[float, float]:
    """Procrustes disparity and share of neighbours in common; NaN where nothing can be said."""
    both = first.fitted.placed_ & second.fitted.placed_
    most = max(first.fitted.n_components, second.fitted.n_components)
    a, b = (_padded(s.fitted, most)[both] for s in (first, second))
    if len(a) < _LEAST or not np.ptp(b, axis=0).any():  # any two points lie like any other two
        return float("nan"), float("nan")
    return procrustes_disparity(a, b), neighbour_overlap(a, b, _neighbours(len(both)))


def _neighbours(n_objects: int) -> int:
    """How many neighbours are compared: of few objects all would be shared by chance."""
    return min(max(n_objects // 5, 1), 10)


def _agreement(context: Context, shown: list[ShownMap]) -> None:
    if len(shown) < 2:
        st.caption("Choose a second map to compare them.")
        return
    title = "Agreement of the maps"
    if not (box := panels.folded(title, "compare.pairs", expanded=len(shown) > 2)):
        return
    pairs = np.ones((len(shown), len(shown)))
    rows = []
    for (i, a), (j, b) in itertools.combinations(enumerate(shown), 2):
        disparity, overlap = _closeness(b, a)
        pairs[i, j] = pairs[j, i] = overlap
        rows.append({"map": a.name, "and": b.name, "Procrustes disparity": disparity,
                     "neighbours in common": overlap})
    table = pd.DataFrame(rows)
    text = (
        f"{context.info.name}. Proportion of the {_neighbours(context.info.n_objects)} nearest "
        "neighbours that two maps share."
    )
    digits = st.column_config.NumberColumn(format="%.3f")
    with box:
        st.dataframe(
            table, hide_index=True, placeholder="", key="compare.pairs",
            column_config={"Procrustes disparity": digits, "neighbours in common": digits},
        )
        if len(shown) > 2:
            context.figure(Drawing(
                "agreement", title, text, text, 0.6,
                lambda canvas: square_matrix(
                    pairs, [s.name for s in shown], title="neighbours in common",
                    limits=(0.0, 1.0), caption=text, canvas=canvas,
                ), lambda: table,
            ))
