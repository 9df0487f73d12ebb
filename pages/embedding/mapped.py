"""A fitted map with what was computed for it: drawn, inspected, taken away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from tripletscope.core.inference.held_out.inspection import answers_at_odds, nearest_objects
from tripletscope.dashboard.archive.recipe import map_on_paper, reproduction
from tripletscope.dashboard.figures.map_2d import shape_of
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.files import export
from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.print.render import FORMATS, NEED_BROWSER
from tripletscope.dashboard.results.colouring import of_table
from tripletscope.dashboard.results.maps import DrawnMap, apart_said, coordinates
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.chart import Gestures
from tripletscope.dashboard.ui.composer import composition_of
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.dataset_words import answer_table
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.ui.looks import SMALL, MovedLabels, Result, inspected, pick_look
from tripletscope.dashboard.ui.page import open_page
from tripletscope.dashboard.ui.pictures import picture_addresses, with_pictures
from tripletscope.dashboard.words.formats import count

_MAP = Canvas(900.0, 620.0)
_SHARP = 100  # pictures of which larger files are drawn
_MOST_AT_ODDS = 200
_REMEMBERED = 10_000  # objects; the drawings of more would fill the memory


def show_map(current: Session, result: Result, said: Sequence[str]) -> None:
    """The map with its controls, and what can be downloaded of it, below what is said first."""
    look = pick_look(current, result)
    panels.verdict(current, said)
    objects, shown = result.triplets.objects, result.shown
    if look.picture_size > 1 and len(objects) <= _SHARP:
        shown = replace(shown, addresses=picture_addresses(result.info, objects, 2 * SMALL))
    drawn = DrawnMap(replace(
        shown, looks={result.fit.key: look},
        selected=tuple(current.selected_positions(result.triplets)),
    ), result.fit)
    moved = MovedLabels(current, result)

    def everything() -> bytes:
        composition = composition_of(current, "map")
        return _everything(result, drawn, composition, ratio(composition), name)

    def bundle() -> None:
        if drawn.is_plane and look.moved:
            st.button(
                "Put labels back", key="labels.back", icon=":material/undo:",
                on_click=moved.put_back, help="Moves dragged labels to where there is room.",
            )
        st.download_button(
            "Download everything", everything, f"{name}.zip", "application/zip",
            key="everything", icon=":material/folder_zip:", on_click="ignore",
            help="The figure in every format, coordinates with ellipses, table of objects and "
            "settings, in a ZIP.",
        )

    def ratio(composition: Composition) -> float:
        usual = _MAP.height / _MAP.width
        if not drawn.is_plane:
            return usual
        return shape_of(drawn.seen, drawn.style, composition.canvas(usual))

    name = export.file_name(result.info.name, result.fit.method, "map")
    alt = f"Map of {count(result.triplets.n_objects, 'object')}. {drawn.caption}"
    panels.figure_panel(
        current, replace(drawn.drawing, alt=alt), key="map", name=name, canvas=_MAP, ratio=ratio,
        further=bundle, fills="whole", gestures=Gestures(
            picture_addresses(result.info, objects, 320), current.select_positions,
            on_label=moved.put if drawn.is_plane else None,
        ),
        of=(drawn.seen, drawn.style, drawn.caption, result.fit.key)
        if len(objects) <= _REMEMBERED else None,
    )
    if not of_table(objects):
        _offer_metadata(current)


def _offer_metadata(current: Session) -> None:
    if pressed(
        current, "map.table", "Add stimulus metadata", type="tertiary",
        icon=":material/table_view:",
        help="A table with one row per object; its columns can colour the map.",
    ):
        open_page("data", "additions")


def _everything(
    result: Result, drawn: DrawnMap, composition: Composition, ratio: float, name: str
) -> bytes:
    objects, info = result.triplets.objects, result.info
    drawing = replace(drawn.drawing, ratio=ratio, note=info.left_out)
    files = {
        f"{name}-coordinates.csv": export.csv(coordinates(objects, *result.placed)),
        f"{name}-objects.csv": export.csv(inspected(result, 0.95)),
        **reproduction(
            info, services().workspace.cleaning(info), list(result.runs.values()),
            drawn=map_on_paper(drawn, composition, ratio, info.left_out),
            looks=drawn.shown.looks,
        ),
    }
    possible = can_render()
    for form in FORMATS:
        if possible or form not in NEED_BROWSER:
            files[f"{name}.{form}"] = drawing.file(form, composition)
    return export.bundle(files)


def show_objects(current: Session, result: Result) -> None:
    """The selected objects, or all, and the answers at odds with the map."""
    chosen = current.selected_positions(result.triplets)
    coverage = current.drafts.get("map.coverage") or 0.95
    table = inspected(result, coverage)
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
