"""A fitted map with what was computed for it: drawn, inspected, taken away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.evaluation.inspection import (
    answers_at_odds,
    inspect_objects,
    nearest_objects,
)
from tripletscope.core.inference.uncertainty import Samples
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.plane import shape_of
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.composer import composition_of
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.keeping.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.printing.browser import can_render
from tripletscope.dashboard.printing.composition import Composition
from tripletscope.dashboard.printing.render import FORMATS, NEED_BROWSER
from tripletscope.dashboard.reproduce.recipe import reproduction
from tripletscope.dashboard.results import MapFigure, Placed, placed
from tripletscope.dashboard.results.map import Turn
from tripletscope.dashboard.results.maps import apart_said, coordinates, map_caption, warning_said
from tripletscope.dashboard.results.shown import ShownResults
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.data.dataset import answer_table
from tripletscope.dashboard.views.elements import COVERAGES, csv_button, looks_row
from tripletscope.dashboard.views.embedding.colouring import (
    CLUSTERS,
    coloured,
    colourings,
    first_colouring,
    of_table,
    pick_colouring,
)
from tripletscope.dashboard.views.page import go_to
from tripletscope.dashboard.views.pictures import (
    embedded_pictures,
    picture_addresses,
    with_pictures,
)
from tripletscope.dashboard.views.turning import turn_of
from tripletscope.dashboard.wording.formats import count

_MAP = Canvas(900.0, 620.0)
_COVERAGES = {0.0: "Off", **COVERAGES}
#: Ways of showing pictures, with their relative size.
_PICTURES = {
    "pictures": ("Pictures", 1.0), "small pictures": ("Small pictures", 0.6),
    "large pictures": ("Large pictures", 1.8),
}
_SHARP = 100  # pictures of which larger files are drawn
_MOST_AT_ODDS = 200
_REMEMBERED = 10_000  # objects; the drawings of more would fill the memory
_PICTURED = 500  # objects whose map has pictures at first


@dataclass(frozen=True)
class Result:
    """A fitted map with what was computed for it.

    compared: Held-out errors of it and of other methods.
    """

    info: DatasetInfo
    triplets: Triplets
    fit: Run
    samples: Run | None
    error: Run | None
    compared: tuple[Run, ...] = ()

    @cached_property
    def fitted(self) -> OrdinalEmbedding:
        return self.fit.fitted()

    @cached_property
    def drawn(self) -> Samples | None:
        """Maps that the answers could as well have given."""
        return self.samples.samples() if self.samples else None

    @cached_property
    def turn(self) -> Turn:
        return turn_of(self.info, self.fit)

    @cached_property
    def placed(self) -> Placed:
        """Where the objects lie, turned."""
        return placed(self.fit, self.samples, self.turn.rotation)

    @property
    def shown(self) -> ShownResults:
        return ShownResults(
            (*self.runs.values(), *self.compared), self.triplets, self.info.name,
            turns={self.fit.key: self.turn},
        )

    @property
    def doubt(self) -> list[str]:
        """The gravest, if the map is not to be looked at before it is known."""
        return list(warning_said(self.shown, self.fit))

    @property
    def runs(self) -> dict[str, Run]:
        return {run.task: run for run in (self.fit, self.samples, self.error) if run}


def show_map(current: Session, result: Result, said: Sequence[str]) -> None:
    """The map with its controls, and what can be downloaded of it, below what is said first."""
    style, objects = _style(current, result)
    panels.verdict(current, said)
    moved = MovedLabels(current, result)
    sharp = style.picture_size > 1 and len(objects) <= _SHARP
    positions, covariances, degrees = result.placed
    data = MapData(
        positions, objects, covariances,
        picture_addresses(result.info, objects, 128 if sharp else 64),
        current.selected_positions(result.triplets), degrees, moved.offsets,
    )
    d = result.fitted.n_components
    in_plane = d == 2 or (d > 2 and style.flat)
    text = map_caption(result.shown, result.fit, style, selected=bool(data.selected))

    def draw(canvas: Canvas) -> Any:
        shown = data if canvas.screen else replace(
            data, pictures=embedded_pictures(result.info, data.objects, data.pictures)
        )
        return embedding_map(shown, style, caption=text, revision=result.fit.key, canvas=canvas)

    def recipe() -> MapFigure:
        composition = composition_of(current, "map")
        return _recipe(result, style, data, text, ratio(composition), composition)

    def bundle() -> None:
        if in_plane and moved.offsets:
            st.button(
                "Put labels back", key="labels.back", icon=":material/undo:",
                on_click=moved.put_back, help="Moves dragged labels to where there is room.",
            )
        st.download_button(
            "Download everything", partial(_everything, result, recipe, name), f"{name}.zip",
            "application/zip", key="everything", icon=":material/folder_zip:", on_click="ignore",
            help="The figure in every format, coordinates with ellipses, table of objects and "
            "settings, in a ZIP.",
        )

    def ratio(composition: Composition) -> float:
        usual = _MAP.height / _MAP.width
        return shape_of(data, style, composition.canvas(usual)) if in_plane else usual

    name = export.file_name(result.info.name, result.fit.method, "map")
    panels.figure_panel(
        current, draw, key="map", name=name, canvas=_MAP, ratio=ratio,
        alt=f"Map of {count(result.triplets.n_objects, 'object')}. {text}",
        table=lambda: coordinates(result.triplets.objects, *result.placed),
        pictures=picture_addresses(result.info, result.triplets.objects, 320),
        on_pick=current.select_positions, caption=text, further=bundle, fills="whole",
        on_label=moved.put if in_plane else None,
        of=(data, style, text, result.fit.key) if len(objects) <= _REMEMBERED else None,
    )
    if not of_table(result.triplets.objects):
        _offer_metadata(current)


def _offer_metadata(current: Session) -> None:
    if pressed(
        current, "map.table", "Add stimulus metadata", type="tertiary",
        icon=":material/table_view:",
        help="A table with one row per object; its columns can colour the map.",
    ):
        go_to("data", "additions")
        st.switch_page("../pages/data.py")


class MovedLabels:
    """Where labels of a map were dragged; kept in the session for every map."""

    def __init__(self, current: Session, result: Result) -> None:
        self._current, self._ids = current, result.triplets.ids
        self._key = f"map.labels@{result.info.id}.{result.fit.key}"

    @property
    def offsets(self) -> dict[int, tuple[float, float]]:
        """Offset of the label of each object, by its position."""
        kept = self._current.drafts.get(self._key, {})
        return {i: tuple(kept[name]) for i, name in enumerate(self._ids) if name in kept}

    def put(self, position: int, offset: tuple[float, float]) -> None:
        kept = {**self._current.drafts.get(self._key, {}), self._ids[position]: list(offset)}
        self._current.remember(self._key, kept)

    def put_back(self) -> None:
        self._current.remember(self._key, {})


def _first_mark(marks: Collection[str], result: Result) -> str:
    """How objects are marked at first: a crowd of pictures would be a heap."""
    are_few = result.info.n_objects <= _PICTURED
    return "pictures" if "pictures" in marks and are_few else "labels"


def _style(current: Session, result: Result) -> tuple[MapStyle, pd.DataFrame]:
    """What is to be seen, and the objects with the column that colours them."""
    objects, info = result.triplets.objects, result.info
    d = result.fitted.n_components
    quantities = {c: c for c in of_table(objects) if is_quantity(objects[c])}
    is_uncertain = result.placed.covariances is not None
    colours = colourings(
        current, info, objects, lambda: _inspected(result, 0.95), uncertain=is_uncertain
    )
    mark, against, flat, coverage = "points", "", True, 0.0
    with looks_row(st.container()):
        if d > 2:
            views = {True: "First two axes", False: "Three dimensions"}
            flat = pick(current, f"map.flat@{info.id}", "View", views, default=False, width=180)
        if d > 1:
            marks = {"points": "Points", "labels": "Labels"}
            if flat and picture_addresses(info, objects, 64):
                marks |= {name: words for name, (words, _) in _PICTURES.items()}
            mark = pick(current, f"map.marks.{'plane' if flat else 'space'}@{info.id}", "Show",
                        marks, default=_first_mark(marks, result), width=150)
        colour = pick_colouring(
            current, f"map.colour@{info.id}", colours, first_colouring(objects, colours)
        )
        if d == 1:
            against = pick(current, f"map.against@{info.id}", "Plot against",
                           {"": "Order on the scale", **quantities},
                           default=next(iter(quantities), ""), width=180)
        if is_uncertain:
            coverage = pick(current, "map.coverage", _shape(d, flat).capitalize(), _COVERAGES,
                            default=0.95, width=110,
                            help="In how many repetitions of the experiment they would contain the "
                            "true position.")
    title, objects = coloured(objects, colours.get(colour))
    _, size = _PICTURES.get(mark, ("", 1.0))
    style = MapStyle(
        "pictures" if mark in _PICTURES else mark, title, coverage > 0, coverage, against or None,
        flat, size, outlined=colour == CLUSTERS and d > 1,
    )
    return style, objects


def _shape(n_components: int, flat: bool) -> str:
    """What shows the uncertainty of a position."""
    if n_components == 1:
        return "error bars"
    return "ellipses" if n_components == 2 or flat else "ellipsoids"


def _recipe(
    result: Result, style: MapStyle, data: MapData, text: str, ratio: float,
    composition: Composition,
) -> MapFigure:
    """How the map is drawn, for scripts."""
    ids = result.triplets.ids
    is_of_table = style.colour is None or style.colour in result.triplets.objects
    values = [] if is_of_table else data.objects[style.colour].astype(object)
    pictures = data.pictures if style.marks == "pictures" else {}
    return MapFigure(
        style, composition, result.turn.rotation.tolist(), ratio, text, result.info.left_out,
        [ids[i] for i in data.selected], {ids[i]: place for i, place in data.moved.items()},
        {name: value for name, value in zip(ids, values, strict=False) if pd.notna(value)},
        {ids[i]: picture for i, picture in
         embedded_pictures(result.info, data.objects, pictures).items()},
    )


def _everything(result: Result, recipe: Callable[[], MapFigure], name: str) -> bytes:
    figure, objects = recipe(), result.triplets.objects
    files = {
        f"{name}-coordinates.csv": export.csv(coordinates(objects, *result.placed)),
        f"{name}-objects.csv": export.csv(_inspected(result, 0.95)),
        **reproduction(
            result.info, services().workspace.cleaning(result.info), list(result.runs.values()),
            drawn=figure,
        ),
    }
    possible = can_render()
    for form in FORMATS:
        if possible or form not in NEED_BROWSER:
            files[f"{name}.{form}"] = figure.file(form, result.fit, result.samples, objects)
    return export.bundle(files)


def _inspected(result: Result, coverage: float) -> pd.DataFrame:
    runs = map(edition_of, result.runs.values())
    return _inspected_once((result.triplets.fingerprint, *runs, coverage), result)


@st.cache_data(max_entries=16, show_spinner=False)
def _inspected_once(content: tuple[Any, ...], _result: Result) -> pd.DataFrame:
    return inspect_objects(
        _result.fitted, _result.triplets, _result.placed.covariances, coverage=content[-1],
        degrees=_result.placed.degrees,
    )


def show_objects(current: Session, result: Result) -> None:
    """The selected objects, or all, and the answers at odds with the map."""
    chosen = current.selected_positions(result.triplets)
    coverage = current.drafts.get("map.coverage") or 0.95
    table = _inspected(result, coverage)
    table["contradicted"] *= 100
    if chosen:
        st.header(f"{count(len(chosen), 'selected object')}", anchor=False)
        st.button(
            "Add their nearest neighbours", key="map.neighbours", icon=":material/group_add:",
            on_click=_add_neighbours, args=(current, result, chosen),
            help="The five objects nearest to each on this map. Undo takes them back.",
        )
        if len(chosen) == 2 and result.drawn is not None:
            panels.sentences(list(apart_said(
                result.drawn, table["label"].tolist(), tuple(chosen), coverage
            )))
        table = table.iloc[chosen]
    else:
        st.header("All objects", anchor=False)
        st.caption("Select objects by lasso, click or legend to see only these.")
        if "uncertainty" in table:
            table = table.sort_values("uncertainty", ascending=False)
    st.dataframe(
        with_pictures(table, result.info, result.triplets.objects), hide_index=True,
        placeholder="", key="objects", height="auto" if chosen else 300, column_config=_COLUMNS,
    )
    _show_at_odds(result, chosen)


def _add_neighbours(current: Session, result: Result, chosen: list[int]) -> None:
    near = nearest_objects(result.fitted)
    current.select_positions([k for i in chosen for k in near[i]], "add")


def _show_at_odds(result: Result, chosen: list[int]) -> None:
    at_odds = answers_at_odds(result.fitted, result.triplets, chosen or None)
    words = count(len(at_odds), "answer is", "answers are")
    if not (box := panels.folded(f"{words} violated by the embedding", "at odds")):
        return
    with box:
        st.caption("The largest violations come first.")
        st.dataframe(answer_table(result.triplets, at_odds[:_MOST_AT_ODDS]), hide_index=True,
                     key="at odds")
        csv_button("All of them (CSV)", lambda: answer_table(result.triplets, at_odds),
                   "answers-at-odds", "at odds.csv", icon=None)


_COLUMNS = {
    "picture": st.column_config.ImageColumn("", width="small"),
    "label": st.column_config.TextColumn(width="medium"),
    "neighbours": st.column_config.ListColumn("nearest neighbours", width="large"),
    "contradicted": st.column_config.ProgressColumn(
        "answers violated", format="%.0f %%", min_value=0.0, max_value=100.0,
        help="Proportion of the answers about the object that the embedding violates.",
    ),
    "determined": st.column_config.CheckboxColumn(
        help="Whether the answers determine the position. They do not if they are too few about "
        "the object, or do not link it with most others.",
    ),
    "uncertainty": st.column_config.NumberColumn(
        format="%.3f",
        help="Half-length of the error bar, or radius of a circle or ball as large as the ellipse "
        "or ellipsoid, relative to the root mean square distance of objects from the centre.",
    ),
}
