"""What pages are made of: a figure with its numbers, a wait, an empty state."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import joblib
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.run import Run
from tripletscope.dashboard.archive.recipe import reproduction_of_none
from tripletscope.dashboard.figures.theme import SCREEN, Canvas, remark
from tripletscope.dashboard.files import export
from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.state import Session, session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui.chart import NO_GESTURES, Gestures, chart
from tripletscope.dashboard.ui.composer import Printable, compose_button
from tripletscope.dashboard.ui.guide import help_with
from tripletscope.dashboard.words import uncited
from tripletscope.dashboard.words.formats import plain

_SOON = 1.0  # seconds after which a spinner alone says too little


def figure_panel(
    session: Session,
    drawing: Drawing,
    *,
    key: str,
    name: str,
    canvas: Canvas = SCREEN,
    gestures: Gestures = NO_GESTURES,
    window: int | None = None,
    fills: str = "",
    further: Callable[[], None] | None = None,
    simulations: Mapping[str, Run] | None = None,
    files: Callable[[], Mapping[str, bytes]] | None = None,
    of: Any = None,
    of_view: bool = True,
    ratio: Callable[[Composition], float] | None = None,
) -> None:
    """A figure with a menu that downloads it and the numbers behind it.

    name: Of its files.
    window: Height in pixels of the visible part of a tall figure.
    fills: See `chart`; of the main picture of a page.
    further: Draws more beside the menu.
    simulations: Runs behind a figure that is unrelated to the open data set.
    files: Makes further files for the ZIP, by name.
    of: All that the figure depends on; a figure of the same content is cached.
    of_view: Whether the caption states that it is of the view in use.
    ratio: Height of a file divided by its width, where that is not as on the page.
    """
    info = session.dataset if simulations is None else None
    shown = canvas
    own = canvas.height if fills == "part" else None
    if fills and (size := session.frame(key, own)):
        shown = replace(canvas, width=size[0], height=size[1], is_measured=True)
    session.has_picture |= bool(fills)
    if of is None:
        figure, remarked = _drawn(drawing.draw, shown)
    else:
        figure, remarked = _drawn_once(joblib.hash((key, of, shown)), drawing.draw, shown)
    is_cut = window and canvas.height > window and not fills
    with st.container(height=window if is_cut else "content"):
        chart(
            figure, key=key, alt=drawing.alt, height=int(canvas.height), gestures=gestures,
            fills=fills, on_size=partial(session.note_frame, key),
            drawn_for=(shown.width, shown.height),
        )
    left_out = info.left_out if info and of_view else ""
    caption = f"{drawing.caption} {left_out}".strip()
    if beneath := f"{caption} {remarked}".strip():
        st.caption(plain(beneath))
    printable = Printable(
        key, name, drawing.draw, ratio or canvas.height / canvas.width, caption, left_out,
        further=lambda composition: _numbers(
            info, simulations or {}, printable, drawing.table, composition, files
        ),
    )
    with st.container(horizontal=True):
        compose_button(session, printable)
        if further:
            further()


def _drawn(draw: Callable[[Canvas], go.Figure], canvas: Canvas) -> tuple[str, str]:
    figure = draw(canvas)
    return figure.to_json(), remark(figure)


@st.cache_data(max_entries=32, show_spinner=False)
def _drawn_once(
    content: str, _draw: Callable[[Canvas], go.Figure], _canvas: Canvas
) -> tuple[str, str]:
    return _drawn(_draw, _canvas)


def _numbers(
    info: DatasetInfo | None, simulations: Mapping[str, Run], printable: Printable,
    table: Callable[[], pd.DataFrame], composition: Composition,
    further: Callable[[], Mapping[str, bytes]] | None,
) -> None:
    st.download_button(
        "Numbers (CSV)", lambda: export.csv(table()), f"{printable.name}.csv", "text/csv",
        key=f"{printable.key}.csv", on_click="ignore", icon=":material/table:",
        help="For spreadsheets and programs. An apostrophe precedes names that a spreadsheet would "
        "read as formulas.",
    )
    content = "its numbers, settings, and a script that computes it again" if info is None else (
        "its numbers, which data they come from, how these were read, and all exclusions"
    ) + (", and a script that computes it again" if further else "")
    st.download_button(
        f"Figure, numbers and {'settings' if info is None else 'data'} (ZIP)",
        partial(_together, info, simulations, printable, table, composition, further),
        f"{printable.name}.zip", "application/zip", key=f"{printable.key}.zip",
        on_click="ignore", icon=":material/folder_zip:",
        help=f"Includes the figure, its caption and how it was composed, {content}.",
    )


def _together(
    info: DatasetInfo | None, simulations: Mapping[str, Run], printable: Printable,
    table: Callable[[], pd.DataFrame], composition: Composition,
    further: Callable[[], Mapping[str, bytes]] | None,
) -> bytes:
    name, form = printable.name, "pdf" if can_render() else "html"
    files = {
        f"{name}.{form}": printable.file(form, composition),
        f"{name}.csv": export.csv(table()),
        f"{name}-caption.txt": f"{printable.caption}\n".encode(),
        f"{name}-figure.json": json.dumps(composition.to_dict(), indent=2).encode(),
    }
    if info is not None:
        files[f"{name}-data.json"] = export.settings({}, info.record)
    elif simulations:
        files[f"{name}-settings.json"] = export.settings(simulations, {})
        files |= reproduction_of_none([*simulations.values()], name)
    return export.bundle({**files, **(further() if further else {})})


@contextmanager
def reporting(words: str) -> Iterator[Progress]:
    """A progress for what the page itself waits for: a spinner, and soon a bar."""
    begun, bar = time.monotonic(), st.empty()

    def report(fraction: float, **details: Any) -> bool:
        if time.monotonic() - begun > _SOON:
            bar.progress(min(fraction, 1.0), f"{words}, {fraction:.0%}")
        return False

    try:
        with st.spinner(words):
            yield report
    finally:
        bar.empty()


def folded(title: str, key: str, **further: Any) -> Any | None:
    """The box under a title, or None while it is folded: what nobody sees is not drawn.

    key: The box has this one with ".fold"; a box whose title changes is folded again.
    further: Further arguments of `st.expander`.
    """
    box = st.expander(title, key=f"{key}.fold", on_change="rerun", **further)
    return box if box.open else None


def empty(title: str, text: str) -> None:
    """Say what would be here, and what to do; where no picture is seen, settings are."""
    now = session()
    if now.has_drawer and not (now.has_picture or now.is_drawer_open):
        st.html("<style>:root { --settings: block; --drawer: none }</style>")
    with st.container(border=True):
        st.markdown(f"**{plain(title)}**")
        st.write(plain(text))


def marked(text: str) -> str:
    """A paper's sentence as Markdown, with its italics, without citations; with what helps."""
    escaped = plain(uncited(text))
    return re.sub(r"\\\*(.+?)\\\*", r"*\1*", escaped) + help_with(text)


