"""Excel workbooks that are hostile."""

from __future__ import annotations

from tests.core.reading.hostile.making import Files
from tests.core.reading.raw.workbook import (
    BOOK,
    MAIN,
    PACKAGE,
    RELATIONS,
    ROOT,
    ROWS,
    SHEET,
    STRINGS,
    STYLES,
    TYPES,
    book,
    cell,
    override,
    parts,
    relation,
    relations,
    row,
    sheet,
    strings,
    styles,
    types,
    workbook,
)

_LAUGHS = "<!DOCTYPE x [" + "".join(
    f'<!ENTITY e{k} "{f"&e{k - 1};" * 10 if k else "lol"}">' for k in range(10)) + "]>"


def _with(rows: str = "", before: str = "", after: str = "", **more: str) -> bytes:
    """A good workbook with further rows, and with what stands around them."""
    return workbook(parts(sheet=sheet(ROWS + rows, before, after), **more))


def _cell(inside: str) -> bytes:
    return _with(f'<row r="9">{inside}</row>')


def _text(part: str, old: str, new: str) -> bytes:
    """A good workbook with another text in a part."""
    found = parts()
    return workbook(found | {part: found[part].replace(old, new)})


def _without(part: str) -> bytes:
    return workbook({name: text for name, text in parts().items() if name != part})


def _linked(target: str, kind: str = "worksheet", more: str = "") -> bytes:
    return workbook(parts(relations=relations(relation("rId1", kind, target, more))))


def _entity(part: str, declaration: str, name: str) -> bytes:
    text = parts()[part].replace("?>", "?>" + declaration, 1)
    end = text.rindex("</")
    return workbook(parts() | {part: f"{text[:end]}&{name};{text[end:]}"})


_SHARED = '<row r="9"><c r="A9" t="s"><v>{}</v></c></row>'
_OUTSIDE = ' TargetMode="External"'
_SECRET = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'

