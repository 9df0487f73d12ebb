"""A report on the page: the same words and figures as in its files."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.report import html
from tripletscope.dashboard.report.document import Document, Section
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.ui.chart import chart
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.words import words

_WIDTH = 720.0  # of the text, in pixels


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
