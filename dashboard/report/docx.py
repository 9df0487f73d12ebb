"""A report for Word, LibreOffice and the like."""

from __future__ import annotations

import io

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor
from docx.table import _Cell
from docx.text.paragraph import Paragraph as WordParagraph

from tripletscope.dashboard.report.document import (
    WIDTH,
    Block,
    Document,
    Listed,
    Paragraph,
    TextTable,
)
from tripletscope.dashboard.report.parts.parts import chapters
from tripletscope.dashboard.report.pictures import picture
from tripletscope.dashboard.report.references import in_full, library, ordered
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.words import words

_LANGUAGE = "en-US"
_TALLEST = 200.0  # millimetres that a figure may take of a page
_LONGEST = 255  # characters of a property of a file


def word(document: Document) -> bytes:
    """The report with the headings, captions and tables of a word processor."""
    made = docx.Document()
    _set_styles(made, document)
    made.add_heading(document.plain(document.title), 0)
    if document.authors:
        made.add_paragraph(document.authors)
    made.add_paragraph(document.made)
    for title, sections in chapters(document):
        made.add_heading(title, 1)
        for section in sections:
            if len(sections) > 1:
                made.add_heading(section.title, 2)
            for block in section.blocks:
                _add(made, document, block)
    if document.references:
        made.add_heading(words("references"), 1)
        for one in ordered(document.references):
            paragraph = made.add_paragraph()
            paragraph.paragraph_format.left_indent = Mm(10)
            paragraph.paragraph_format.first_line_indent = Mm(-10)
            for text, style in in_full(library()[one["id"]]):
                paragraph.add_run(text).italic = style == "emphasis"
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def _set_styles(made: docx.document.Document, document: Document) -> None:
    section = made.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm((210 - WIDTH) / 2)
    section.top_margin = section.bottom_margin = Mm(25)
    normal = made.styles["Normal"]
    normal.font.name, normal.font.size = "Calibri", Pt(11)
    normal.paragraph_format.space_after = Pt(8)
    for name in ("Title", "Heading 1", "Heading 2"):
        made.styles[name].font.color.rgb = RGBColor(0x1D, 0x27, 0x29)
        made.styles[name].font.name = "Calibri"
    made.styles["Caption"].font.color.rgb = RGBColor(0x1D, 0x27, 0x29)
    made.styles["Caption"].font.bold = False
    made.styles["Caption"].font.size = Pt(10)
    properties = made.styles.element.find(f"{qn('w:docDefaults')}//{qn('w:rPr')}")
    said = properties.find(qn("w:lang"))
    if said is None:
        said = OxmlElement("w:lang")
        properties.append(said)
    said.set(qn("w:val"), _LANGUAGE)
    core = made.core_properties
    core.title = document.plain(document.title)[:_LONGEST]
    core.author = document.authors[:_LONGEST]
    core.language, core.comments = _LANGUAGE, document.made[:_LONGEST]


def _add(made: docx.document.Document, document: Document, block: Block) -> None:
    if isinstance(block, Paragraph):
        _fill(made.add_paragraph(), document, block.text)
    elif isinstance(block, Listed):
        for number, item in enumerate(block.items):
            if block.ticked is None:
                _fill(made.add_paragraph(style="List Bullet"), document, item)
            else:
                ticked = block.ticked[number]
                said = "" if ticked else f" ({words('not ticked')})"
                box = "☑" if ticked else "☐"
                _fill(made.add_paragraph(), document, f"{box} {item}{said}")
    elif isinstance(block, TextTable):
        _add_table(made, document, block)
    else:
        _add_figure(made, document, block)


def _fill(paragraph: WordParagraph, document: Document, text: str) -> None:
    for piece, style, _ in document.pieces(text):
        run = paragraph.add_run(piece)
        run.italic, run.bold = style == "emphasis" or None, style == "strong" or None


def _add_figure(made: docx.document.Document, document: Document, drawing: Drawing) -> None:
    paragraph = made.add_paragraph()
    paragraph.paragraph_format.keep_with_next = True
    shape = paragraph.add_run().add_picture(
        io.BytesIO(picture(drawing, "png", document.width)), width=Mm(document.width)
    )
    if shape.height > Mm(_TALLEST):
        shape.width, shape.height = round(shape.width * Mm(_TALLEST) / shape.height), Mm(_TALLEST)
    described = shape._inline.docPr
    described.set("descr", drawing.alt)
    described.set("title", drawing.title)
    caption = made.add_paragraph(style="Caption")
    number = document.figures[drawing.name]
    caption.add_run(f"{words('figure')} {number}. ").bold = True
    _fill(caption, document, drawing.caption)


def _add_table(made: docx.document.Document, document: Document, table: TextTable) -> None:
    caption = made.add_paragraph(style="Caption")
    caption.paragraph_format.keep_with_next = True
    caption.add_run(f"{words('table')} {document.tables[table.name]}").bold = True
    caption.add_run().add_break()
    caption.add_run(table.caption).italic = True
    grid = made.add_table(rows=1 + len(table.rows), cols=len(table.columns))
    grid.autofit = False
    for column, width in zip(grid.columns, _widths(table), strict=True):
        column.width = width
        for cell in column.cells:
            cell.width = width
    for row, cells in zip(grid.rows, (table.columns, *table.shown), strict=True):
        for cell, text, is_number in zip(row.cells, cells, table.numbers, strict=True):
            _fill_cell(cell, document, text, is_number)
    for cell in grid.rows[0].cells:
        _draw_lines(cell, top=12, bottom=6)
    for cell in grid.rows[-1].cells:
        _draw_lines(cell, bottom=12)
    head = grid.rows[0]._tr.get_or_add_trPr()
    repeated = OxmlElement("w:tblHeader")
    repeated.set(qn("w:val"), "true")
    head.append(repeated)
    note = made.add_paragraph(style="Caption")
    if table.note:
        note.add_run(f"{words('note')} ").italic = True
        _fill(note, document, table.note)


def _widths(table: TextTable) -> list[Mm]:
    """By the longest texts, none more than half."""
    longest = [max(map(len, column)) for column in zip(table.columns, *table.rows, strict=True)]
    least, most = 0.08 * sum(longest), 0.5 * sum(longest)
    shares = [min(max(length, least), most) for length in longest]
    return [Mm(WIDTH * share / sum(shares)) for share in shares]


def _fill_cell(cell: _Cell, document: Document, text: str, is_number: bool) -> None:
    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(2)
    if is_number:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    _fill(paragraph, document, text)
    for run in paragraph.runs:
        run.font.size = Pt(10)


def _draw_lines(cell: _Cell, **sizes: int) -> None:
    """Lines above and below a cell, in eighths of a point."""
    properties = cell._tc.get_or_add_tcPr()
    borders = properties.find(qn("w:tcBorders"))
    if borders is None:
        borders = OxmlElement("w:tcBorders")
        properties.append(borders)
    for side, size in sizes.items():
        line = OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", str(size)), ("color", "1D2729")):
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
