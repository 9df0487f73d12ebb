"""Tables as text: separator and header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tripletscope.core.data.cells import unmarked, writable
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.names import counted, is_usual_name
from tripletscope.core.reading.numerals import NUMERAL

#: Longest row; also the block size of the parser.
MAX_ROW_BYTES = 4 * 2**20
MAX_COLUMNS = 2_000
SAMPLE_BYTES = 2**20
SAMPLE_ROWS = 5_000

#: In order of trust: tabs are rare inside cells, spaces frequent.
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}

_NUMBER = re.compile(f"{NUMERAL}|nan|na|", re.IGNORECASE)


@dataclass(frozen=True)
class Shape:
    """The structure of a text file."""

    delimiter: str
    header: bool
    columns: list[str]  # unique names, one per column
    body: int  # first byte of the body
    first_row: int  # number of its first row; the file begins with row 1
    notes: list[str]  # how the file was read, as sentences


def find_shape(
    data: bytes, name: str, header: bool | None, delimiter: str | None, least_columns: int
) -> Shape:
    """Recognise delimiter and header of UTF-8 text."""
    start = _beginning(data, name)
    lines = start.splitlines(keepends=True)
    skipped, hint = _preamble(lines)
    delimiter = delimiter or hint
    if delimiter is None:
        delimiter = _find_delimiter(lines[skipped:], least_columns)
    sign = DELIMITERS.get(delimiter, repr(delimiter))
    widths = Counter(map(len, _cells(lines[skipped:], delimiter, SAMPLE_ROWS)))
    width = widths.most_common(1)[0][0] if widths else 0
    if width < least_columns:
        raise DataError(
            f"the rows have {counted(width, 'cell')} each when split at {sign}",
            file=name, row=skipped + 1,
            remedy=f"At least {least_columns} columns are needed: choose the separator.",
        )
    if width > MAX_COLUMNS:  # the first line may end inside of a cell
        raise too_wide(f"the row has {width:,} or more cells", name, skipped + 1)
    skipped += _title_lines(lines[skipped:], delimiter, width)
    notes = [f"{counted(skipped, 'line')} before the table were skipped."] if skipped else []
    lines = lines[skipped:]
    rows = _cells(lines, delimiter, SAMPLE_ROWS)
    first, body = rows[0], rows[1:]
    if header is None:
        header, reason = _has_header(first, body)
    else:
        reason = "The first row names the columns." if header else "There is no header row."
    notes += [f"Columns are separated by {sign}.", reason]
    names = _completed(first, body, width, notes) if header else [""] * width
    columns = unique_names(names, notes)
    header_lines = _lines_of_first_row(lines, delimiter) if header else 0
    return Shape(
        delimiter, header, columns,
        body=sum(map(len, start.splitlines(keepends=True)[: skipped + header_lines])),
        first_row=skipped + 1 + header,
        notes=notes,
    )


def evenly_spaced(data: bytes) -> bytes:
    """Text with one space for each run of spaces or tabs, also inside quotation marks."""
    uneven = (b"\t", b"  ", b"\n ", b"\r ", b" \n", b" \r")
    if not (data.startswith(b" ") or data.endswith(b" ") or any(map(data.__contains__, uneven))):
        return data
    return b"\n".join(b" ".join(line.split()) for line in data.splitlines())


def unterminated_quote(data: bytes, body: int, delimiter: str) -> int | None:
    """Row of the body, from 0, with a quotation mark that is never closed."""
    if data.count(b'"', body) % 2 == 0:
        return None
    row = 0
    lines = (line.decode() for line in data[body:].splitlines(keepends=True))
    try:
        for row, _ in enumerate(csv.reader(lines, delimiter=delimiter, strict=True), start=1):  # noqa: B007
            pass
    except csv.Error as error:
        # Other errors are about quotation marks inside a cell, which do no harm.
        return row if "end of data" in str(error) or "field limit" in str(error) else None
    return None


def _beginning(data: bytes, name: str) -> bytes:
    """The first whole lines, about `SAMPLE_BYTES` of them."""
    start = data[:SAMPLE_BYTES]
    if len(data) > SAMPLE_BYTES:
        end = max(start.rfind(b"\n"), start.rfind(b"\r"))
        if end < 0:  # the first row alone is longer
            start = data[:MAX_ROW_BYTES]
            end = min((start.find(s) for s in (b"\n", b"\r") if s in start), default=-1)
        else:
            start = start[: end + 1]
    first_line = re.split(rb"[\r\n]", start, maxsplit=1)[0]
    cells = max(first_line.count(sign.encode()) for sign in DELIMITERS) + 1
    if cells > MAX_COLUMNS:
        raise too_wide(f"the row has {cells:,} or more cells", name, 1)
    if len(first_line) == MAX_ROW_BYTES:
        raise row_too_long(name, 1)
    return start


def too_wide(found: str, name: str, row: int | None = None) -> DataError:
    """The error for a table with too many columns, of which something was found."""
    return DataError(
        found, file=name, row=row,
        remedy=f"A table of answers has one row per answer and at most {MAX_COLUMNS:,} columns.",
    )


def row_too_long(name: str, row: int | None = None) -> DataError:
    return DataError(
        f"a row is longer than {MAX_ROW_BYTES / 2**20:g} MB", file=name, row=row,
        remedy="Look for a quotation mark that is not closed, or for missing line ends.",
    )


def _preamble(lines: list[bytes]) -> tuple[int, str | None]:
    """Number of leading lines that are no rows, and the delimiter that one of them names."""
    hint = None
    for i, line in enumerate(lines):
        excel = re.fullmatch(rb"sep=(.)\s*", line, re.IGNORECASE)
        if excel:
            sign = excel.group(1).decode(errors="replace")
            hint = sign if sign in DELIMITERS else None
        # A comment needs a space after its sign: "#ff0000" is a colour, and may be an object.
        elif line.strip(b' \t\r\n,;"') and not re.match(rb"[#%]+\s", line):
            return i, hint
    return 0, hint


def _title_lines(lines: list[bytes], delimiter: str, width: int) -> int:
    """Number of leading lines with a single cell of words, if rows have at least three."""
    for i, line in enumerate(lines if width > 2 else []):
        cells = [cell for row in _cells([line], delimiter, 1) for cell in row if cell]
        if len(cells) > 1 or (cells and _NUMBER.fullmatch(cells[0])):
            return i
    return 0


def _cells(lines: list[bytes], delimiter: str, most: int) -> list[list[str]]:
    """Stripped cells of the first rows that are not blank."""
    texts = (line.decode(errors="replace").strip(" \r\n") + "\n" for line in lines)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(texts, delimiter=delimiter, skipinitialspace=True):
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append(cells)
            if len(rows) == most:
                break
    except csv.Error:
        # A cell is too long for a sample; the full parse will name its row.
        pass
    return rows


def _find_delimiter(lines: list[bytes], least_columns: int) -> str:
    best, best_cells = ",", 0.0
    for delimiter in DELIMITERS:
        rows = _cells(lines, delimiter, 200)
        if not rows:
            continue
        width, count = Counter(map(len, rows)).most_common(1)[0]
        # R's write.table omits the name of the first column.
        regular = count >= 0.9 * len(rows) - 1 and width - len(rows[0]) in (0, 1)
        # A sign that the first row lacks may be inside of cells, as in the names of browsers.
        if regular and width >= max(least_columns, 2) and len(rows[0]) > 1:
            return delimiter
        if width > 1 and count / len(rows) > best_cells:
            best, best_cells = delimiter, count / len(rows)
    return best


def _has_header(first: list[str], body: list[list[str]]) -> tuple[bool, str]:
    """Whether the first row names the columns, and why: the signs in order of trust."""
    if any("ImportId" in cell for row in body[:3] for cell in row):
        return True, "The first row names the columns, as Qualtrics writes them."
    columns = [{row[i] for row in body if i < len(row)} for i in range(len(first))]
    values = set().union(*columns)
    usual = sum(map(is_usual_name, first))
    if usual >= min(2, len(first)) or any(
        column and not _NUMBER.fullmatch(cell) and all(map(_NUMBER.fullmatch, column))
        for cell, column in zip(first, columns, strict=True)
    ):
        return True, "The first row names the columns."
    if all(map(_NUMBER.fullmatch, first)):
        if first and not first[0] and all(first[1:]) and all(columns[0]):
            return True, "The first row names the columns, except the first one."
        count = [str(i) for i in range(len(first))]
        doubt = (
            f" Its first row reads {', '.join(count)}: if these are names of columns, switch the "
            "header on." if first == count else ""
        )
        return False, f"There is no header row.{doubt}"
    if _counts_names(first) and not values & set(first):
        return True, "The first row names the columns: some of its words are numbered."
    # A response that names columns; a row of objects has more than these.
    naming = [column for column in columns if len(column) > 1 and column <= set(first)
              and not any(map(_NUMBER.fullmatch, column))]
    if naming and len(values) > len(first):
        return True, "The first row names the columns: another column has their names."
    again = next((cell for cell in first if cell in values), None)
    if again is not None:
        return False, f"There is no header row: {again!r} of the first row occurs again below."
    if usual and any(columns) and len(set(first)) == len(first):
        return True, (
            "The first row is read as names of columns, because one of its words is a usual name "
            "and none recurs. If it is an answer, switch the header off."
        )
    alike = any(
        _pattern(cell) in {_pattern(value) for value in column} and not cell.isalpha()
        for cell, column in zip(first, columns, strict=True) if cell
    )
    if alike or len(first) == 1 or not any(columns):
        return False, "There is no header row: the first row looks like the others."
    return True, (
        "The first row is read as names of columns, because none of its words recurs. If it is an "
        "answer, switch the header off."
    )


def _counts_names(first: list[str]) -> bool:
    """Whether three consecutive names differ in the numbers 1, 2 and 3 alone."""
    trios = zip(first, first[1:], first[2:], strict=False)
    # Objects may have such names, too, but rarely with a whole word.
    return any(
        re.fullmatch(r"[^\W\d_]{4,}[ _.-]?1", a) and (b, c) == (f"{a[:-1]}2", f"{a[:-1]}3")
        for a, b, c in trios
    )


def _pattern(cell: str) -> str:
    """Kind of a name: ``"img/i012.png"`` is ``"a/a0.a"``."""
    return re.sub(r"[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", cell))


def _completed(first: list[str], body: list[list[str]], width: int, notes: list[str]) -> list[str]:
    """The names of the header, as many as the rows have cells."""
    if len(first) == width - 1:
        if all(not row[-1] for row in body if len(row) == width):
            return [*first, ""]
        notes.append("The first column has no name: it numbers the rows, as R writes them.")
        return ["", *first]
    if len(first) < width:
        notes.append("The header is shorter than the rows: the last columns have no names.")
    superfluous = first[width:]
    return first if any(superfluous) else [*first, *[""] * (width - len(first))][:width]


def unique_names(names: Iterable[str], notes: list[str]) -> list[str]:
    """`names` without repetitions and gaps; `notes` gets the changes."""
    unique: dict[str, int] = {}  # and the last number of a repeated name
    for i, text in enumerate(names, start=1):
        name = text = unmarked(writable(text).replace("\n", " ")) or f"column {i}"
        count = unique.get(text, 1)
        while name in unique:
            count += 1
            name = f"{text} ({count})"
        if name != text:
            notes.append(f"Two columns are called {text!r}; the later one is now {name!r}.")
            unique[text] = count
        unique[name] = 1
    return list(unique)


def _lines_of_first_row(lines: list[bytes], delimiter: str) -> int:
    reader = csv.reader((line.decode(errors="replace") for line in lines), delimiter=delimiter)
    next(reader)
    return reader.line_num