def sentences(said: Sequence[str], *, bold: bool = True) -> None:
    """A result's sentences; the first one in bold up to its numbers."""
    for place, text in enumerate(said):
        verdict, colon, numbers = text.partition(": ")
        if place == 0 and bold:
            numbers = marked(f": {numbers}") if colon else ""
            st.markdown(f"**{marked(verdict)}**{numbers}{help_with(text)}")
        else:
            st.markdown(f"- {marked(text)}" if len(said) > 2 else marked(text))


def verdict(session: Session, said: Sequence[str]) -> None:
    """The sentence above a picture and the settings beside it."""
    with session.head or nullcontext():
        sentences(said[:1])


def explained(said: Sequence[str], advice: Sequence[str], key: str) -> None:
    """What is to be read of a result beside the sentence above its picture, folded away."""
    if not said and not advice:
        return
    with st.expander("Explanation", key=f"{key}.explained"):
        sentences(said, bold=False)
        for text in advice:
            st.caption(marked(text))


def ask_to_delete(what: str, warning: str, delete: Callable[[], None]) -> None:
    @st.dialog(f"Delete {what}?")
    def ask() -> None:
        st.write(plain(warning))
        with st.container(horizontal=True):
            gone = st.button("Delete", type="primary", key="delete for good", on_click=delete)
            kept = st.button("Keep", key="delete not")
        if gone or kept:
            st.rerun()

    ask()


def ago(moment: str) -> str:
    """How long ago an ISO 8601 moment was, in words."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (ValueError, TypeError):
        return "at an unknown time"
    if seconds < -60:
        return "in the future, by this computer's clock"
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        n = int(seconds // length)
        if n >= 1:
            return f"{n} {unit}{'s' if n > 1 else ''} ago"
    return "just now"
