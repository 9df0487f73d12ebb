"""All items of all documents with their verdicts."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import csv_button, set_widgets
from tripletscope.dashboard.views.page import go_to, tab
from tripletscope.reproductions.item import Item, document_of, label_of
from tripletscope.reproductions.outcome import verdicts
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import (
    DEMONSTRATED,
    ILLUSTRATION,
    NOT_REPRODUCED,
    REPRODUCED,
    STATED,
    THEIR_SETTING,
    UNDECIDED,
    WORDS,
)

PAGE = "papers"
_TABLE = f"{PAGE}.all"
#: Verdicts as badges: colour and icon.
BADGES = {
    REPRODUCED: ("green", ":material/check_circle:"),
    DEMONSTRATED: ("blue", ":material/swap_horiz:"),
    THEIR_SETTING: ("orange", ":material/tune:"),
    NOT_REPRODUCED: ("red", ":material/cancel:"),
    UNDECIDED: ("violet", ":material/balance:"),
    ILLUSTRATION: ("gray", ":material/image:"),
    STATED: ("gray", ":material/edit_note:"),
}
#: What documents are called in a word.
NAMES = {"thesis": "Thesis", "forests": "Forests", "uncertainty": "Uncertainty",
         "kernels": "Kernels"}
#: Of columns of the table, in pixels.
_WIDTHS = {"document": 85, "item": 130, "verdict": 150, "claim": 270,
           "data in place of the paper's": 220, "seeds": 160, "rule": "large", "why": "large"}


def places_in(item: Item, document: str) -> list[str]:
    """Where a document has an item, as it calls the places."""
    return [label_of(key) for key in (item.key, *item.also) if document_of(key) == document]


def other_places(item: Item) -> str:
    """Where an item is found beside its own place, in words; with the document where it differs."""
    return "; ".join(
        label_of(key) if document_of(key) == item.document
        else f"{DOCUMENTS[document_of(key)]}, {label_of(key)}"
        for key in item.also
    )


@st.cache_data(show_spinner=False)
def overview() -> pd.DataFrame:
    """A row for every item."""
    rows = []
    for key, item in items().items():
        verdict = verdicts()[key]
        rows.append({
            "document": NAMES[item.document], "item": item.label, "verdict": verdict.word,
            "claim": item.claim, "data in place of the paper's": item.stand_in,
            "seeds": verdict.share, "rule": item.rule, "not judged": item.not_judged,
            "why": verdict.why, "ours": verdict.ours, "published": item.published,
            "also": other_places(item), "about": item.title,
        })
    return pd.DataFrame(rows)


@tab(PAGE, "Overview", 0, slot=None)
def show_overview(context: Context) -> None:
    """How many items have which word, and all of them in a table."""
    table = overview()
    places = len(table) + sum(len(item.also) for item in items().values())
    st.write(
        f"{len(table):,} figures, tables, theorems, algorithms and claims of four documents, in "
        f"{places:,} places. What can be measured was computed again. The rule on each card gives "
        "the verdict, over five seeds where anything is random."
    )
    tallies = table["verdict"].value_counts()
    with st.container(horizontal=True, gap="xsmall"):
        for word, meaning in WORDS.items():
            colour, icon = BADGES[word]
            st.badge(
                f"{word.capitalize()}: {tallies.get(word, 0)}", icon=icon, color=colour,
                help=meaning,
            )
    st.caption("Click a row to open its card.")
    st.dataframe(
        table, hide_index=True, key=_TABLE, height=560, placeholder="",
        on_select=partial(_open_chosen, context.session),
        selection_mode=["single-row", "single-cell"],
        column_config={
            name: st.column_config.TextColumn(width=width) for name, width in _WIDTHS.items()
        },
    )
    csv_button("Table (CSV)", lambda: table, "papers", f"{PAGE}.csv", icon=":material/table:")


def _open_chosen(current: Session) -> None:
    chosen = widgets()[_TABLE]["selection"]
    for row in [*chosen["rows"], *(row for row, _ in chosen["cells"])][:1]:
        open_card(current, list(items())[row])


def open_card(current: Session, key: str) -> None:
    """Choose an item and the tab of its document, before the page is drawn."""
    set_widgets(current, {f"{PAGE}.{document_of(key)}": key})
    go_to(PAGE, document_of(key))
