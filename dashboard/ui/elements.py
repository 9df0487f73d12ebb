"""What many pages are made of: the button that computes, a table as a file, an error in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.files import export
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.guide import help_with
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.ui.reading import read_file

#: Why a button that computes is disabled.
COMPUTED = "Nothing is left to compute with these settings."
CHOOSE, CHOOSE_ROWS = "Choose a file first.", "Choose rows of the table first."


def run_button(session: Session, key: str, label: str, **further: Any) -> bool:
    """Whether the main button of a form was pressed, which computes."""
    return pressed(session, key, label, type="primary", icon=":material/play_arrow:",
                   width="stretch", **further)


def looks_row(place: Any) -> Any:
    """The slim row above a picture for what changes its look."""
    with place:
        return st.container(horizontal=True, key="looks")


def csv_button(
    label: str, table: Callable[[], pd.DataFrame], name: str, key: str, *,
    icon: str | None = ":material/download:", **further: Any,
) -> None:
    """Offer a table as CSV, which is made when it is asked for."""
    st.download_button(label, lambda: export.csv(table()), f"{name}.csv", "text/csv", key=key,
                       on_click="ignore", icon=icon, **further)


def show_error(
    problem: object, show: Callable[..., Any] = st.error, icon: str = "error"
) -> None:
    """Say what is wrong, such as with the user's data, with a link to what helps.

    problem: A text, or an error or a job whose `trouble` names that section.
    """
    show(f"{plain(str(problem))}{help_with(problem)}", icon=f":material/{icon}:")


@contextmanager
def errors_shown(*kinds: type[Exception], file: str = "", **how: Any) -> Iterator[None]:
    """Say what is wrong where a block fails by it, leave the rest of the block out, and go on.

    kinds: Of errors; `DataError` unless others are given.
    file: That a `DataError` is about, where it does not say so.
    **how: As of `show_error`.
    """
    kinds = kinds or (DataError,)
    try:
        yield
    except kinds as error:
        show_error(error.at(file) if file else error, **how)


def read_or_show_error(session: Session, key: str, file: Any, what: str, **how: Any) -> Any:
    """What `read_file` reads; None, having said why, where the file cannot be read."""
    with errors_shown():
        return read_file(session, key, file, what, **how)
    return None


def set_widgets(session: Session, values: Mapping[str, Any]) -> None:
    """Give widgets their values before they are drawn, where they will be seen."""
    session.take_up({**values, "drawer": True})
    widgets().update(values)
