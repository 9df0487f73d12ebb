"""All items of all documents with their verdicts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard import export
from tripletscope.dashboard.views.page import Context, tab
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


def places_in(item: Item, document: str) -> list[str]:
    """Where a document has an item, as it calls the places."""
    return [label_of(key) for key in (item.key, *item.also) if document_of(key) == document]


def other_places(item: Item) -> str:
    """Where an item is found beside its own document and place, in words."""
    return "; ".join(f"{DOCUMENTS[document_of(key)]}, {label_of(key)}" for key in item.also)


@st.cache_data(show_spinner=False)
def overview() -> pd.DataFrame:
    """A row for every item."""
    rows = []
    for key, item in items().items():
        known = verdicts()[key]
        rows.append({
            "document": DOCUMENTS[item.document], "item": item.label, "about": item.title,
            "verdict": known.word, "seeds": known.share, "claim": item.claim, "rule": item.rule,
            "not judged": item.not_judged, "data in place of the paper's": item.stand_in,
            "why": known.why, "ours": known.ours, "published": item.published,
            "also": other_places(item),
        })
    return pd.DataFrame(rows)


@tab(PAGE, "Overview", 0, slot=None)
def show_overview(context: Context) -> None:
    """How many items have which word, and all of them in a table."""
    table = overview()
    places = len(table) + sum(len(item.also) for item in items().values())
    st.write(
        f"{len(table):,} figures, tables, theorems, algorithms and claims of four documents, which "
        f"stand in {places:,} places. What can be measured was computed anew; its word follows by "
        "the rule on its card, over five seeds where anything is random."
    )
    tallies = table["verdict"].value_counts()
    for column, (word, meaning) in zip(st.columns(len(WORDS)), WORDS.items(), strict=True):
        column.metric(word.capitalize(), int(tallies.get(word, 0)), help=meaning)
    st.dataframe(
        table, hide_index=True, key=f"{PAGE}.all", height=560, placeholder="",
        column_config={
            "about": st.column_config.TextColumn(width="medium"),
            "verdict": st.column_config.TextColumn(width=130),
            "why": st.column_config.TextColumn(width="large"),
        },
    )
    st.download_button(
        "Table (CSV)", lambda: export.csv(table), "papers.csv", "text/csv",
        key=f"{PAGE}.csv", on_click="ignore", icon=":material/table:",
    )
