"""The ids of participants: one spelling of each, which files and data sets keep as it is."""

from __future__ import annotations

import re
import unicodedata

from tripletscope.core.data.cells import MISSING, bare, reads_as_itself
from tripletscope.core.data.errors import DataError

#: Characters of an id.
MOST_CHARACTERS = 200
# Characters that Unicode calls default ignorable, beside those of its category Cf: no font shows
# them.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
#: What the log calls people whose ids were removed: see `tripletscope collect --purge`.
_REMOVED = re.compile(r"anonymous [0-9]+", re.IGNORECASE)


def participant_id(text: str) -> str:
    """The id of a participant as data sets show it: `normal_id`, of 1 to 200 visible characters."""
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
    """An id without what does not tell people apart.

    Compatibility forms (such as full-width letters) become plain ones and accents one character
    with their letter (Unicode's form NFKC); invisible characters go; white space becomes single
    spaces, and none at either end.
    """
    visible = "".join(
        character for character in unicodedata.normalize("NFKC", text)
        if unicodedata.category(character) != "Cf" and not _IGNORABLE.match(character)
    )
    return unicodedata.normalize("NFKC", " ".join(visible.split()))


def shown_id(participant: str) -> str:
    """What a data set calls a participant: never an empty cell, also of one called "none"."""
    text = bare(participant)
    return f"participant {text}".strip() if text.casefold() in MISSING else text
