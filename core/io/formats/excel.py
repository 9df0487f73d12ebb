"""Excel workbooks -> `Table`."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, fromstring, iterparse

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.archive import Archive, check_size
from tripletscope.core.io.formats.text import MAX_COLUMNS
from tripletscope.core.io.names import listing

if TYPE_CHECKING:
    from openpyxl.worksheet._reader import WorkSheetParser

#: Cells that are read of a sheet.
_MOST_CELLS = 50_000_000
#: Rows that a sheet can have in Excel.
_MOST_ROWS = 2**20
_MOST_SHEETS = 5_000
#: Different texts that a workbook may hold.
_MOST_TEXTS = 2_000_000
#: Tags in a row or in a text: a row of Excel has at most 2^14 cells, most of them of two tags.
_MOST_INSIDE = 250_000
#: Tags in a part that is parsed as a whole, and in that of the styles, which some workbooks gather.
_MOST_TAGS, _MOST_STYLE_TAGS = 200_000, 2_000_000
#: Rows; what stands farther below is no part of the table, though it is read.
_LONGEST_GAP = 1_000
#: Longest format of a number in Excel.
_LONGEST_FORMAT = 255

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_DOCTYPE = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"))


def sheet_as_csv(data: bytes, name: str) -> tuple[bytes, np.ndarray, list[str]]:
    """The sheet with the most rows that are not empty, as CSV in UTF-8.

    Returns
    -------
    text : bytes
    numbers : ndarray of int
        Row of the sheet for each row of the text, which lacks long gaps.
    notes : list of str

    Raises
    ------
    DataError
        If the workbook is damaged or too large, or has no sheet with a table.
    """
    try:
        title, rows, others = _longest_sheet(data, name)
    except DataError:
        raise
    except (LookupError, ValueError, TypeError, AttributeError, OSError, SyntaxError,
            AssertionError, EOFError, OverflowError, RecursionError) as error:
        raise DataError(
            "the Excel workbook is damaged or of an unknown kind", file=name,
            remedy="Save it again, or save the sheet as CSV.",
        ) from error
    if not rows:
        raise DataError("the workbook is empty", file=name, remedy="Check that it was saved.")
    notes = [f"Sheet {title!r} is read; {listing(others)} not." if others else
             f"Sheet {title!r} is read."]
    return *_as_csv(rows, title, name), notes


class _Parts:
    """The parts of a workbook as openpyxl asks for them.

    A workbook may name one part many times over: the archive counts whatever is read of it.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name, self._packed = name, len(data)
        self._archive = Archive(data, name)

    def read(self, part: str, most_tags: int | None = _MOST_TAGS) -> bytes:
        content = self._archive.read(part)
        # Entities and default attributes make much of little, and no spreadsheet writes them.
        if any(sign in content for sign in _DOCTYPE):
            raise ValueError(f"{part} has a DTD")
        if most_tags is not None and content.count(b"<") > most_tags:
            raise _too_large("the workbook", f"{part} has too many entries", self.name)
        return content

    def elements(self, part: str, parent: str, child: str, most: int) -> Iterator[Element]:
        """The elements `child` up to the end of `parent`, each emptied after its use."""
        found = inside = 0
        for _, element in iterparse(io.BytesIO(self.read(part, None))):
            if element.tag == _MAIN + parent:
                return
            inside += 1
            if element.tag == _MAIN + child:
                yield element
                element.clear()
                found, inside = found + 1, 0
            if found > most or inside > _MOST_INSIDE:
                raise _too_large("the workbook", f"{part} has too many entries", self.name)

    def check_size(self, unpacked: int) -> None:
        check_size(unpacked, self._packed, self.name)


