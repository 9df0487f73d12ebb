"""Names that look the same and are not: invisible characters, accents written in two ways."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tripletscope.core.io.names import counted

#: What is seen as nothing: of no width, marks of direction, soft hyphens, variants of a sign.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
#: What is seen as a space.
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t]| {2,}")
_SHOWN = 3


def seen(name: str) -> str:
    """The name as it looks: what is not seen is left out."""
    if name.isascii() and "  " not in name and "\t" not in name:
        return name
    return unicodedata.normalize("NFC", _SPACES.sub(" ", _INVISIBLE.sub("", name))).strip()


def lookalikes(names: Sequence[str]) -> list[list[str]]:
    """Groups of different names that look the same, in the order of the first of each."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(seen(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def spelled(name: str) -> str:
    """The name with whatever cannot be seen, or looks like something else, by its number."""
    def code(found: re.Match) -> str:
        return "".join(f"[U+{ord(character):04X}]" for character in found[0])

    plain = _INVISIBLE.sub(code, _SPACES.sub(code, name))
    return "".join(f"[U+{ord(c):04X}]" if unicodedata.combining(c) else c for c in plain)


def notes_on(names: Sequence[str]) -> list[str]:
    """What a report says of names that look the same: which they are, and what differs."""
    found = lookalikes(names)
    if not found:
        return []
    shown = "; ".join(
        f"{seen(group[0])} ({' and '.join(map(spelled, group))})" for group in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    which = f"{counted(len(found), 'name')} of objects {'is' if len(found) == 1 else 'are'} "
    return [
        f"{which}written in several ways that look the same, and taken for different objects: "
        f"{shown}{more}. Write each in one way if it is one object."
    ]
