"""The page: a report, its settings beside it, and its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.dashboard.files import export
from tripletscope.dashboard.print.browser import ExportError, can_render
from tripletscope.dashboard.report import html
from tripletscope.dashboard.report.document import WIDTHS, Document, Section
from tripletscope.dashboard.report.docx import word
from tripletscope.dashboard.report.gathering import PAGE, chosen, offered, sections_of
from tripletscope.dashboard.report.html import page
from tripletscope.dashboard.report.latex import latex
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.report.pdf import pdf
from tripletscope.dashboard.report.references import bibtex, csl_json
from tripletscope.dashboard.report.report import ReportSettings, document
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.chart import chart
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.words import words

#: Where a session notes why there is no file.
_FAILED = f"{PAGE}.failed"
_WIDTH = 720.0  # of the text, in pixels


def _references(draft: Document) -> bytes:
    return export.bundle({
        "references.bib": bibtex(draft.references).encode(),
        "references.json": csl_json(draft.references).encode(),
    })


#: Files: title, ending, media type, whether a browser on the server draws them, and how.
_FILES: dict[str, tuple[str, str, str, bool, Callable[[Document], bytes]]] = {
    "html": ("Web page", "html", "text/html", False, lambda draft: page(draft).encode()),
    "pdf": ("PDF", "pdf", "application/pdf", True, pdf),
    "docx": (
        "Word", "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", True, word,
    ),
    "latex": ("LaTeX", "zip", "application/zip", True, lambda draft: export.bundle(latex(draft))),
    "references": ("References", "zip", "application/zip", False, _references),
}


@tab(PAGE, "Report", 1, slot=None)
def show_report(context: Context) -> None:
    """The report, and what can be set."""
    report = ReportSettings.from_dict(context.info.extra.get(PAGE, {}))
    titles, usual = offered(context)
    picture, side = st.columns([3, 1], gap="large")
    with side:
        files = st.container()
        set_to = _results(context, _head(context, report), titles, usual)
    sections = sections_of(context, chosen(set_to, titles, usual))
    with side:
        set_to = _parts(context, set_to, sections)
    draft = document(set_to, sections, context.info.name)
    with files:
        _files(context, draft)
    if set_to != report:
        services().workspace.note(context.info.id, PAGE, set_to.to_dict())
        st.rerun()
    with picture:
        if not titles and not context.session.jobs():
            panels.empty(
                "There are no results to report yet",
                "So far the report covers only the answers. Compute a map, clusters or a scale to "
                "add them.",
            )
        show(draft)


def _key(context: Context, name: str, value: object) -> str:
    """Key of a widget whose value is kept with the data set."""
    return context.session.key_following(f"{PAGE}.{name}@{context.info.id}", value)


def _head(context: Context, report: ReportSettings) -> ReportSettings:
    title = st.text_input(
        "Title", report.title, key=_key(context, "title", report.title),
        placeholder=f"{context.info.name}: similarity judgements",
    )
    authors = st.text_input("Authors", report.authors, key=_key(context, "authors", report.authors))
    width = st.selectbox(
        "Figure width", WIDTHS, WIDTHS.index(report.width), lambda wide: f"{wide:g} mm",
        _key(context, "width", report.width),
        help="Of figures in files: as wide as the text, or as one column of a journal.",
    )
    return replace(report, title=title.strip(), authors=authors.strip(), width=width)


def _results(
    context: Context, report: ReportSettings, titles: dict[str, str], usual: list[str]
) -> ReportSettings:
    """Choose the results, each by itself: others that come meanwhile take no choice back."""
    if not titles:
        return report
    now = chosen(report, titles, usual)
    with st.expander("Results", key=f"{PAGE}.results@{context.info.id}"):
        st.caption("Usually the open map with its uncertainty, and the newest of all others.")
        for key, title in titles.items():
            before = key in now
            if st.checkbox(
                panels.plain(title), before, key=_key(context, f"result.{key}", before)
            ) != before:
                report = report.with_result(key, not before, key in usual)
    return report


def _parts(
    context: Context, report: ReportSettings, sections: Mapping[str, Section]
) -> ReportSettings:
    """Choose the parts, each by itself: others that come meanwhile take no choice back."""
    with st.expander("Parts", key=f"{PAGE}.parts@{context.info.id}"):
        for name, section in sections.items():
            before = name not in report.left_out
            if st.checkbox(
                section.title, before, key=_key(context, f"shown.{name}", before)
            ) != before:
                report = report.with_part(name, not before)
    return report


def _files(context: Context, draft: Document) -> None:
    can_draw = can_render()
    forms = [name for name, (*_, is_drawn, _) in _FILES.items() if can_draw or not is_drawn]
    form = st.selectbox("File", forms, format_func=lambda name: _FILES[name][0], key=f"{PAGE}.form")
    title, ending, media, *_ = _FILES[form]
    notes = context.session.drafts
    name = export.file_name(context.info.name, "report")
    st.download_button(
        f"Download: {title}", partial(_file, form, draft, notes), f"{name}.{ending}",
        media, key=f"{PAGE}.download", icon=":material/download:", type="primary",
        width="stretch", on_click="ignore",
    )
    if _FAILED in notes:
        st.error(notes.pop(_FAILED))
    if not can_draw:
        st.caption("PDF, Word and LaTeX need a Chrome or Chromium on the server for figures. Your "
                   "own browser can print the web page.")


def _file(form: str, draft: Document, notes: dict[str, Any]) -> bytes:
    """A file, made when somebody wants it.

    Nobody sees more of an error here than that there is no file: the page says why when it is
    shown next.
    """
    try:
        return _FILES[form][-1](draft)
    except ExportError as error:
        notes[_FAILED] = str(error)
        raise


def show(document: Document) -> None:
    """The report, chapter by chapter."""
    with st.container(key="report", width=int(_WIDTH)):
        _html(f"<h2>{html.escaped(document.plain(document.title))}</h2>")
        if document.authors:
            st.markdown(plain(document.authors))
        chapter = ""
        for section in document.sections:
            opened = PARTS[section.name].chapter
            if opened != chapter:
                st.html(f"<h3>{words(opened)}</h3>")
                chapter = opened
            _section(document, section)
        if document.references:
            st.html(f"<h3>{words('references')}</h3>"
                    f'<div class="ts-report">{html.references(document)}</div>')


def _html(content: str) -> None:
    st.html(f'<div class="ts-report">{content}</div>')


def _section(document: Document, section: Section) -> None:
    text = f"<h4>{html.escaped(section.title)}</h4>"
    for block in section.blocks:
        if not isinstance(block, Drawing):
            text += html.text_block(document, block)
            continue
        if text:
            _html(text)
            text = ""
        chart(
            block.on_page, key=f"report.{block.name}", alt=block.alt,
            height=int(_WIDTH * block.ratio),
        )
        name = html.escaped(f"fig-{block.name}")
        st.html(f'<div class="ts-report" id="{name}">{html.caption(document, block)}</div>')
    if text:
        _html(text)
