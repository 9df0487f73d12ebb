"""Maps turned towards one another, and how far they agree."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.geometry import procrustes, procrustes_disparity
from tripletscope.core.inference.evaluation.compare import neighbour_overlap
from tripletscope.core.inference.evaluation.inspection import inspect_objects
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run, key
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, several, switch
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.comparison import suggestions_of
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.views.choosing import fits_of_all
from tripletscope.dashboard.views.compare.comparing import PAGE
from tripletscope.dashboard.views.compare.recommending import standing
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.embedding.colouring import colourings, first_colouring
from tripletscope.dashboard.views.opened_map import opened_map
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.turning import turn_of
from tripletscope.dashboard.wording import ENGLISH

_HALF = Canvas(560.0, 420.0)
_LEAST = 3  # objects in common
_MOST = 4  # maps that are shown without being chosen
_ZOOMS = {
    "all": "All objects", "selected": "Selected objects", "inner": "Without the outermost 10 %",
}


@dataclass(frozen=True)
class ShownMap:
    """A fitted map, where it is kept, what it is called, and of which data it is."""

    place: str
    name: str
    data: str
    run: Run
    fitted: OrdinalEmbedding


@tab("embedding", "Side by side", 5, slot=PAGE)
def show_maps(context: Context) -> None:
    watch(context.job)
    listed = _listed(context.info)
    if not listed:
        panels.empty(
            "There is no map yet", "Fit one under “Map”, or compute several on the page Compare.",
        )
        return
    names = {place: name for place, (name, _, _) in listed.items()}
    chosen = several(
        context.session, f"compare.maps@{context.info.id}", "Maps", names,
        default=_first(context, listed),
        help="Maps fitted on any page, for any view, and for other data sets about the same "
        "objects.",
    )
    if not chosen:
        panels.empty("No map is chosen", "Choose some above.")
        return
    shown = [_shown(place, *listed[place]) for place in chosen]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = pick(
            context.session, f"compare.reference@{context.info.id}", "Aligned to",
            {s.place: s.name for s in shown}, width=240,
            help="The other maps are rotated, reflected, translated and scaled to fit this map as "
            "closely as possible (Procrustes).",
        )
        objects = context.triplets.objects
        known = colourings(
            context.session, context.info, objects,
            lambda: inspect_objects(first.fitted, context.triplets), uncertain=False,
        )
        of_map = context.session.drafts.get(f"map.colour@{context.info.id}")
        colour = pick(
            context.session, f"compare.colour@{context.info.id}", "Colour",
            {"": "None", **{key: how.shown for key, how in known.items()}},
            default=of_map if of_map == "" or of_map in known else
            first_colouring(objects, known), width=180,
        )
        zoom = pick(context.session, "compare.zoom", "Zoom", _ZOOMS, width=180,
                    help="All maps show the same part of the plane.")
        arrows = switch(context.session, "compare.arrows", "Differences", False,
                        help="Lines from each object's position in the reference to its position "
                        "here.")
    first = next(s for s in shown if s.place == reference)
    shown = [first, *(s for s in shown if s is not first)]
    title = known[colour].title if colour else None
    if title is not None and title not in objects:
        objects = objects.assign(**{title: known[colour].values().array})
    # Marked as on the page of the map; pictures would cover one another in these small ones.
    marks = context.session.drafts.get(f"map.marks.plane@{context.info.id}")
    style = MapStyle("labels" if marks == "labels" else "points", title, False)
    _grid(context, shown, objects, style, zoom, arrows)
    _agreement(context, shown)


def _listed(info: DatasetInfo) -> dict[str, tuple[str, str, RunInfo]]:
    """Every map of the same objects: place -> its name, its data set's name, its entry."""
    same = services().workspace.about_the_same_objects(info)
    return {
        f"{data.id}/{run.key}": (name, data.name, run)
        for name, data, run in fits_of_all([info, *same], "embedding")
    }


def _shown(place: str, name: str, data: str, listed: RunInfo) -> ShownMap:
    run = services().workspace.run(listed.dataset, listed.key)
    return ShownMap(place, name, data, run, run.fitted())


def _aligned(info: DatasetInfo, shown: list[ShownMap]) -> list[np.ndarray]:
    """(n, d) positions of every map, d >= 2, closest to the first; NaN for objects without one."""
    most = max(2, *(s.fitted.n_components for s in shown))
    target, placed = _padded(shown[0].fitted, most), shown[0].fitted.placed_
    turn = turn_of(info, shown[0].run).rotation  # as on the other pages
    target[:, : len(turn)] = target[:, : len(turn)] @ turn
    found = []
    for s in shown:
        both = placed & s.fitted.placed_
        positions = target if s is shown[0] else _padded(s.fitted, most)
        aligned = positions if s is shown[0] or not both.any() else (
            procrustes(positions[both], target[both])(positions)
        )
        found.append(np.where(s.fitted.placed_[:, None], aligned, np.nan))
    return found


def _padded(fitted: OrdinalEmbedding, n_components: int) -> np.ndarray:
    """(n, n_components) positions, the further ones 0."""
    return np.pad(fitted.embedding_, ((0, 0), (0, n_components - fitted.n_components)))


