"""The dialog that composes a figure for print, with preview and downloads."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.print import browser
from tripletscope.dashboard.print.composition import (
    LEGENDS,
    PIXELS_PER_MM,
    PRESETS,
    Composition,
    Possible,
    composed,
    possible,
)
from tripletscope.dashboard.print.render import (
    FORMATS,
    NEED_BROWSER,
    as_form,
    render,
    size_of,
    svg_of,
    titled,
)
from tripletscope.dashboard.print.sheet import LETTERS, Panel, sheet
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.streamlit_parts import DeltaGenerator
from tripletscope.dashboard.ui.chart import browser_download
from tripletscope.dashboard.ui.controls import button, number, pick, switch, tabs
from tripletscope.dashboard.words.formats import count

_COMMON = "composer"  # what is asked for one figure is proposed for the next
_MOST = 12  # panels of a sheet
_RESOLUTIONS = {150: "150", 300: "300", 600: "600"}


@dataclass(frozen=True)
class Printable:
    """A figure of a page that can be printed.

    ratio: Height divided by width, or a function of the composition.
    note: Ends its caption.
    further: Draws further download buttons for a composition.
    """

    key: str
    name: str
    draw: Callable[[Canvas], go.Figure]
    ratio: float | Callable[[Composition], float]
    caption: str
    note: str
    further: Callable[[Composition], None]

    def shape(self, composition: Composition) -> float:
        return self.ratio(composition) if callable(self.ratio) else self.ratio

    def figure(self, composition: Composition) -> go.Figure:
        return composed(self.draw, composition, self.shape(composition), self.note)

    def file(self, form: str, composition: Composition) -> bytes:
        ratio = self.shape(composition)
        return render(self.draw, form, composition, ratio=ratio, note=self.note)


def composition_of(session: Session, key: str = "") -> Composition:
    """The last settings, common ones and those of the figure with this key."""
    return Composition.from_dict(
        session.drafts.get(_COMMON, {}) | session.drafts.get(f"{_COMMON}.{key}", {})
    )


def compose_button(session: Session, printable: Printable) -> None:
    st.button(
        "Download figure", icon=":material/download:", key=f"{printable.key}.menu",
        on_click=_open, args=(session, printable.key),
    )
    # The page may run anew meanwhile, when a result comes in.
    if session.is_composing(printable.key):
        st.dialog("Figure", width="large", on_dismiss=partial(_open, session, None))(_compose)(
            session, printable
        )


def _open(session: Session, key: str | None) -> None:
    session.composing = key
    if key is not None:
        browser.get_ready()


def _compose(session: Session, printable: Printable) -> None:
    panels = session.sheet
    views = {"figure": "This figure", "sheet": f"Sheet of {count(len(panels), 'panel')}"}
    view = tabs(session, f"{_COMMON}.view", "View", views) if panels else "figure"
    if view == "sheet":
        _show_sheet(session, panels, printable.name)
    else:
        _show_figure(session, panels, printable)


# A figure ------------------------------------------------------------------------------------


def _show_figure(session: Session, panels: list[Panel], printable: Printable) -> None:
    left, right = st.columns([5, 3], gap="large")
    with left:
        running = session.jobs()
        if running:
            st.warning(
                f"{running[0].title} is not done: the figure shows what has been computed so far.",
                icon=":material/hourglass_top:",
            )
        places = _places(printable.key, FORMATS) if browser.can_render() else {}
    with right:
        there = possible(printable.draw(Composition().canvas(printable.shape(Composition()))))
        composition = _settings_form(session, printable, there)
    with left:
        if not places:
            _without_browser(printable, composition)
            return
        try:
            with st.spinner("Drawing"):
                svg = titled(svg_of(printable.figure(composition)), composition)
        except browser.ExportError as error:
            for place in places.values():
                place.empty()
            st.error(str(error))
            _what_needs_no_browser(printable, composition)
            return
        for form, place in places.items():
            # What is downloaded is what is seen.
            drawn = partial(as_form, svg, form, composition.dpi)
            place.download_button(
                form.upper(),
                drawn if form in NEED_BROWSER else partial(printable.file, form, composition),
                f"{printable.name}.{form}", FORMATS[form], key=f"{printable.key}.{form}",
                on_click="ignore", width="stretch",
            )
        _preview(svg, f"Preview of {printable.name}", session)
        if printable.caption:
            st.caption("The caption, for your text:")
            st.code(printable.caption, language=None, wrap_lines=True)
        with st.container(horizontal=True, vertical_alignment="center"):
            printable.further(composition)
            button(
                "Add to a sheet", key=f"{printable.key}.add", icon=":material/dashboard:",
                why=f"A sheet has {_MOST} panels at most." if len(panels) >= _MOST else "",
                on_click=_add,
                args=(panels, Panel(printable.name, svg, composition.font)),
                help="Several figures side by side, with letters.",
            )


def _places(key: str, forms: Iterable[str]) -> dict[str, DeltaGenerator]:
    """Places of the download buttons, each with a disabled one.

    While a figure is drawn, the browser would keep the previous buttons, whose files the server has
    forgotten.
    """
    forms = list(forms)
    places = {
        form: column.empty() for form, column in zip(forms, st.columns(len(forms)), strict=True)
    }
    for form, place in places.items():
        place.button(form.upper(), key=f"{key}.{form}.soon", disabled=True, width="stretch")
    return places


def _without_browser(printable: Printable, composition: Composition) -> None:
    st.caption(
        "The server has no Chrome or Chromium. Your browser draws SVG and PNG instead, without the "
        "title; print the SVG for a PDF."
    )
    browser_download(
        printable.figure(composition), key=f"{printable.key}.browser", name=printable.name,
        dpi=composition.dpi,
    )
    _what_needs_no_browser(printable, composition)


def _what_needs_no_browser(printable: Printable, composition: Composition) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for form in FORMATS:
            if form not in NEED_BROWSER:
                st.download_button(
                    form.upper(), partial(printable.file, form, composition),
                    f"{printable.name}.{form}", FORMATS[form], key=f"{printable.key}.{form}",
                    on_click="ignore",
                )
        printable.further(composition)


def _settings_form(session: Session, printable: Printable, there: Possible) -> Composition:
    last = composition_of(session, printable.key)
    st.segmented_control(
        "Made for", list(PRESETS), key=f"{_COMMON}.preset", default=None,
        on_change=_apply_preset, args=(session,),
    )
    columns = st.columns(3)
    with columns[0]:
        width = number(
            session, f"{_COMMON}.width", "Width (mm)", 30.0, 1200.0, last.width, step=5.0
        )
    with columns[1]:
        height = number(
            session, f"{_COMMON}.height", "Height (mm)", 20.0, 1200.0, last.height, step=5.0,
            placeholder="own", help="Without title and caption. Empty, the figure keeps its shape.",
        )
    with columns[2]:
        font = number(session, f"{_COMMON}.font", "Font (pt)", 4.0, 72.0, last.font, step=0.5)
    specific = {"title": st.text_input(
        "Title", last.title, max_chars=200, key=f"{_COMMON}.title.{printable.key}",
    ).strip()}
    caption = switch(
        session, f"{_COMMON}.caption", "Caption in the figure", last.caption,
        help="Journals set captions themselves; you find it below and in the ZIP. In the figure, "
        "it takes room from the drawing.",
    )
    common = {
        "width": width or last.width, "height": height, "font": font or last.font,
        "caption": caption,
    }
    with st.expander("Legend, points and lines", key="compose.details"):
        common |= _details(session, last, there)
        if there.legend:
            specific["legend_title"] = st.text_input(
                "Legend title", last.legend_title, max_chars=80,
                key=f"{_COMMON}.legend_title.{printable.key}", placeholder="as on the page",
            ).strip()
    session.drafts[_COMMON] = session.drafts.get(_COMMON, {}) | common
    session.drafts[f"{_COMMON}.{printable.key}"] = specific
    return composition_of(session, printable.key)


def _details(session: Session, last: Composition, there: Possible) -> dict[str, object]:
    settings: dict[str, object] = {}
    if there.legend:
        titles = {place: title for place, (title, _) in LEGENDS.items()}
        settings["legend"] = pick(
            session, f"{_COMMON}.legend", "Legend", titles, default=last.legend
        )
    if there.shapes:
        settings["shapes"] = switch(
            session, f"{_COMMON}.shapes", "Categories by shape, too", last.shapes
        )
    if there.labels:
        settings["labels"] = switch(session, f"{_COMMON}.labels", "Names at points", last.labels)
    for part in ("points", "lines"):
        if getattr(there, part):
            settings[part] = number(
                session, f"{_COMMON}.{part}", f"Size of {part}" if part == "points" else
                "Width of lines", 0.2, 5.0, getattr(last, part), step=0.1,
            ) or 1.0
    settings["dpi"] = pick(
        session, f"{_COMMON}.dpi", "PNG resolution (dpi)", _RESOLUTIONS, default=last.dpi
    )
    return settings


def _apply_preset(session: Session) -> None:
    preset = PRESETS.get(widgets().get(f"{_COMMON}.preset"))
    for name, value in (preset or {}).items():
        widgets()[f"{_COMMON}.{name}"] = session.remember(f"{_COMMON}.{name}", value)


def _preview(svg: str, alt: str, session: Session) -> None:
    """A drawing at its size on paper."""
    width, height = (pixels / PIXELS_PER_MM for pixels in size_of(svg))
    grey = switch(
        session, f"{_COMMON}.grey", "See it in grey", False,
        help="Shows the figure as printed without colours. Files keep their colours.",
    )
    content = base64.b64encode(as_form(svg, "svg", 0)).decode()
    style = f"width:{width:g}mm;max-width:none;border:1px solid var(--st-border-color, #ccc)"
    if grey:
        style += ";filter:grayscale(1)"
    st.html(
        f'<div style="overflow:auto;max-height:70vh"><img alt="{html.escape(alt)}" '
        f'style="{style}" src="data:image/svg+xml;base64,{content}"></div>'
    )
    st.caption(f"{width:.0f} × {height:.0f} mm, shown as large as on paper.")


# A sheet -------------------------------------------------------------------------------------


def _show_sheet(session: Session, panels: list[Panel], name: str) -> None:
    left, right = st.columns([5, 3], gap="large")
    with right:
        width = number(
            session, f"{_COMMON}.sheet.width", "Width (mm)", 30.0, 1200.0, 180.0, step=5.0,
            help="Panels stand side by side where there is room.",
        )
        style = pick(
            session, f"{_COMMON}.sheet.letters", "Letters", {s: s for s in LETTERS}, default="A"
        )
        for place, panel in enumerate(panels):
            words, up, off = st.columns([6, 1, 1], vertical_alignment="center")
            words.markdown(f"{place + 1}. `{panel.name}`")
            if place:
                up.button(
                    "", icon=":material/arrow_upward:", key=f"{_COMMON}.up.{place}",
                    help="Earlier", on_click=_earlier, args=(panels, panel), type="tertiary",
                )
            off.button(
                "", icon=":material/close:", key=f"{_COMMON}.off.{place}", help="Take off",
                on_click=_take_off, args=(panels, panel), type="tertiary",
            )
    with left:
        places = _places(f"{_COMMON}.sheet", NEED_BROWSER)
        svg = sheet(panels, width or 180.0, style)
        for form, place in places.items():
            place.download_button(
                form.upper(), partial(as_form, svg, form, composition_of(session).dpi),
                f"{name}-sheet.{form}", FORMATS[form], key=f"{_COMMON}.sheet.{form}",
                on_click="ignore", width="stretch",
            )
        _preview(svg, f"Sheet of {count(len(panels), 'panel')}", session)


def _add(panels: list[Panel], panel: Panel) -> None:
    if len(panels) < _MOST:  # another tab may have filled the sheet
        panels.append(panel)


def _earlier(panels: list[Panel], panel: Panel) -> None:
    if panel in panels:  # a second click may come when it has gone
        place = panels.index(panel)
        panels.insert(max(place - 1, 0), panels.pop(place))


def _take_off(panels: list[Panel], panel: Panel) -> None:
    if panel in panels:
        panels.remove(panel)
