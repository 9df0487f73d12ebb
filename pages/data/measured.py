"""What the views of Quality share: measures of people or objects, as figures and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.dashboard.figures.quality import measures
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.chart import Gestures
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.words.formats import count

_PERCENT = "%.1f %%"
#: What is meant by the titles of columns that need a word.
_EXPLAINED = {
    "predicted by the others' map": "Proportion of the participant's answers that a map of all "
    "other participants' answers predicts. Guessing gives 50 %.",
    "agreement with the majority": "Proportion of answers on the side of the others' majority, "
    "where others answered the same question. Guessing gives 50 %.",
    "intra-observer consistency": "Proportion of identical answers when the same question was "
    "asked twice. Guessing gives 50 %.",
    "catch and gold questions failed": "Questions with a known right answer, such as those in "
    "which the anchor is one of the options.",
    "p (no side bias)": "Small if one side was chosen more often than chance explains.",
    "p (random sequence of sides)": "Small if sides follow each other in a pattern.",
}
#: What a share is of.
_CASES = {
    "agrees": ("compared", "answers to shared questions"),
    "consistent": ("repeats", "pairs of repeats"), "failed": ("checks", "catch and gold questions"),
}
_TIMES = ("mean_time", "median_time", "fastest")
_SHARES = (
    "predicted", "agrees", "consistent", "failed", "favourite_share", "circular_share", "agree",
    "lower", "upper",
)
_CHANCE = {"predicted": 0.5, "agrees": 0.5, "consistent": 0.5, "circular_share": 0.25}


def pick_axes(
    current: Session, name: str, table: pd.DataFrame, titles: dict[str, str],
    first: tuple[str, ...], second: tuple[str, ...],
) -> tuple[str, str]:
    """Ask for two columns; at first the first of `first` and `second` that is mostly known."""
    columns = _columns_known(table, titles)
    mostly = [c for c in columns if table[c].notna().mean() > 0.5]
    # What was just computed is shown: it is the first choice among more columns.
    key = f"quality.{name}.{len(columns)}"
    x = pick(current, f"{key}.x", "Across", columns,
             default=next((c for c in first if c in mostly), None))
    y = pick(current, f"{key}.y", "Up", columns,
             default=next((c for c in second if c in mostly), mostly[-1]))
    return x, y


def _columns_known(table: pd.DataFrame, titles: dict[str, str]) -> dict[str, str]:
    """Columns that a table has, and of which something is known."""
    return {c: title for c, title in titles.items() if c in table and table[c].notna().any()}


def draw_measures(
    context: Context, what: str, table: pd.DataFrame, x: str, y: str, names: str,
    titles: dict[str, str], chosen: list[str], choose: Any, most: bool = False,
) -> None:
    n = int((table[x].notna() & table[y].notna()).sum())
    text = f"{context.info.name}: {count(n, what[:-1])} for which both are known"
    text += ", those with the most answers." if most else "."
    if f"{y}_low" in table:
        text += " With 95 % intervals, " + ("by question." if y != "failed" else "over trials.")
    drawing = Drawing(what, what, text, text, 400 / 760, lambda canvas: measures(
        table, x, y, names=names, titles=titles, logarithmic=x in _TIMES, chance=_CHANCE.get(y),
        chosen=chosen, caption=text, canvas=canvas,
    ), lambda: table)
    panels.figure_panel(
        context.session, drawing, key=f"quality.{what}", canvas=Canvas(760.0, 400.0),
        name=export.file_name(context.info.name, what), gestures=Gestures(on_pick=choose),
    )


def with_intervals(titles: dict[str, str], table: pd.DataFrame) -> dict[str, str]:
    """Titles of columns, each followed by those of its cases and interval, as far as known."""
    more = {}
    for column, title in titles.items():
        more[column] = title
        cases, title_of_cases = _CASES.get(column, ("", ""))
        if cases in table and cases not in titles:
            more[cases] = title_of_cases
        if f"{column}_low" in table:
            more |= {f"{column}_low": f"{title}, from", f"{column}_high": f"{title}, to"}
    return more


def show_table(
    rows: pd.DataFrame, titles: dict[str, str], name: str, *, table: pd.DataFrame | None = None
) -> None:
    """A table under the titles of its columns, shares in per cent; empty columns are left out.

    The first column stays in view. `table` is downloaded, if it is not what is shown.
    """
    whole = rows if table is None else table
    shown = rows[[*_columns_known(rows, titles)]].copy()
    columns: dict[str, Any] = {}
    for column in shown:
        form, title = _form_of(column, shown[column]), titles[column]
        if form is not None:
            columns[title] = st.column_config.NumberColumn(format=form, help=_EXPLAINED.get(title))
        else:
            pinned = True if column == shown.columns[0] else None
            columns[title] = st.column_config.Column(pinned=pinned, help=_EXPLAINED.get(title))
        if form == _PERCENT:
            shown[column] *= 100
    st.dataframe(
        shown.rename(columns=titles), hide_index=True, placeholder="", key=f"quality.table.{name}",
        height=min(38 + 35 * max(len(shown), 1), 420), column_config=columns,
    )
    csv_button("CSV", lambda: whole, export.file_name(name), f"quality.csv.{name}")


def _form_of(name: str, values: pd.Series) -> str | None:
    """How the numbers of a column are written; None of other columns."""
    if name in _SHARES or name.endswith(("low", "high")):
        return _PERCENT
    if name in _TIMES:
        return "%.2f"
    if name.endswith("_p"):
        return "%.2g"
    is_whole = values.dtype.kind in "iuf" and np.all(values.dropna() % 1 == 0)
    return "localized" if is_whole else None
