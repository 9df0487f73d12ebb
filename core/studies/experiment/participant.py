"""Ids of participants: one spelling of each, in files and data sets."""

from __future__ import annotations

import re
import unicodedata

from tripletscope.core.data.cells import MISSING, bare, reads_as_itself
from tripletscope.core.data.errors import DataError

#: Characters of an id.
MOST_CHARACTERS = 200
# Unicode's default ignorable characters beside its category Cf, which no font shows.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
#: Ids of people in the log whose own were removed: see `tripletscope collect --purge`.
_REMOVED = re.compile(r"anonymous [0-9]+", re.IGNORECASE)


def participant_id(text: str) -> str:
    """The id of a participant: `normal_id`, of 1 to 200 visible characters."""
    spelling = normal_id(text)
    if not spelling or len(spelling) > MOST_CHARACTERS:
        why = f"an id has 1 to {MOST_CHARACTERS} visible characters"
    elif not spelling.isprintable():
        why = "the id holds characters that are no text"
    elif not reads_as_itself(spelling):
        why = "files of answers would show the id as another one, or as a missing value"
    elif _REMOVED.fullmatch(spelling):
        why = "people whose ids were removed are called “anonymous” and a number"
    else:
        return spelling
    raise DataError(why, file="id of a participant", remedy="Give the participant another id.")


def normal_id(text: str) -> str:
    """An id in its one spelling.

    Unicode's form NFKC (plain for full-width letters, one character for letter and accent), without
    invisible characters, with single spaces, and none at either end.
    """
    visible = "".join(
        character for character in unicodedata.normalize("NFKC", text)
        if unicodedata.category(character) != "Cf" and not _IGNORABLE.match(character)
    )
    return unicodedata.normalize("NFKC", " ".join(visible.split()))


def shown_id(participant: str) -> str:
    """The name of a participant in data sets: never a missing value, also for the id "none"."""
    text = bare(participant)
    return f"participant {text}".strip() if text.casefold() in MISSING else text
