"""Ratings, confusions, piles and arrangements that were uploaded, before they are kept."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.ratings import KINDS
from tripletscope.core.ratings.ratings import STANDARDS
from tripletscope.core.reading import RatingsFile
from tripletscope.core.reading.names import name_of_several
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick, pressed
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.page import open_page
from tripletscope.dashboard.ui.reading import read_measured
from tripletscope.dashboard.upload import ingest
from tripletscope.dashboard.words.formats import count

_KEY = "measured"
_DIRECTIONS = {"similar": "More similar", "dissimilar": "More different"}
#: How rows are told in words, by the columns of their kind.
_SENTENCES = {
    "ratings": "{who} rated {item1} and {item2}: {rating:g}",
    "confusions": "{who} was shown {stimulus} and responded {response}: {count:g} times",
    "piles": "{who} put {item} into pile {pile}",
    "arrangements": "{who} placed {item} at ({x:g}, {y:g})",
}
_SHOWN = 3
_UNSAID = "Say first what large numbers mean."
_KEEPS = (
    "Keeps the dissimilarities with their uncertainty, for maps of them, and each rater's "
    "comparisons, for all other pages."
)


def show_measured(current: Session, files: list[Any], kind: str | None = None) -> None:
    """What the files are taken for, what can be said otherwise, and a button that keeps it."""
    with errors_shown():
        file = read_measured(current, _KEY, files, kind, {})
        if file.kind == "ratings":
            options = _options(current, "" if file.asks else file.direction)
            file = read_measured(current, f"{_KEY}.options", files, kind, options)
        _tell(file)
        if pressed(
            current, f"{_KEY}.go", "Make a map of it", type="primary",
            why=_UNSAID if file.asks else "", help=_KEEPS,
        ):
            name = name_of_several([one.name for one in files])
            current.open(ingest.accept_measured(name, file).id)
            open_page("embedding", "dissimilarities")


def _options(current: Session, detected: str) -> dict[str, Any]:
    """What the columns do not tell for sure; without a direction as long as nobody has said it."""
    order = sorted(_DIRECTIONS, key=lambda name: name != detected)
    known = {name: _DIRECTIONS[name] for name in order}
    direction = pick(
        current, f"{_KEY}.direction.{detected}", "Large numbers mean",
        known if detected else {"": "Not said yet", **known},
    )
    standardise = pick(current, f"{_KEY}.standardise", "Raters are compared", STANDARDS)
    # What is detected is not what somebody has said.
    said = {"direction": direction} if direction not in ("", detected) else {}
    return said | {"standardise": standardise}


def _tell(file: RatingsFile) -> None:
    data = file.measured()
    raters = f" by {count(len(data.raters), 'person', 'people')}" if data.raters else ""
    st.markdown(f"**{panels.plain(KINDS[file.kind].title)}** of "
                f"{count(data.n_objects, 'object')}{raters}: "
                f"{count(data.n_judgements, data.judgement)}.")
    pairs = file.table
    if "item1" in pairs:  # with itself, an object is an example of nothing
        pairs = pairs[pairs["item1"] != pairs["item2"]]
    rows = pairs.head(_SHOWN)
    rows = rows.assign(who=[_called(who) for who in rows["participant"]]
                       if "participant" in rows else "Somebody")
    lines = [_SENTENCES[file.kind].format(**row) for row in rows.to_dict("records")]
    st.markdown("\n".join(f"- {panels.plain(line)}" for line in [*lines, *file.notes]))


def _called(who: str) -> str:
    """As of answers: numbers are no names."""
    return f"P{who}" if who.isdigit() else who
