"""A report as one web page that loads nothing."""

from __future__ import annotations

import html
from pathlib import Path

from plotly.offline import get_plotlyjs

from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.typeface import face_for
from tripletscope.dashboard.report.document import (
    Block,
    Document,
    Listed,
    Paragraph,
    Section,
    TextTable,
)
from tripletscope.dashboard.report.parts.parts import chapters
from tripletscope.dashboard.report.pictures import on_screen, picture
from tripletscope.dashboard.report.references import in_full, library, ordered
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.words import words

_STYLE = (Path(__file__).parent / "report.css").read_text("utf-8")
#: Draws a figure when it is opened, and again when its place gets another width.
_SCRIPT = """
document.querySelectorAll("details.explore").forEach(place => {
  const draw = () => {
    const box = place.querySelector("div");
    if (!place.open || box.dataset.drawn) return;
    box.dataset.drawn = "1";
    const figure = JSON.parse(place.querySelector("script").textContent);
    Plotly.newPlot(box, figure.data, figure.layout, {responsive: true, displaylogo: false});
  };
  place.addEventListener("toggle", draw);
  draw();
});
"""
#: Nothing is loaded from anywhere, and nothing runs but what is in the page.
_POLICY = (
    "default-src 'none'; img-src data: blob:; font-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_WITH_SCRIPTS = f"{_POLICY}; script-src 'unsafe-inline'"


def page(document: Document, *, interactive: bool = True) -> str:
    """The report.

    interactive: Whether figures can be explored, which takes 5 MB; always so without a browser here
        that draws pictures.
    """
    drawn = can_render()
    interactive = interactive or not drawn
    body = []
    for title, sections in chapters(document):
        body.append(f"<h2>{escaped(title)}</h2>")
        body += [
            _section(document, section, drawn, interactive, titled=len(sections) > 1)
            for section in sections
        ]
    if document.references:
        body += [f'<h2>{escaped(words("references"))}</h2>', references(document)]
    has_figures = interactive and document.figures
    scripts = f"<script>{get_plotlyjs()}</script><script>{_SCRIPT}</script>" if has_figures else ""
    policy = _WITH_SCRIPTS if has_figures else _POLICY
    content = "\n".join(body)
    title = document.plain(document.title)
    face = face_for(content + title + document.authors + document.made)
    authors = f'<p class="authors">{escaped(document.authors)}</p>' if document.authors else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>{face}\n{_STYLE}</style>\n"
        f"</head><body>\n<header><h1>{escaped(title)}</h1>{authors}"
        f'<p class="made">{escaped(document.made)}</p></header>\n'
        f"<main>\n{content}\n</main>\n{scripts}</body></html>\n"
    )


def _section(
    document: Document, section: Section, drawn: bool, interactive: bool, titled: bool
) -> str:
    name = escaped(f"part-{section.name}")
    blocks = "\n".join(_block(document, block, drawn, interactive) for block in section.blocks)
    title = escaped(section.title)
    if not titled:
        return f'<section id="{name}" aria-label="{title}">\n{blocks}</section>'
    return f'<section aria-labelledby="{name}"><h3 id="{name}">{title}</h3>\n{blocks}</section>'


def _block(document: Document, block: Block, drawn: bool, interactive: bool) -> str:
    if isinstance(block, Drawing):
        return _figure(document, block, drawn, interactive)
    return text_block(document, block)


def text_block(document: Document, block: Paragraph | Listed | TextTable) -> str:
    """Any block but a figure."""
    if isinstance(block, Paragraph):
        return f"<p>{_marked(document, block.text)}</p>"
    if isinstance(block, Listed):
        return _listed(document, block)
    return _table(document, block)


def references(document: Document) -> str:
    entries = "".join(
        f'<li id="ref-{one["id"]}">{_reference(one["id"])}</li>'
        for one in ordered(document.references)
    )
    return f'<ul class="references">{entries}</ul>'


def caption(document: Document, drawing: Drawing) -> str:
    return (
        f"<strong>{escaped(words('figure'))} {document.figures[drawing.name]}.</strong> "
        f"{_marked(document, drawing.caption)}"
    )


def _listed(document: Document, block: Listed) -> str:
    if block.ticked is None:
        items = "".join(f"<li>{_marked(document, item)}</li>" for item in block.items)
        return f"<ul>{items}</ul>"
    items = []
    for item, ticked in zip(block.items, block.ticked, strict=True):
        text = escaped(words("ticked" if ticked else "not ticked"))
        box = "☑" if ticked else "☐"
        items.append(f'<li><span role="img" aria-label="{text}" title="{text}">{box}</span> '
                     f"{_marked(document, item)}</li>")
    return f'<ul class="ticks">{"".join(items)}</ul>'


def _table(document: Document, table: TextTable) -> str:
    number = document.tables[table.name]
    sides = [' class="number"' * is_number for is_number in table.numbers]
    head = "".join(
        f'<th scope="col"{side}>{_marked(document, name)}</th>'
        for name, side in zip(table.columns, sides, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row">{_marked(document, row[0])}</th>' + "".join(
            f"<td{side}>{_marked(document, cell)}</td>"
            for cell, side in zip(row[1:], sides[1:], strict=True)
        ) + "</tr>"
        for row in table.shown
    )
    note = (f'<p class="note"><em>{escaped(words("note"))}</em> '
            f"{_marked(document, table.note)}</p>") if table.note else ""
    label = escaped(f"{words('table')} {number}. {document.plain(table.caption)}")
    return (
        f'<div class="table" id="tab-{escaped(table.name)}" tabindex="0" role="region" '
        f'aria-label="{label}"><table><caption><strong>'
        f"{escaped(words('table'))} {number}</strong><br><em>"
        f"{_marked(document, table.caption)}</em></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{note}</div>"
    )


def _figure(document: Document, drawing: Drawing, drawn: bool, interactive: bool) -> str:
    alt, name = escaped(drawing.alt), escaped(drawing.name)
    shown = ""
    if drawn:
        svg = picture(drawing, "svg", document.width).decode()
        shown = f'<div role="img" aria-label="{alt}">{svg}</div>'
    if interactive:
        content = on_screen(drawing).to_json().replace("</", "<\\/")
        is_open = "" if drawn else " open"
        shown += (
            f'<details class="explore"{is_open}><summary>{escaped(words("interactive"))}'
            f'</summary><div role="group" aria-label="{alt}"></div>'
            f'<script type="application/json">{content}</script></details>'
        )
    return (
        f'<figure id="fig-{name}">{shown}<figcaption>{caption(document, drawing)}</figcaption>'
        "</figure>"
    )


def _marked(document: Document, text: str) -> str:
    parts = []
    for piece, style, target in document.pieces(text):
        content = escaped(piece)
        if style == "strong":
            content = f"<strong>{content}</strong>"
        elif style == "emphasis":
            content = f"<em>{content}</em>"
        elif style == "reference":
            content = f'<a href="#{escaped(target)}">{content}</a>'
        parts.append(content)
    return "".join(parts)


def _reference(name: str) -> str:
    return "".join(
        f"<em>{escaped(text)}</em>" if style == "emphasis" else escaped(text)
        for text, style in in_full(library()[name])
    )


def escaped(text: str) -> str:
    return html.escape(text, quote=True)
