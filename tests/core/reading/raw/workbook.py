"""Excel workbooks of parts that are written as text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
STRINGS, STYLES = "xl/sharedStrings.xml", "xl/styles.xml"
TYPES, RELATIONS, ROOT = "[Content_Types].xml", "xl/_rels/workbook.xml.rels", "_rels/.rels"


def cell(value: str, place: str = "", kind: str = "str", more: str = "") -> str:
    """A cell with a text or a number."""
    where = f' r="{place}"' if place else ""
    return f'<c{where} t="{kind}"{more}><v>{value}</v></c>'


def row(*cells: str, number: str = "") -> str:
    """A row of cells, or of texts."""
    where = f' r="{number}"' if number else ""
    made = "".join(one if one.startswith("<") else cell(one) for one in cells)
    return f"<row{where}>{made}</row>"


ROWS = "".join(row(*one) for one in (
    ("anchor", "near", "far"), ("a", "b", "c"), ("b", "a", "c"), ("c", "b", "a"),
))


def sheet(rows: str = ROWS, before: str = "", after: str = "") -> str:
    """A sheet of rows, with what stands before and after them."""
    return (f'{_HEAD}<worksheet xmlns="{MAIN}" xmlns:r="{OFFICE}">{before}'
            f"<sheetData>{rows}</sheetData>{after}</worksheet>")


def strings(inside: str) -> str:
    """Texts that cells share."""
    return f'{_HEAD}<sst xmlns="{MAIN}">{inside}</sst>'


def styles(inside: str) -> str:
    """A sheet of styles."""
    return f'{_HEAD}<styleSheet xmlns="{MAIN}">{inside}</styleSheet>'


def book(sheets: str = '<sheet name="one" sheetId="1" r:id="rId1"/>', more: str = "") -> str:
    """The list of sheets."""
    return (f'{_HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets>{more}'
            "</workbook>")


def relation(number: str, kind: str, target: str, more: str = "") -> str:
    """A relationship of a part to another."""
    return f'<Relationship Id="{number}" Type="{OFFICE}/{kind}" Target="{target}"{more}/>'


def relations(*inside: str) -> str:
    """The relationships of a part."""
    space = f"{PACKAGE}/relationships"
    return f'{_HEAD}<Relationships xmlns="{space}">{"".join(inside)}</Relationships>'


def override(part: str, kind: str) -> str:
    """What a part is."""
    return f'<Override PartName="/{part}" ContentType="{_KIND}.{kind}+xml"/>'


def types(*more: str) -> str:
    """What all parts are."""
    usual = override(BOOK, "sheet.main") + override(SHEET, "worksheet")
    return (f'{_HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'{usual}{"".join(more)}</Types>')


def parts(**more: str) -> dict[str, str]:
    """The parts of a small workbook; `sheet`, `strings`, `styles`, `book` are the content."""
    found = {
        TYPES: types(override(STRINGS, "sharedStrings"), override(STYLES, "styles")),
        ROOT: relations(relation("rId1", "officeDocument", BOOK)),
        BOOK: book(), RELATIONS: relations(
            relation("rId1", "worksheet", "worksheets/sheet1.xml"),
            relation("rId2", "sharedStrings", "sharedStrings.xml"),
            relation("rId3", "styles", "styles.xml"),
        ),
        SHEET: sheet(), STRINGS: strings("<si><t>a</t></si>"), STYLES: styles(""),
    }
    known = {"sheet": SHEET, "strings": STRINGS, "styles": STYLES, "book": BOOK, "types": TYPES,
             "relations": RELATIONS, "root": ROOT}
    return found | {known[key]: value for key, value in more.items()}


def workbook(content: Mapping[str, str | bytes]) -> bytes:
    """The workbook that has these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()