def _first(context: Context, listed: dict[str, tuple[str, str, RunInfo]]) -> list[str]:
    """The maps to begin with: the one that is open, the same of all answers where some were
    excluded, and of each method that in the dimensions recommended for it. Where these are fewer
    than two, then the newest other one.
    """
    info, triplets = context.info, context.triplets
    plan = standing(context.session, triplets)
    wanted = {
        (name, suggestion.n_components)
        for name, (suggestion, _) in suggestions_of(plan.runs(info, triplets), triplets).items()
    }
    keys = [
        key("fit", method, triplets) for method in plan.methods
        if (method.title, method.n_components) in wanted
    ]
    opened = opened_map(context.session, info)
    if opened is not None:
        before = [
            run.key for _, _, run in listed.values()
            if info.state and run.dataset == info.id and run.state == ""
            and run.record["method"] == opened.record["method"]
            and run.record["parameters"] == opened.record["parameters"]
        ]
        keys = [opened.key, *before[:1], *keys]
    places = dict.fromkeys(place for k in keys if (place := f"{info.id}/{k}") in listed)
    return list(places)[:_MOST] if len(places) > 1 else list({**places, **listed})[:2]


def _grid(
    context: Context, shown: list[ShownMap], objects: pd.DataFrame,
    style: MapStyle, zoom: str, arrows: bool,
) -> None:
    planes = [positions[:, :2] for positions in _aligned(context.info, shown)]
    selected = context.selected
    window = _window(planes, zoom, selected)
    places = st.columns(min(len(shown), 2))
    for k, (s, place) in enumerate(zip(shown, itertools.cycle(places), strict=False)):
        plane = planes[k]
        data = MapData(plane, objects, selected=selected)
        moved = planes[0] if arrows and k else None
        with place:
            st.markdown(f"**{panels.plain(s.name)}**" + (" (reference)" if not k else ""))
            text = _map_caption(context.info, s, shown[0], k)
            draw = _drawer(data, style, window, moved, (s.name, text), f"{s.run.key} {window}")
            panels.figure_panel(
                context.session, draw, key=f"compare.map.{k}", alt=f"Map. {text}", canvas=_HALF,
                name=export.file_name(context.info.name, s.run.method, f"compared-{k + 1}"),
                table=lambda plane=plane: pd.concat(
                    [context.triplets.objects, pd.DataFrame(plane, columns=["x1", "x2"])], axis=1
                ),
                on_pick=context.session.select_positions, caption=text, of_view=False,
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


def _drawer(
    data: MapData, style: MapStyle, window: tuple[np.ndarray, np.ndarray],
    before: np.ndarray | None, words: tuple[str, str], revision: str,
) -> Callable[[Canvas], Any]:
    def draw(canvas: Canvas) -> Any:
        name, text = words
        if not canvas.screen:  # the page says it above the maps
            colour = f" Colour: {style.colour}." if style.colour else ""
            text = f"{name}. {text}{colour}"
        figure = embedding_map(
            data, style, caption=text, revision=revision, window=window, canvas=canvas
        )
        if before is not None:
            path = np.full((len(before), 3, 2), np.nan)
            path[:, 0], path[:, 1] = before, data.positions
            path = path.reshape(-1, 2)
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": "rgba(128,128,128,0.55)", "width": 1.0},
            )
            figure.data = (figure.data[-1], *figure.data[:-1])  # below the points
        figure.update_traces(marker_showscale=False, selector={"type": "scatter"})
        return figure

    return draw


def _map_caption(info: DatasetInfo, shown: ShownMap, reference: ShownMap, place: int) -> str:
    error = _held_out(shown)
    text = f"{shown.data}. " + (
        "Its held-out error is not known." if error is None
        else ENGLISH("held-out error of map", error=error)
    )
    if error is not None and shown.run.data != reference.run.data:
        text += " Its error and that of the reference are about different answers."
    if not shown.run.complete:
        text += " Stopped early."
    if shown.fitted.n_components > 2:
        text += " First two axes of the reference." if place else " First two principal axes."
    if place:
        disparity, overlap = _closeness(shown, reference)
        text += " Too few objects in common to compare the maps." if (
            np.isnan(disparity)
        ) else (
            f" {100 * disparity:.1f} % of the reference's variance is unexplained (Procrustes); "
            f"{100 * overlap:.0f} % of the {_neighbours(info.n_objects)} nearest neighbours are "
            "the same."
        )
    return text


def _held_out(shown: ShownMap) -> tuple[float, float, float] | None:
    """The newest held-out error of a map's method on its answers, with its interval."""
    dataset, _ = shown.place.split("/")
    run, workspace = shown.run, services().workspace
    known = [
        other for task in ("cross_validate", "split_error")
        for other in workspace.runs(dataset, task, "embedding", of_any_exclusions=True)
        if other.record.items() >= {
            "method": run.method, "parameters": run.parameters, "data": run.data,
        }.items()
    ]
    if not known:
        return None
    numbers = max(known, key=lambda one: one.record["created"]).record["numbers"]
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
    with st.expander("Agreement of the maps", expanded=len(shown) > 2):
        st.dataframe(
            table, hide_index=True, placeholder="", key="compare.pairs",
            column_config={name: st.column_config.NumberColumn(format="%.3f")
                           for name in ("Procrustes disparity", "neighbours in common")},
        )
        if len(shown) > 2:
            context.figure(Drawing(
                "agreement", "Agreement of the maps", text, text, 0.6,
                lambda canvas: square_matrix(
                    pairs, [s.name for s in shown], title="neighbours in common",
                    limits=(0.0, 1.0), caption=text, canvas=canvas,
                ), lambda: table,
            ))
