"""Excel workbooks -> `Table`."""

from __future__ import annotations

import csv
import io
import zipfile
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.archive import Archive
from tripletscope.core.io.formats.text import MAX_COLUMNS
from tripletscope.core.io.names import listing

#: Cells that are read of a sheet.
_MOST_CELLS = 50_000_000


def sheet_as_csv(data: bytes, name: str) -> tuple[bytes, list[str]]:
    """The sheet with the most rows, as CSV in UTF-8, with notes.

    Raises
    ------
    DataError
        If the workbook is damaged, or has no sheet with a table.
    """
    from openpyxl import load_workbook  # imported late: few files need it

    for _ in Archive(data, name):
        pass  # sizes and names are checked before anything is parsed
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = {sheet.title: _text(sheet, name) for sheet in book.worksheets}
        book.close()
    except DataError:
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, OSError,
            IndexError, SyntaxError, AssertionError, EOFError, OverflowError) as error:
        raise DataError(
            "the Excel workbook is damaged or not one that is understood", file=name,
            remedy="Save it again, or save the sheet as CSV.",
        ) from error
    if not any(sheets.values()):
        raise DataError("the workbook is empty", file=name, remedy="Check that it was saved.")
    title = max(sheets, key=lambda sheet: sheets[sheet].count("\n"))
    others = [sheet for sheet in sheets if sheet != title and sheets[sheet]]
    notes = [f"Sheet {title!r} is read; {listing(others)} not." if others else
             f"Sheet {title!r} is read."]
    return sheets[title].encode(), notes


def _text(sheet: Any, name: str) -> str:
    rows: list[list[str]] = []
    cells = 0
    # What a sheet says of its size may be wrong.
    sheet.reset_dimensions()
    for row in sheet.iter_rows(values_only=True):
        texts = ["" if cell is None else _as_text(cell) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        rows.append(texts)
        cells += len(texts)
        if len(texts) > MAX_COLUMNS or cells > _MOST_CELLS:
            raise DataError(
                f"sheet {sheet.title!r} is too large", file=name,
                remedy=f"At most {MAX_COLUMNS:,} columns are read. Save the answers as CSV.",
            )
    while rows and not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow(row + [""] * (width - len(row)) if row else [])
    return buffer.getvalue()


def _as_text(cell: Any) -> str:
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return str(cell)
