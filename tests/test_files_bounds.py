"""Small files that would be a huge amount of work: refused, or read without the work."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from core.files import excel, interpret, load, propose, read_matrix, read_objects
from core.triplets import DataError

# Workbooks

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = (
    b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
    b'officedocument.spreadsheetml.sharedStrings+xml"/>'
)


def saved(book: Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def table_of(n_columns: int = 3) -> Workbook:
    book = Workbook()
    more = [f"remark {i}" for i in range(n_columns - 3)]
    book.active.append(["anchor", "near", "far", *more])
    book.active.append(["a", "b", "c", *more])
    book.active.append(["b", "a", "c", *more])
    return book


def patched(change: dict[str, Callable[[bytes], bytes]], data: bytes | None = None) -> bytes:
    """A workbook with other bytes in some of its parts."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data or saved(table_of()))) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in {**dict.fromkeys(source.namelist()), **change}:
            content = source.read(part) if part in source.namelist() else b""
            target.writestr(part, change.get(part, bytes)(content))
    return buffer.getvalue()


def before(end: bytes, more: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(end, more + end)


def with_rows(rows: bytes) -> bytes:
    return patched({SHEET: before(b"</sheetData>", rows)})


def with_strings(strings: bytes, rows: bytes) -> bytes:
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return patched({
        "[Content_Types].xml": before(b"</Types>", STRINGS),
        "xl/sharedStrings.xml": lambda _: b'<sst xmlns="%b">%b</sst>' % (space, strings),
        SHEET: before(b"</sheetData>", rows),
    })


FAR_DOWN = with_rows(b'<row r="3000000"><c r="A3000000"><v>1</v></c></row>')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (FAR_DOWN, "it has a row 3,000,000"),
        (with_rows(b'<row r="999999999999"><c><v>1</v></c></row>'), "it has a row 999,999,999,999"),
        (with_rows(b'<row r="-3"><c><v>1</v></c></row>'), "it has a row -3"),
        (with_rows(b'<row r="9"><c r="XFD9"><v>1</v></c></row>'), "row 9 .* in column 16,384"),
        (with_rows(b'<row r="9"><c r="ZZZZZZ9"><v>1</v></c></row>'), "damaged"),
        (with_rows(b'<row r="%b"><c><v>1</v></c></row>' % (5000 * b"9")), "damaged"),
        (with_rows(b"<row>" + b"<c/>" * 300_000 + b"</row>"), "sheet1.xml has too many entries"),
        (patched({SHEET: before(b"<sheetData>", b"<a/>" * 300_000)}), "too many entries"),
        (patched({"xl/styles.xml": before(b"</cellXfs>", b"<xf/>" * 2_000_000)}),
         "styles.xml has too many entries"),
        (patched({"xl/workbook.xml": before(b"</sheets>", b"<sheet/>" * 200_000)}),
         "workbook.xml has too many entries"),
        (with_strings(b"<si><t>%b</t></si>" % (b"x" * 1_000_000),
                      b'<row><c t="s"><v>0</v></c></row>' * 1_000), "unpacks to more"),
        (with_rows(b'<row><c r="BXX1"><v>1</v></c></row>' * 5_000), "unpacks to more"),
    ],
    ids=["row", "far row", "row above", "column", "far column", "no number", "cells", "others",
         "styles", "sheets", "long text", "empty cells"],
)
def test_a_small_workbook_is_no_huge_table(data, message):
    assert len(data) < 100_000
    with pytest.raises(DataError, match=message) as raised:
        load(data, "x.xlsx")
    assert raised.value.remedy


@pytest.mark.parametrize("read", [load, read_objects, read_matrix])
def test_every_reader_of_workbooks_refuses_them(read):
    with pytest.raises(DataError, match="it has a row 3,000,000"):
        read(FAR_DOWN, "x.xlsx")


def test_rows_and_texts_are_counted(monkeypatch):
    monkeypatch.setattr(excel, "_MOST_ROWS", 1_000)
    monkeypatch.setattr(excel, "_MOST_TEXTS", 1_000)
    monkeypatch.setattr(excel, "_MOST_CELLS", 1_000)
    many = 1_001
    for data in (with_rows(b"<row/>" * many), with_strings(b"<si/>" * many, b"")):
        with pytest.raises(DataError, match="too many entries"):
            load(data, "x.xlsx")
    with pytest.raises(DataError, match="more than 1,000 cells"):
        load(with_rows(b'<row><c r="Z9"><v>1</v></c></row>' * 50), "x.xlsx")
    with pytest.raises(DataError, match="rows reach to column 100"):
        load(with_rows(b'<row><c r="CV9"><v>1</v></c></row>' + 9 * b"<row><c><v>1</v></c></row>"),
             "x.xlsx")


