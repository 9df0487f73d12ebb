"""Names of columns, words in cells and in forms, from words.toml and forms.toml."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


WORDS, FORMS = _table("words.toml"), _table("forms.toml")

_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "ß": "ss", "đ": "d", "œ": "oe", "æ": "ae"})
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
#: Only Latin letters lose their marks: in kana and Cyrillic marks make other letters.
_MARKS = re.compile("(?<=[\x00-\x7f])[\u0300-\u036f]+")


def spellings(word: str) -> tuple[str, ...]:
    """A word, also without accents, and with umlauts as ae, oe and ue."""
    word = word.casefold()
    if word.isascii():  # there are thousands
        return (word,)
    plain = _MARKS.sub("", unicodedata.normalize("NFD", word.translate(_PLAIN)))
    result = (word, unicodedata.normalize("NFC", plain), word.translate(_GERMAN))
    return tuple(dict.fromkeys(result))


def spelt(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spelling for word in words for spelling in spellings(word)))


def foreign_names(role: str) -> tuple[str, ...]:
    """Column names of a role in all languages but English."""
    return spelt(name for language in WORDS["foreign"].values() for name in _names(language, role))


def _names(language: dict[str, list[str]], role: str) -> Iterator[str]:
    names = language.get(role, [])
    if role == "time":  # without a clock, the number of the trial is the time, as in English
        names = [*names, *_names(language, "trial")]
    yield from names
    for name in names:
        yield from (name + end for end in WORDS["after"].get(role, ()))
        yield from (start + name for start in WORDS["before"].get(role, ()))
    if role in ("left", "right"):
        number, letter = ("1", "a") if role == "left" else ("2", "b")
        for side in names:
            yield from (thing + side for thing in language["thing"])
        for option in language["option"]:
            yield from (option + number, option + letter)


#: Cells that say that there was no response.
UNANSWERED_CELLS = frozenset(WORDS["beside"]["unanswered"])

#: Words in cells for left, right and the middle of three, and for yes and no.
FOREIGN_CELLS: dict[str, tuple[str, ...]] = {
    **{
        side: spelt(word for language in WORDS["foreign"].values() for word in language[side])
        for side in ("left", "right")
    },
    **{cell: tuple(words) for cell, words in WORDS["cells"].items()},
}
