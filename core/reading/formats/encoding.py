"""Text of unknown encoding -> UTF-8."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.languages import FORMS

#: Titles of encodings for users.
ENCODINGS: dict[str, str] = FORMS["encodings"]
#: Encodings that differ in how plausible the names look.
GUESSED = (
    "cp1252", "cp1250", "cp1251", "koi8-r", "cp1253", "cp932", "euc_jp", "gb18030", "big5",
    "euc_kr",
)
#: Letters of the languages of Windows-1250 alone, and of Windows-1252 alone; they break ties.
_CENTRAL = frozenset("ąćęłńśźżčďěňřšťůžőűăľĺŕĄĆĘŁŃŚŹŻČĎĚŇŘŠŤŮŽŐŰĂĽĹŔ")
_WESTERN = frozenset("ßàâçèêëîïôùûæøåñíóúáãõäöüéÀÂÇÈÊËÎÏÔÙÛÆØÅÑÍÓÚÁÃÕÄÖÜÉ")
_SAMPLE = 20_000  # bytes of names for a guess


def to_utf8(data: bytes, encoding: str | None, name: str) -> tuple[bytes, str]:
    """The text in UTF-8 without byte order mark, and its original encoding."""
    try:
        encoding = codecs.lookup(encoding or _encoding(data, name)).name
        if encoding != "utf-8":
            data = data.decode(encoding).encode()
        elif not _is_utf8(data):
            raise UnicodeError
    except LookupError as error:
        raise ValueError(f"encoding is {encoding!r}; Python knows no such encoding.") from error
    except UnicodeError as error:
        raise DataError(
            f"the text is not valid {ENCODINGS.get(encoding, encoding)}", file=name,
            remedy="Choose another encoding, or save the file as UTF-8.",
        ) from error
    data = data.removeprefix(codecs.BOM_UTF8)
    start = data[: 1 << 16]
    control = len(re.findall(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]", start))
    if b"\0" in data or control > len(start) / 1000:
        raise _no_text(name)
    return data, encoding


def _encoding(data: bytes, name: str) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return encoding
    start = data[:4096]
    if b"\0" in start:
        # Western text in UTF-16 has a zero in every other byte.
        for first, encoding in ((0, "utf-16-be"), (1, "utf-16-le")):
            zeros = start[first::2].count(0)
            if zeros > 0.4 * len(start[first::2]) and not start[1 - first :: 2].count(0):
                return encoding
        raise _no_text(name)
    if data.isascii() or _is_utf8(data):
        return "utf-8"
    return _guessed(data) or _western(data)


def examples(data: bytes, most: int = 5) -> list[str]:
    """The first few names with characters beyond ASCII."""
    names: dict[str, None] = {}
    for match in _NAME.finditer(data):
        names[match[0].decode().strip()] = None
        if len(names) == most:
            break
    return list(names)


def _western(data: bytes) -> str:
    # Windows-1252 leaves five bytes undefined, Latin-1 none.
    return "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"


def _guessed(data: bytes) -> str | None:
    """The encoding of `GUESSED` in which names look most like words, or None."""
    names: dict[bytes, None] = {}
    size = 0
    for match in _NAME.finditer(data):
        if match[0] not in names:
            names[match[0]] = None
            size += len(match[0]) + 1
        if size > _SAMPLE:
            break
    sample = b" ".join(names)
    matches = from_bytes(sample, cp_isolation=[*GUESSED])
    best = matches.best()
    if best is None:
        return None
    as_good = {codecs.lookup(m.encoding).name for m in matches if m.chaos <= best.chaos}
    if "cp1252" in as_good:
        central = "cp1250" in as_good and (
            _share(sample, "cp1250", _CENTRAL | _WESTERN) > _share(sample, "cp1252", _WESTERN)
        )
        return "cp1250" if central else _western(data)
    guess = codecs.lookup(best.encoding).name
    try:
        data.decode(guess)
    except UnicodeError:
        return None
    return guess


#: A cell with characters beyond ASCII. The search begins at cells, not at every letter of a long
#: one.
_NAME = re.compile(rb"(?<![^,;\t\r\n\"])[^,;\t\r\n\"\x80-\xff]*[\x80-\xff][^,;\t\r\n\"]*")


def _share(sample: bytes, encoding: str, letters: frozenset[str]) -> float:
    """Share of `letters` among the characters beyond ASCII."""
    beyond = [c for c in sample.decode(encoding, errors="replace") if not c.isascii()]
    return sum(c in letters for c in beyond) / max(len(beyond), 1)


def _is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 1 << 20):
            decoder.decode(data[start : start + (1 << 20)])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _no_text(name: str) -> DataError:
    return DataError(
        "the file contains bytes that are not text", file=name,
        remedy="Upload the answers as a CSV, TSV or Parquet file.",
    )
