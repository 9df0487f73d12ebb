"""Taking a data set away: one file for OSF, for Zenodo, for others to open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.pseudonyms import (
    are_traceable,
    pseudonyms,
    reworded,
    tables_of,
    telling,
)
from tripletscope.dashboard.archive.terms import LICENCES, Terms, authors_of
from tripletscope.dashboard.files import export
from tripletscope.dashboard.report.gathering import looks_of, report_of
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import line, pick, switch

_KEY = "away"


def take_away(current: Session, info: DatasetInfo) -> None:
    """Ask under which terms, and offer the file."""
    st.caption(
        "One file for OSF or Zenodo: data, exclusions, results, a script and a notebook that "
        "compute them again. Uploaded on the start page, or unpacked into a workspace, it opens as "
        "it is here."
    )
    title = line(current, f"{_KEY}.title@{info.id}", "Title", info.name, max_chars=300)
    authors = line(
        current, f"{_KEY}.authors", "Authors", "", max_chars=300,
        placeholder="Ada Lovelace; Grace Hopper",
    )
    licence = pick(
        current, f"{_KEY}.licence", "Licence of the data",
        {key: licence.short for key, licence in LICENCES.items()},
    )
    traceable = bool(info.n_participants) and are_traceable(
        pseudonyms(services().workspace.cleaning(info).raw.answers)
    )
    hidden = bool(info.n_participants) and switch(
        current, f"{_KEY}.pseudonyms@{info.id}", "Replace participants' names", traceable,
        help="By sub-001 and so on. The file then lacks results that depend on participants; its "
        "script computes them.",
    )
    if traceable and not hidden:
        st.warning(
            "Participants are named by their accounts or addresses, by which others can trace "
            "them.", icon=":material/warning:",
        )
    if hidden:
        _warn_of_telling(info)
    terms = Terms(title or info.name, authors_of(authors), licence, hidden)
    st.download_button(
        "Download", _content(current, info, terms), f"{export.file_name(info.name)}.zip",
        "application/zip", key=f"{_KEY}.{info.id}", on_click="ignore", type="primary",
        icon=":material/folder_zip:",
    )


def _warn_of_telling(info: DatasetInfo) -> None:
    workspace = services().workspace
    cleaning = workspace.cleaning(info)
    columns = telling(tables_of(
        cleaning, workspace.pairs(info), workspace.measured(replace(info, exclusions=[])),
    ))
    people = pseudonyms(cleaning.raw.answers)
    named = [one.name for one in workspace.tables(info) if reworded(one.name, people) != one.name]
    if named:
        st.warning(
            panels.plain("These tables keep their names, which name participants: "
                         f"{', '.join(named)}. Upload them under other names first."),
            icon=":material/warning:",
        )
    if columns:
        st.warning(
            panels.plain("These columns stay as they are and tell participants apart: "
                         f"{', '.join(columns)}."),
            icon=":material/warning:",
        )


def _content(current: Session, info: DatasetInfo, terms: Terms) -> Callable[[], bytes]:
    settings = dict(current.drafts)
    context = Context(current, info, "data", None, None)

    def content() -> bytes:
        # A report may name participants: in figures of each, and in exclusions by hand.
        report = {} if terms.pseudonyms else {"report.html": report_of(context)}
        workspace = services().workspace
        looks = looks_of(context, [run.key for run in workspace.runs(info.id)])
        return archive(workspace, info, terms, files=report, settings=settings, looks=looks)

    return content