def test_one_sheet_named_many_times_is_not_read_many_times():
    space = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    again = b'<sheet name="x" sheetId="1" r:id="rId1" xmlns:r="%b"/>' % space
    for times, message in ((100, "unpacks to more"), (6_000, "6,001 sheets")):
        data = patched({
            SHEET: before(b"</worksheet>", b" " * 1_000_000),
            "xl/workbook.xml": before(b"</sheets>", again * times),
        })
        with pytest.raises(DataError, match=message):
            load(data, "x.xlsx")


def test_nothing_far_away_does_no_harm():
    data = patched({
        SHEET: lambda content: content.replace(
            b"</sheetData>",
            b'<row r="9"><c r="XFD9" s="0"/><c r="ZZZ9"/></row><row r="999999999999"/></sheetData>'
            b"<mergeCells>" + b'<mergeCell ref="A1:B2"/>' * 100_000 + b"</mergeCells>",
        ),
    })
    table = load(data, "x.xlsx")
    assert (table.n_rows, table.columns) == (2, ["anchor", "near", "far"])


def test_a_stray_cell_in_the_last_row_of_excel_is_read_as_such():
    book = table_of(n_columns=60)
    book.active.cell(2**20, 2, "x")
    table = load(saved(book), "x.xlsx")
    assert table.row_numbers(np.arange(table.n_rows)).tolist() == [2, 3, 2**20]
    answers = interpret(table, propose(table)[0])
    assert len(answers.triplets) == 2
    assert 2**20 in [row for omission in answers.report.omissions for row in omission.rows]


def test_rows_of_a_sheet_keep_their_numbers():
    book = Workbook()
    for row, cells in {
        2: ["My experiment,\nin two lines"], 5: ["anchor", "near", "far"], 6: ["a", "b", "c"],
        9: ["b", "a", "c"], 10: [" "], 5_000: ["c", "a", "b"], 7_000: [" "],
    }.items():
        for column, cell in enumerate(cells, 1):
            book.active.cell(row, column, cell)
    table = load(saved(book), "x.xlsx")
    assert table.columns == ["anchor", "near", "far"]
    assert table.row_numbers(np.arange(table.n_rows)).tolist() == [6, 9, 5_000]


def test_the_sheet_with_the_most_rows_is_not_the_one_with_a_stray_cell():
    book = table_of()
    book.create_sheet("notes").cell(500, 1, "x")
    table = load(saved(book), "x.xlsx")
    assert table.n_rows == 2
    assert table.notes[0] == "Sheet 'Sheet' is read; notes not."


def test_dates_durations_and_texts_in_several_fonts():
    book = Workbook()
    sheet = book.active
    sheet.append(["who", "when", "how long", "part", "said", "what", "sum"])
    sheet.append([
        "a", datetime.datetime(2024, 2, 29, 13, 5), datetime.timedelta(hours=30), 0.5, True,
        CellRichText("very ", TextBlock(InlineFont(b=True), "near")), 2.0,
    ])
    sheet["D2"].number_format = "0.0%"
    sheet["B3"] = datetime.date(2024, 3, 1)
    sheet["B3"].number_format = "[$-407]d. mmmm yyyy;@"
    cells = load(saved(book), "x.xlsx").preview()
    assert cells.iloc[0].tolist() == [
        "a", "2024-02-29 13:05:00", "1 day, 6:00:00", "0.5", "True", "very near", "2"
    ]
    assert cells["when"].iloc[1] == "2024-03-01 00:00:00"


def test_texts_that_cells_share():
    strings = (
        b"<si><t>a</t></si><si><r><t>b</t></r><r><rPr/><t>c</t></r>"
        b'<rPh sb="0" eb="1"><t>spoken</t></rPh></si><si/>'
    )
    cells = b"".join(b'<c t="s"><v>%d</v></c>' % i for i in (0, 1, 2, 0))
    table = load(with_strings(strings, b"<row>" + cells + b"</row>"), "x.xlsx", header=False)
    assert table.preview().iloc[3].tolist() == ["a", "bc", "", "a"]
