"""All items of all documents with their verdicts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tripletscope.core.papers.item import DOCUMENTS, NO_DATA, VERDICTS, Assessment, Item
from tripletscope.core.papers.outcome import assessments
from tripletscope.core.papers.registry import items, original
from tripletscope.dashboard import export
from tripletscope.dashboard.views.page import Context, tab

PAGE = "papers"
#: Verdicts as badges: colour and icon.
BADGES = dict(zip(VERDICTS, (
    ("green", ":material/check_circle:"), ("orange", ":material/tune:"),
    ("red", ":material/cancel:"), ("gray", ":material/block:"),
), strict=True))
#: What documents are called in a word.
NAMES = {"thesis": "Thesis", "forests": "Forests", "uncertainty": "Uncertainty",
         "kernels": "Kernels"}


def assessment_of(item: Item) -> Assessment:
    """What is known of an item as the program is shipped."""
    lacking = Assessment(NO_DATA, "", "It was not rebuilt for this version.")
    return assessments().get(item.key, lacking)


@st.cache_data(show_spinner=False)
def overview() -> pd.DataFrame:
    """A row for every item."""
    rows = []
    for item in items().values():
        known = assessment_of(item)
        rows.append({
            "document": DOCUMENTS[item.document], "item": item.label, "about": item.title,
            "verdict": known.verdict, "why": known.why, "ours": known.ours,
            "published": original(item).published,
        })
    return pd.DataFrame(rows)


@tab(PAGE, "Overview", 0, slot=None)
def show_overview(context: Context) -> None:
    """How many items hold, and all of them in a table."""
    table = overview()
    st.write(
        f"All {len(table):,} figures, tables, theorems and algorithms of four documents. What can "
        "be measured was computed anew, and its verdict follows from our figures; definitions are "
        "only stated."
    )
    tallies = table["verdict"].value_counts()
    for column, verdict in zip(st.columns(len(VERDICTS)), VERDICTS, strict=True):
        column.metric(verdict.capitalize(), int(tallies.get(verdict, 0)))
    st.dataframe(
        table, hide_index=True, key=f"{PAGE}.all", height=560, placeholder="",
        column_config={
            "about": st.column_config.TextColumn(width="medium"),
            "why": st.column_config.TextColumn(width="large"),
        },
    )
    st.download_button(
        "Table (CSV)", lambda: export.csv(table), "papers.csv", "text/csv",
        key=f"{PAGE}.csv", on_click="ignore", icon=":material/table:",
    )
