"""Ratings, confusions, piles and arrangements that were uploaded, before they are kept."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.io import MeasuredFile
from tripletscope.core.ratings import KINDS
from tripletscope.core.ratings.ratings import STANDARDS
from tripletscope.dashboard import imports
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.interface.reading import read_measured
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.page import go_to
from tripletscope.dashboard.wording.formats import count

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


def show_measured(current: Session, files: list[Any], kind: str | None = None) -> None:
    """What the files are taken for, what can be said otherwise, and a button that keeps it."""
    try:
        first = read_measured(current, _KEY, files, kind, {})
        options = _options(current, first)
        found = first
        if options:
            found = read_measured(current, f"{_KEY}.options", files, kind, options)
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    data = found.measured()
    raters = f" by {count(len(data.raters), 'person', 'people')}" if data.raters else ""
    st.markdown(f"**{panels.plain(KINDS[found.kind].title)}** of "
                f"{count(data.n_objects, 'object')}{raters}.")
    rows = found.table.head(_SHOWN).assign(who=found.table.get("participant", "Somebody"))
    told = [_SENTENCES[found.kind].format(**row) for row in rows.to_dict("records")]
    st.markdown("\n".join(f"- {panels.plain(line)}" for line in [*told, *found.notes]))
    if pressed(
        current, f"{_KEY}.go", "Make a map of it", type="primary",
        help="Keeps the dissimilarities with their uncertainty, for maps of them, and each rater's "
        "comparisons, for all other pages.",
    ):
        _keep(current, files[0].name, found)


def _options(current: Session, found: MeasuredFile) -> dict[str, Any]:
    """What the columns do not tell for sure."""
    if found.kind == "ratings":
        key = f"{_KEY}.direction.{found.options['direction']}"
        order = sorted(_DIRECTIONS, key=lambda name: name != found.options["direction"])
        return {
            "direction": pick(
                current, key, "Large numbers mean", {name: _DIRECTIONS[name] for name in order}
            ),
            "standardise": pick(
                current, f"{_KEY}.standardise", "Raters are compared", STANDARDS,
            ),
        }
    return {}


def _keep(current: Session, name: str, found: MeasuredFile) -> None:
    try:
        info = imports.accept_measured(name, found)
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    current.open(info.id)
    go_to("embedding", "dissimilarities")
    st.switch_page("../pages/embedding.py")