FILES: Files = {
    "a row far below": lambda: _with('<row r="1048577"><c r="A1048577"><v>1</v></c></row>'),
    "a row beyond 64 bits": lambda: _with('<row r="18446744073709551616"><c><v>1</v></c></row>'),
    "a row above the first": lambda: _with('<row r="0"><c><v>1</v></c></row>'),
    "a row of minus one": lambda: _with('<row r="-1"><c><v>1</v></c></row>'),
    "a row whose number is a word": lambda: _with('<row r="x"><c><v>1</v></c></row>'),
    "a row whose number is a fraction": lambda: _with('<row r="1.5"><c><v>1</v></c></row>'),
    "a row of 5,000 digits": lambda: _with(f'<row r="{"9" * 5_000}"><c><v>1</v></c></row>'),
    "rows in the wrong order": lambda: _with('<row r="9"><c><v>1</v></c></row>' + ROWS),
    "one row a thousand times": lambda: _with('<row r="9"><c><v>1</v></c></row>' * 1_000),
    "a cell in the last column": lambda: _cell('<c r="XFD9"><v>1</v></c>'),
    "a cell beyond the last column": lambda: _cell('<c r="ZZZZ9"><v>1</v></c>'),
    "a cell without a column": lambda: _cell('<c r="9"><v>1</v></c>'),
    "a cell without a row": lambda: _cell('<c r="A"><v>1</v></c>'),
    "a cell that says another row": lambda: _cell('<c r="A999999"><v>1</v></c>'),
    "a cell in absolute terms": lambda: _cell('<c r="$A$9"><v>1</v></c>'),
    "a cell that is a range": lambda: _cell('<c r="A9:C9"><v>1</v></c>'),
    "a place of 3,000 letters": lambda: _cell(f'<c r="{"A" * 3_000}9"><v>1</v></c>'),
    "a cell of an unknown type": lambda: _cell('<c r="A9" t="x"><v>1</v></c>'),
    "a cell in itself": lambda: _cell('<c r="A9"><c r="A9"><v>1</v></c></c>'),
    "a number that is a word": lambda: _cell('<c r="A9" t="n"><v>x</v></c>'),
    "a number beyond floating point": lambda: _cell('<c r="A9" t="n"><v>1e999</v></c>'),
    "a number of 5,000 digits": lambda: _cell(f'<c r="A9" t="n"><v>{"9" * 5_000}</v></c>'),
    "a date beyond the last year": lambda: _cell('<c r="A9" t="d"><v>99999-99-99T99:99</v></c>'),
    "an error as a value": lambda: _cell('<c r="A9" t="e"><v>#REF!</v></c>'),
    "a formula that calls a program": lambda: _cell(
        "<c r=\"A9\" t=\"str\"><f>cmd|'/C calc'!A0</f><v>1</v></c>"),
    "a formula that shares nothing": lambda: _cell('<c r="A9"><f t="shared" si="9"/><v>1</v></c>'),
    "a formula for all cells": lambda: _cell(
        '<c r="A9"><f t="array" ref="A1:XFD1048576">1</f><v>1</v></c>'),
    "a table of data for nothing": lambda: _cell(
        '<c r="A9"><f t="dataTable" ref="A1" r1="A1"/><v>1</v></c>'),
    "a shared text that is not there": lambda: _with(_SHARED.format(999)),
    "a shared text of minus one": lambda: _with(_SHARED.format(-1)),
    "a shared text whose number is a word": lambda: _with(_SHARED.format("x")),
    "a style that is not there": lambda: _with(
        '<row r="9"><c r="A9" s="999999"><v>1</v></c></row>'),
    "a style of minus one": lambda: _with('<row r="9"><c r="A9" s="-1"><v>1</v></c></row>'),
    "a text of three million letters": lambda: _with(
        _SHARED.format(0), strings=strings(f"<si><t>{'x' * 3_000_000}</t></si>")),
    "a text of 100,000 pieces": lambda: _with(
        _SHARED.format(0), strings=strings(f"<si>{'<r><t>x</t></r>' * 100_000}</si>")),
    "texts in texts": lambda: _with(
        _SHARED.format(0), strings=strings("<si>" * 500 + "</si>" * 500)),
    "300,000 cells in a row": lambda: _with("<row>" + "<c/>" * 300_000 + "</row>"),
    "a sheet of all of Excel, it says": lambda: _with(before='<dimension ref="A1:XFD1048576"/>'),
    "a dimension that is none": lambda: _with(before='<dimension ref="??"/>'),
    "100,000 merged cells": lambda: _with(
        after="<mergeCells>" + '<mergeCell ref="A1:B2"/>' * 100_000 + "</mergeCells>"),
    "all of Excel merged": lambda: _with(
        after='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    "100,000 columns' widths": lambda: _with(
        before="<cols>" + '<col min="1" max="16384"/>' * 100_000 + "</cols>"),
    "two tables in a sheet": lambda: _with(after=f"<sheetData>{ROWS}</sheetData>"),
    "no table in a sheet": lambda: _text(SHEET, "sheetData", "other"),
    "tags 50,000 deep": lambda: _with(before="<a>" * 50_000 + "</a>" * 50_000),
    "tags that are not closed": lambda: _text(SHEET, "</sheetData>", ""),
    "a sheet that is cut off": lambda: workbook(parts(sheet=sheet()[:300])),
    "an empty sheet": lambda: workbook(parts(sheet="")),
    "a sheet of NULs": lambda: workbook(parts(sheet="\0" * 300)),
    "another name space": lambda: _text(SHEET, MAIN, "http://nowhere"),
    "the strict name space": lambda: _text(
        SHEET, MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main"),
    "entities in entities": lambda: _entity(SHEET, _LAUGHS, "e9"),
    "entities in the shared texts": lambda: _entity(STRINGS, _LAUGHS, "e9"),
    "entities in the styles": lambda: _entity(STYLES, _LAUGHS, "e9"),
    "entities in the list of sheets": lambda: _entity(BOOK, _LAUGHS, "e9"),
    "entities in the relationships": lambda: _entity(RELATIONS, _LAUGHS, "e9"),
    "entities in the list of types": lambda: _entity(TYPES, _LAUGHS, "e9"),
    "a secret file as an entity": lambda: _entity(SHEET, _SECRET, "e"),
    "a secret file as a shared text": lambda: _entity(STRINGS, _SECRET, "e"),
    "a DTD of another server": lambda: _entity(
        SHEET, '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">', "e"),
    "a part in an encoding that is none": lambda: _text(STYLES, "UTF-8", "x"),
    "a part in UTF-7": lambda: _text(SHEET, "UTF-8", "utf-7"),
    "a part that says UTF-16": lambda: _text(SHEET, "UTF-8", "utf-16"),
    "a sheet that is another file": lambda: _linked("/etc/passwd"),
    "a sheet above the archive": lambda: _linked("../../../etc/passwd"),
    "a sheet of another server": lambda: _linked("http://127.0.0.1/x", more=_OUTSIDE),
    "a sheet in the file system": lambda: _linked("file:///etc/passwd", more=_OUTSIDE),
    "a sheet that is the list of sheets": lambda: _linked("workbook.xml"),
    "a sheet that is nothing": lambda: _linked(""),
    "a sheet that is a chart": lambda: _linked("worksheets/sheet1.xml", "chartsheet"),
    "a sheet that is a macro": lambda: _linked("vbaProject.bin", "vbaProject"),
    "no types": lambda: _without(TYPES),
    "no list of sheets' targets": lambda: _without(RELATIONS),
    "no relationships": lambda: _without(ROOT),
    "no sheet": lambda: _without(SHEET),
    "no sheets in the list": lambda: workbook(parts(book=book(""))),
    "a thousand times one sheet": lambda: workbook(parts(book=book(
        '<sheet name="x" sheetId="1" r:id="rId1"/>' * 1_000))),
    "a sheet without a target": lambda: workbook(parts(book=book('<sheet name="x"/>'))),
    "a sheet's state that is none": lambda: workbook(parts(book=book(
        '<sheet name="x" sheetId="1" r:id="rId1" state="x"/>'))),
    "100,000 names of ranges": lambda: workbook(parts(book=book(more="<definedNames>" + (
        '<definedName name="a">one!$A$1</definedName>' * 100_000) + "</definedNames>"))),
    "an external link": lambda: workbook(parts(
        book=book(more='<externalReferences><externalReference r:id="rId9"/></externalReferences>'),
    ) | {"xl/externalLinks/externalLink1.xml": "<x/>"}),
    "types of parts that are not there": lambda: workbook(parts(
        types=types(override("xl/x.xml", "sharedStrings")))),
    "relationships in a circle": lambda: workbook(parts(relations=relations(*(
        relation(f"rId{k}", "worksheet", "_rels/workbook.xml.rels") for k in range(1, 50))))),
    "a format of a number of 100,000 signs": lambda: _with(
        '<row r="9"><c r="A9" s="0"><v>1</v></c></row>',
        styles=styles(f'<numFmts><numFmt numFmtId="164" formatCode="{"[y" * 50_000}"/></numFmts>'
                      '<cellXfs><xf numFmtId="164"/></cellXfs>')),
    "a format whose number is a word": lambda: _with(
        styles=styles('<cellXfs><xf numFmtId="x"/></cellXfs>')),
    "dates before all time": lambda: _with(
        '<row r="9"><c r="A9" s="0"><v>-99999999</v></c></row>',
        styles=styles('<cellXfs><xf numFmtId="14"/></cellXfs>')),
    "dates after all time": lambda: _with(
        '<row r="9"><c r="A9" s="0"><v>1e300</v></c></row>',
        styles=styles('<cellXfs><xf numFmtId="46"/></cellXfs>')),
    "one column with everything in it": lambda: workbook(parts(sheet=sheet(
        "".join(row(cell("x" * 2_000)) for _ in range(2_000))))),
    "types in another name space": lambda: _text(TYPES, PACKAGE, "x"),
}
