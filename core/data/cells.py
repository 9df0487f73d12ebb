"""Texts of cells: what stands for nothing, and what is the same when it is read again."""

from __future__ import annotations

import re

#: Cells that say that nothing was written down.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "nil", "undefined"})

_HALF = re.compile("[\ud800-\udfff]")


def plain_number(text: str) -> str:
    """``"7.0"`` as ``"7"``: programs write whole numbers so where a column has empty cells."""
    return re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", text)


def writable(text: str) -> str:
    """`text` with a sign of its own for halves of characters, which no encoding can write."""
    return _HALF.sub("\ufffd", text)


def reads_as_itself(text: str) -> bool:
    """Whether a cell with this text is read as this very text."""
    return text.casefold() not in MISSING and plain_number(bare(text)) == text


def bare(text: str) -> str:
    """The text without white space, and without quotation marks that stood behind a space."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"').strip()
    return text
