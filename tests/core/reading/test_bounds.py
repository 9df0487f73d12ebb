"""Small files that would be a huge amount of work: refused, or read without the work."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, propose, read_matrix, read_objects
from tripletscope.core.reading.interpretation.interpret import interpret

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


def table_of() -> Workbook:
    book = Workbook()
    for row in (["anchor", "near", "far"], ["a", "b", "c"], ["b", "a", "c"]):
        book.active.append(row)
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


def reaching(corner: bytes) -> bytes:
    """A workbook that says how far its sheet reaches, as programs do after a stray cell."""
    near, far = b'ref="A1:C3"', b'ref="A1:%b"' % corner
    return patched({SHEET: lambda content: content.replace(near, far)})


FAR_AWAY = reaching(b"XFD1048576")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (FAR_AWAY, "a sheet reaches to cell XFD1048576"),
        (with_rows(b'<row r="9"><c r="XFD9"><v>1</v></c></row>'), "row 9 .* in column 16,384"),
        (with_rows(b'<row r="-3"><c><v>1</v></c></row>'), "damaged"),
        (with_rows(b'<row r="9"><c r="9"><v>1</v></c></row>'), "damaged"),
    ],
    ids=["far cell", "column", "row above", "no column"],
)
def test_a_small_workbook_is_no_huge_table(data, message):
    with pytest.raises(DataError, match=message) as raised:
        load(data, "x.xlsx")
    assert raised.value.remedy


@pytest.mark.parametrize("read", [load, read_objects, read_matrix])
def test_every_reader_of_workbooks_refuses_them(read):
    with pytest.raises(DataError, match="reaches to cell XFD1048576"):
        read(FAR_AWAY, "x.xlsx")


def test_nothing_far_away_does_no_harm():
    data = patched({
        SHEET: lambda content: content.replace(
            b"</sheetData>",
            b'<row r="9"><c r="XFD9" s="0"/></row><row r="1048576"/></sheetData>'
            b"<mergeCells>" + b'<mergeCell ref="A1:B2"/>' * 100_000 + b"</mergeCells>",
        ),
    })
    table = load(data, "x.xlsx")
    assert (table.n_rows, table.columns) == (2, ["anchor", "near", "far"])


def test_a_stray_cell_in_the_last_row_of_excel_is_read_as_such():
    book = table_of()
    book.active.cell(2**20, 2, "x")
    table = load(saved(book), "x.xlsx")
    assert not [note for note in table.notes if "separated" in note], "no commas are in a sheet"
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


# Other formats


def text_columns(n: int) -> bytes:
    return ",".join(f"c{i}" for i in range(n)).encode() + b"\n" + b",".join([b"1"] * n) + b"\n"


def members(arrays: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def array_of(header: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


def parquet_of(column: pa.Array, n_columns: int) -> bytes:
    buffer = io.BytesIO()
    table = pa.table({f"c{i}": column for i in range(n_columns)})
    pyarrow.parquet.write_table(table, buffer)
    return buffer.getvalue()


def packed(method: int, declared: int) -> bytes:
    """A zip file whose only entry is much larger than it says."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.csv", bytes(30_000_000))
    data = bytearray(buffer.getvalue())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.rindex(signature) + offset
        data[place : place + 4] = declared.to_bytes(4, "little")
    return bytes(data)


WORD = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int32)), ["x"])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: array_of("{'descr': '|S0', 'fortran_order': False, 'shape': (3000000, 3), }\n"),
         "NumPy array is damaged"),
        (lambda: members({f"a{i}": np.zeros((2, 1_000), np.int8) for i in range(3)}),
         "3,000 columns"),
        (lambda: parquet_of(WORD, 20), "unpacks to more"),
        (lambda: parquet_of(pa.array([bytes(10_000)] * 9_000, pa.binary(10_000)), 3),
         "unpacks to more"),
        (lambda: packed(zipfile.ZIP_BZIP2, 10), "damaged or incomplete"),
        (lambda: packed(zipfile.ZIP_LZMA, 10), "damaged or incomplete"),
        (lambda: packed(zipfile.ZIP_DEFLATED, 10).replace(
            b"\x14\x00\x00\x00\x08", b"\x14\x00\x00\x00\x09"),
         "compressed by an unusual method"),
    ],
    ids=["no cells", "arrays", "parquet", "wide parquet", "bzip2", "lzma", "deflate64"],
)
def test_a_small_file_is_no_huge_table(made, message):
    data = made()
    assert len(data) < 1_000_000
    with pytest.raises(DataError, match=message) as raised:
        load(data, "x")
    assert raised.value.remedy


def test_rows_of_another_width_are_skipped():
    skipped = load(b"a,b,c\n" + 5_000 * b"1,2,3\n" + 1_000 * b"1\n", "x.csv").skipped
    assert skipped.tolist() == [*range(5_002, 6_002)]


def test_empty_lines_within_reason_are_counted():
    table = load(text_columns(3) + 100_000 * b"\n" + b"1,2,3\n", "x.csv")
    assert table.row_numbers(np.arange(table.n_rows)).tolist() == [2, 100_003]


def test_rows_of_all_widths():
    wide = b",".join([b"1"] * 100_000)
    table = load(b"a,b,c\n" + 5_000 * b"1,2,3\n" + 10 * (wide + b"\n"), "x.csv")
    assert (table.n_rows, len(table.skipped)) == (5_000, 10)


def test_an_array_of_hdf5_that_was_never_written():
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.create_dataset("a", (30_000, 2_000), "f8", chunks=(1_000, 1_000), fillvalue=1.0)
    with pytest.raises(DataError, match="unpacks to more"):
        load(buffer.getvalue(), "x.h5")


def test_a_long_text_beside_many_short_ones_in_hdf5():
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        texts = file.create_dataset("a", (2_000,), h5py.string_dtype())
        texts[0] = 100_000 * "x"
        file["b"] = np.zeros((2_000, 2), dtype=np.int8)
    with pytest.raises(DataError, match="unpacks to more"):
        load(buffer.getvalue(), "x.h5")
