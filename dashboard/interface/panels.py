"""What pages are made of: a figure with its numbers, a wait, an empty state."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from tripletscope.core.computing.progress import Progress
from tripletscope.core.run import Run
from tripletscope.dashboard import export
from tripletscope.dashboard.interface.chart import browser_download, chart
from tripletscope.dashboard.interface.controls import number, pick
from tripletscope.dashboard.interface.theme import SCREEN, Canvas
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.state import Session

_SOON = 1.0  # seconds after which a spinner alone says too little


def figure_panel(
    session: Session,
    draw: Callable[[Canvas], go.Figure],
    *,
    key: str,
    alt: str,
    name: str,
    table: Callable[[], pd.DataFrame],
    canvas: Canvas = SCREEN,
    pictures: Mapping[int, str] | None = None,
    on_pick: Callable[[list[int], str], None] | None = None,
    on_move: Callable[[str, float], None] | None = None,
    window: int | None = None,
    caption: str = "",
    further: Callable[[], None] | None = None,
    simulations: Mapping[str, Run] | None = None,
) -> None:
    """A figure with a menu that downloads it and the numbers behind it.

    Parameters
    ----------
    session : Session
    draw : callable
        Draws the figure for a canvas.
    key, alt : str
    on_move : callable, optional
        See `chart`.
    window : int, optional
        Height in pixels of the part of a tall figure that is seen at a time.
    name : str
        Of the files, without ending.
    table : callable
        Makes the numbers behind the figure.
    caption : str
        Shown below the figure.
    further : callable, optional
        Draws more beside the menu.
    simulations : mapping of str to Run, optional
        What is shown, if it is simulated and has nothing to do with the open data set.
    """
    info = session.dataset if simulations is None else None
    with st.container(height=window if window and canvas.height > window else "content"):
        chart(
            draw(canvas), key=key, alt=alt, height=int(canvas.height), pictures=pictures,
            on_pick=on_pick, on_move=on_move,
        )
    if caption:
        st.caption(plain(caption))
    with st.container(horizontal=True):
        with st.popover("Download figure", icon=":material/download:", key=f"{key}.menu"):
            size = print_size(
                session, key, ratio=canvas.height / canvas.width, note=info.left_out if info else ""
            )
            figure_buttons(draw, size, key=key, name=name)
            st.download_button(
                "Numbers (CSV)", lambda: export.sheet(table()), f"{name}.csv", "text/csv",
                key=f"{key}.csv", on_click="ignore", icon=":material/table:",
                help="For spreadsheets and programs. A name that a spreadsheet would take for a "
                "formula has an apostrophe in front.",
            )
            st.download_button(
                "Figure, numbers and settings (ZIP)" if info is None else
                "Figure, numbers and data (ZIP)",
                _together(info, simulations or {}, draw, size, table, name),
                f"{name}.zip", "application/zip", key=f"{key}.zip", on_click="ignore",
                icon=":material/folder_zip:",
                help="Includes the figure, its numbers and what was simulated." if info is None else
                "Includes the figure, its numbers, which data they come from, how these were read, "
                "and all exclusions.",
            )
        if further:
            further()


def _together(
    info: DatasetInfo | None, simulations: Mapping[str, Run],
    draw: Callable[[Canvas], go.Figure], size: export.PrintSize,
    table: Callable[[], pd.DataFrame], name: str,
) -> Callable[[], bytes]:
    def make() -> bytes:
        form = "pdf" if export.can_render() else "html"
        files = {
            f"{name}.{form}": export.render(draw, form, size), f"{name}.csv": export.sheet(table())
        }
        if info is not None:
            files[f"{name}-data.json"] = export.settings({}, info.record)
        elif simulations:
            files[f"{name}-settings.json"] = export.settings(simulations, {})
        return export.bundle(files)

    return make


def print_size(
    session: Session, key: str, *, ratio: float, note: str = ""
) -> export.PrintSize:
    """Ask for the size of an exported figure; what was last asked for anywhere is proposed."""
    last = export.PrintSize(**session.drafts.get("print size", {}))
    widths = {85.0: "One column, 85 mm", 180.0: "Full page, 180 mm", 0.0: "Other"}
    width = pick(
        session, f"{key}.width", "Width", widths,
        default=last.width if last.width in widths else 0.0,
    )
    if not width:
        width = number(
            session, f"{key}.mm", "Width (mm)", 30.0, 500.0, last.width, step=5.0
        )
    left, right = st.columns(2)
    with left:
        font = number(session, f"{key}.font", "Font size (pt)", 4.0, 24.0, last.font, step=0.5)
    with right:
        dpis = {150: "150", 300: "300", 600: "600"}
        dpi = pick(session, f"{key}.dpi", "PNG resolution (dpi)", dpis, default=last.dpi)
    chosen = {"width": width or last.width, "font": font or last.font, "dpi": dpi}
    session.drafts["print size"] = chosen
    return export.PrintSize(ratio=ratio, note=note, **chosen)


def figure_buttons(
    draw: Callable[[Canvas], go.Figure], size: export.PrintSize, *, key: str, name: str
) -> None:
    """A button for every format in which the figure can be had."""
    possible = export.can_render()
    if not possible:
        st.caption(
            "No Chrome or Chromium was found on the server. Your browser draws SVG and PNG "
            "instead; a PDF can be printed from the SVG."
        )
        figure = export.sized(draw, size)
        browser_download(figure, key=f"{key}.browser", name=name, dpi=size.dpi)
    forms = [form for form in export.FORMATS if possible or form not in export.NEED_BROWSER]
    for column, form in zip(st.columns(len(forms)), forms, strict=True):
        column.download_button(
            form.upper(), _file(draw, form, size), f"{name}.{form}", export.FORMATS[form],
            key=f"{key}.{form}", on_click="ignore", width="stretch",
        )


def _file(
    draw: Callable[[Canvas], go.Figure], form: str, size: export.PrintSize
) -> Callable[[], bytes]:
    return lambda: export.render(draw, form, size)


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


def empty(title: str, text: str) -> None:
    """Say what would be here, and what to do."""
    with st.container(border=True):
        st.markdown(f"**{plain(title)}**")
        st.write(plain(text))


def ask_to_delete(what: str, warning: str, delete: Callable[[], None]) -> None:
    """Ask in a dialog whether to delete something."""

    @st.dialog(f"Delete {what}?")
    def ask() -> None:
        st.write(plain(warning))
        with st.container(horizontal=True):
            gone = st.button("Delete", type="primary", key="delete for good", on_click=delete)
            kept = st.button("Keep", key="delete not")
        if gone or kept:
            st.rerun()

    ask()


def plain(text: str) -> str:
    """`text` as Streamlit shows it literally, in one line; what Markdown would read is escaped."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>])", r"\\\1", " ".join(text.splitlines()))


def ago(moment: str) -> str:
    """How long ago an ISO 8601 moment was, in words; one that is none is as well known."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (ValueError, TypeError):
        return "at an unknown time"
    if seconds < -60:
        return "at a time that is yet to come by this computer's clock"
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        n = int(seconds // length)
        if n >= 1:
            return f"{n} {unit}{'s' if n > 1 else ''} ago"
    return "just now"
