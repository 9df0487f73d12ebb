"""Texts of cells: missing values, texts that read back unchanged, and formulas.

Spreadsheets may run a text that begins with ``=``, ``+``, ``-`` or ``@``. Every table that is
written has an apostrophe in front of such a text; reading takes it off.
"""

from __future__ import annotations

import re
import unicodedata

#: Cells of missing values.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "nil", "undefined"})

#: Patterns that Python and Arrow understand alike.
FORMULA = r"^'*[=+\-@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
NUMBER = r"^'*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_FORMULA = re.compile(FORMULA.replace(r"\x{", r"\u").replace("}", ""))
_NUMBER = re.compile(NUMBER)
_HALF = re.compile("[\ud800-\udfff]")


def plain_number(text: str) -> str:
    """``"7.0"`` as ``"7"``: programs write whole numbers so in columns with empty cells."""
    return re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", text) if ".0" in text else text


def composed(text: str) -> str:
    """`text` whose accents are one character with their letter: systems write them in two ways."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def writable(text: str) -> str:
    """`text` with a replacement for lone surrogates, which no encoding can write."""
    return _HALF.sub("\ufffd", text)


def reads_as_itself(text: str) -> bool:
    """Whether reading a cell with this text gives the same text."""
    return text.casefold() not in MISSING and plain_number(bare(text)) == text


def bare(text: str) -> str:
    """A cell without white space, the mark of `marked`, and quotation marks after a space."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"').strip()
    return unmarked(text).strip() if text[:1] == "'" else text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet takes a text for a formula; leading apostrophes do not count."""
    return bool(_FORMULA.match(text)) and not _NUMBER.match(text)


def marked(text: str) -> str:
    """`text` with an apostrophe in front of a formula."""
    return f"'{text}" if is_formula(text) else text


def unmarked(text: str) -> str:
    """`text` without the mark of `marked`. A text between apostrophes is a quotation, and stays."""
    if text[:1] == "'" and text[-1:] != "'" and is_formula(text):
        return text[1:]
    return text