def _longest_sheet(data: bytes, name: str) -> tuple[str, dict[int, list[str]], list[str]]:
    """Title and rows of the sheet with the most rows, and titles of others that are not empty."""
    # Imported late: few files need it.
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.worksheet._reader import WorkSheetParser
    from openpyxl.xml.constants import SHARED_STRINGS

    # Warnings about single cells have texts of their own, all of which Python would remember.
    warnings.filterwarnings("ignore", module="openpyxl")
    parts = _Parts(data, name)
    reader = ExcelReader(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    reader.archive = parts
    reader.read_manifest()
    reader.read_workbook()
    texts: list[str] = []
    if (shared := reader.package.find(SHARED_STRINGS)) is not None:
        elements = parts.elements(shared.PartName[1:], "sst", "si", _MOST_TEXTS)
        texts = [_shared_text(element) for element in elements]
    dates, durations = _date_styles(parts)
    sheets = [
        (sheet.name, rel.target) for sheet, rel in reader.parser.find_sheets()
        if rel.target in reader.valid_files and "chartsheet" not in rel.Type
    ]
    if len(sheets) > _MOST_SHEETS:
        raise _too_large("the workbook", f"it has {len(sheets):,} sheets", name)
    longest: dict[int, list[str]] = {}
    title, filled = "", []
    for own, part in sheets:
        parser = WorkSheetParser(
            None, texts, data_only=True, epoch=reader.wb.epoch, date_formats=dates,
            timedelta_formats=durations,
        )
        rows = _rows(parser, parts, part, own)
        if rows:
            filled.append(own)
        if len(rows) > len(longest):
            longest, title = rows, own
    return title, longest, [own for own in filled if own != title]


def _shared_text(element: Element) -> str:
    """A text of its own, or of parts with different fonts; not how it is pronounced."""
    found = [
        child.text if child.tag == f"{_MAIN}t" else child.findtext(f"{_MAIN}t")
        for child in element if child.tag in (f"{_MAIN}t", f"{_MAIN}r")
    ]
    return "".join(filter(None, found)).replace("x005F_", "")  # an underscore, as Excel writes it


def _date_styles(parts: _Parts) -> tuple[set[int], set[int]]:
    """Numbers of the styles in which numbers are dates, and of those that are durations.

    openpyxl would make objects of all fonts, borders and fills, too.
    """
    from openpyxl.styles.numbers import builtin_format_code, is_date_format, is_timedelta_format

    try:
        root = fromstring(parts.read("xl/styles.xml", _MOST_STYLE_TAGS))
    except KeyError:
        return set(), set()
    own = {
        number.get("numFmtId"): number.get("formatCode", "")[:_LONGEST_FORMAT]
        for number in root.iterfind(f"{_MAIN}numFmts/{_MAIN}numFmt")
    }
    is_date, is_duration = cache(is_date_format), cache(is_timedelta_format)
    dates, durations = set(), set()
    for i, style in enumerate(root.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf")):
        number = style.get("numFmtId", "0")
        code = own[number] if number in own else builtin_format_code(int(number))
        if is_date(code):
            dates.add(i)
        if is_duration(code):
            durations.add(i)
    return dates, durations


def _rows(parser: WorkSheetParser, parts: _Parts, part: str, title: str) -> dict[int, list[str]]:
    """The texts of the rows that are not empty, by their numbers.

    What a row or a cell says of its place may be anything, so that no gap is filled before its
    size is known.
    """
    rows: dict[int, list[str]] = {}
    cells = letters = 0
    what = f"sheet {title!r}"
    for element in parts.elements(part, "sheetData", "row", _MOST_ROWS):
        number, found = parser.parse_row(element)
        parser.row_dimensions.clear()  # their heights, which nobody asks for
        texts = {
            cell["column"]: text for cell in found
            if cell["value"] is not None and (text := _as_text(cell["value"]))
        }
        if not texts:
            continue
        if not 1 <= number <= _MOST_ROWS:
            raise _too_large(what, f"it has a row {number:,}", parts.name)
        width = max(texts)
        if width > MAX_COLUMNS:
            raise _too_large(
                what, f"row {number:,} has something in column {width:,}", parts.name
            )
        cells += width
        if cells > _MOST_CELLS:
            raise _too_large(what, f"it has more than {_MOST_CELLS:,} cells", parts.name)
        # A long text that many cells share stands only once in the file.
        letters += sum(map(len, texts.values()))
        parts.check_size(8 * cells + letters)
        rows[number] = [texts.get(column, "") for column in range(1, width + 1)]
    return rows


def _as_csv(rows: dict[int, list[str]], title: str, name: str) -> tuple[bytes, np.ndarray]:
    """All rows with the same number of cells, and empty lines for short gaps between them."""
    width = max(map(len, rows.values()))
    if len(rows) * width > _MOST_CELLS:
        raise _too_large(
            f"sheet {title!r}", f"its {len(rows):,} rows reach to column {width:,}", name
        )
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    numbers: list[int] = []
    before = 0
    for number in sorted(rows):
        if number - before <= _LONGEST_GAP:
            buffer.write("\n" * (number - before - 1))
            numbers += range(before + 1, number)
        writer.writerow(rows[number] + [""] * (width - len(rows[number])))
        numbers.append(number)
        before = number
    return buffer.getvalue().encode(), np.array(numbers)


def _too_large(what: str, why: str, name: str) -> DataError:
    return DataError(
        f"{what} is too large: {why}", file=name,
        remedy="Delete what is below or beside the table, or save the answers as CSV. At most "
        f"{MAX_COLUMNS:,} columns are read.",
    )


def _as_text(cell: Any) -> str:
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return str(cell)
