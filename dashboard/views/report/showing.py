"""A report on the page: the same words and figures as in its files."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface.chart import chart
from tripletscope.dashboard.interface.panels import plain
from tripletscope.dashboard.report import html
from tripletscope.dashboard.report.document import Block, Document, Section
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.results import Drawing

_WIDTH = 720.0  # of the text, in pixels


def show(document: Document) -> None:
    """The report, chapter by chapter."""
    with st.container(key="report", width=int(_WIDTH)):
        title = html.escaped(document.plain(document.title))
        st.html(f'<div class="ts-report"><h2>{title}</h2></div>')
        if document.authors:
            st.markdown(plain(document.authors))
        chapter = ""
        for section in document.sections:
            opened = PARTS[section.name].chapter
            if opened != chapter:
                st.html(f"<h3>{document.words(opened)}</h3>")
                chapter = opened
            _section(document, section)
        if document.references:
            st.html(f"<h3>{document.words('references')}</h3>"
                    f'<div class="ts-report">{html.references(document)}</div>')


def _section(document: Document, section: Section) -> None:
    texts: list[str] = [f"<h4>{html.escaped(section.title)}</h4>"]
    for block in section.blocks:
        if isinstance(block, Drawing):
            _flush(texts)
            _figure(document, block)
        else:
            texts.append(html.text_block(document, block))
    _flush(texts)


def _flush(texts: list[str]) -> None:
    if texts:
        st.html(f'<div class="ts-report">{"".join(texts)}</div>')
        texts.clear()


def _figure(document: Document, drawing: Block) -> None:
    chart(
        drawing.on_page,
        key=f"report.{document.words.language}.{drawing.name}", alt=drawing.alt,
        height=int(_WIDTH * drawing.ratio),
    )
    name = html.escaped(f"fig-{drawing.name}")
    st.html(f'<div class="ts-report" id="{name}">{html.caption(document, drawing)}</div>')
