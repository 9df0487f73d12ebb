"""Workbooks of Excel and LibreOffice -> CSV."""

from __future__ import annotations

import csv
import datetime
import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.object_columns import is_called_response, says_part
from tripletscope.core.reading.formats.archive import Archive
from tripletscope.core.reading.formats.text import MAX_COLUMNS
from tripletscope.core.reading.names import listing

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

#: Most cells of a sheet: the parser allocates all of them, empty or not.
MAX_CELLS = 100_000_000
#: Sheets of which each may hold the answers of a person.
_FEWEST = 3
_PARTS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}
#: The last cell of a sheet, near the beginning of its part.
_CORNER = re.compile(rb'<dimension ref="(?:[A-Z]+[0-9]+:)?([A-Z]{1,3})([0-9]{1,7})"')


def is_workbook(data: bytes, name: str) -> bool:
    """Whether bytes are those of .xls, .xlsx, .xlsm, .xlsb or .ods."""
    if data.startswith(b"PK"):
        return not _PARTS.isdisjoint(Archive(data, name).names)
    return data.startswith(b"\xd0\xcf\x11\xe0")


def sheet_as_csv(data: bytes, name: str) -> tuple[bytes, np.ndarray, str, bool]:
    """The longest sheet as CSV in UTF-8, the rows of its lines, a note, and if there are others."""
    sheets = _sheets(data, name)
    filled = [title for title, rows in sheets.items() if rows]
    if not filled:
        raise DataError("the workbook is empty", file=name, remedy="Check that it was saved.")
    longest = max(filled, key=lambda title: len(sheets[title]))
    others = [title for title in filled if title != longest]
    note = f"Sheet {longest!r} is read" + (f"; {listing(others)} not." if others else ".")
    return *_as_csv(sheets[longest], longest, name), note, bool(others)


def sheets_alike(data: bytes, name: str) -> tuple[list[tuple[bytes, str]], str, bool]:
    """Sheets that begin with the same row as the longest, as CSV with their names.

    And a note, and whether there are others. None, if there are no three with a column that is
    called a response, mostly of other rows: two may be versions, or means and their spread.
    """
    sheets = _sheets(data, name, least=_FEWEST)
    filled = {title: rows for title, rows in sheets.items() if len(rows) > 1}
    longest = max(filled.values(), key=len, default={})
    head = longest.get(min(longest, default=0), ())
    alike = {title: rows for title, rows in filled.items() if rows[min(rows)] == head}
    every = [tuple(row) for rows in alike.values() for row in [*rows.values()][1:]]
    are_people = len(alike) >= _FEWEST and not any(map(says_part, alike))
    are_answers = any(map(is_called_response, head)) and 2 * len({*every}) >= len(every)
    if not (are_people and are_answers):
        return [], "", False
    others = [title for title, rows in sheets.items() if rows and title not in alike]
    return (
        [(_as_csv(rows, title, name)[0], f"{name}/{title}") for title, rows in alike.items()],
        f"Sheets with the same columns are read: {listing([*alike])}"
        + (f"; {listing(others)} not." if others else "."),
        bool(others),
    )


def _sheets(data: bytes, name: str, least: int = 1) -> dict[str, dict[int, list[str]]]:
    """Rows of the sheets that are not empty, by their titles; none if there are fewer sheets."""
    from python_calamine import CalamineError, CalamineWorkbook  # late: few files need it

    _refuse_large(data, name)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        titles = book.sheet_names if len(book.sheet_names) >= least else []
        return {title: _rows(book.get_sheet_by_name(title)) for title in titles}
    except (CalamineError, ValueError, OverflowError) as error:
        raise DataError(
            "the workbook is damaged, encrypted or of an unknown kind", file=name,
            remedy="Save it again, or save the sheet as CSV.",
        ) from error


def _refuse_large(data: bytes, name: str) -> None:
    """Refuse sheets in which a far cell would make billions of cells."""
    archive = Archive(data, name) if data.startswith(b"PK") else None
    for part in archive.names if archive else ():
        corner = _CORNER.search(archive.read(part)[:4096]) if "/worksheets/" in part else None
        if corner is None:
            continue
        letters, number = corner[1].decode(), int(corner[2])
        column = sum(26**k * (ord(letter) - 64) for k, letter in enumerate(reversed(letters)))
        if column * number > MAX_CELLS:
            raise _too_large("the workbook", f"a sheet reaches to cell {letters}{number}", name)


def _rows(sheet: CalamineSheet) -> dict[int, list[str]]:
    """Texts of the rows that are not empty, without trailing empty cells, by row number."""
    rows = {}
    for number, cells in enumerate(sheet.to_python(skip_empty_area=False), 1):
        if cells.count("") == len(cells):  # quick: a stray cell may have a million above it
            continue
        texts = [_as_text(cell) for cell in cells]
        while not texts[-1]:
            texts.pop()
        rows[number] = texts
    return rows


def _as_text(cell: Any) -> str:
    if isinstance(cell, float):
        whole = cell.is_integer() and abs(cell) < 2**63
        return str(int(cell)) if whole else repr(cell)
    if type(cell) is datetime.date:  # a moment at midnight
        return f"{cell} 00:00:00"
    return str(cell)


def _as_csv(rows: dict[int, list[str]], title: str, name: str) -> tuple[bytes, np.ndarray]:
    """All rows with the same number of cells, and their numbers."""
    widest = max(rows, key=lambda number: len(rows[number]))
    width = len(rows[widest])
    if width > MAX_COLUMNS:
        raise _too_large(
            f"sheet {title!r}", f"row {widest:,} has something in column {width:,}", name
        )
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows(texts + [""] * (width - len(texts)) for texts in rows.values())
    return buffer.getvalue().encode(), np.array([*rows])


def _too_large(what: str, why: str, name: str) -> DataError:
    return DataError(
        f"{what} is too large: {why}", file=name,
        remedy="Delete what is below or beside the table, or save the answers as CSV. At most "
        f"{MAX_COLUMNS:,} columns are read.",
    )
