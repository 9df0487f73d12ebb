"""Tables of features: uploaded, kept beside the data set, named, set and removed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.spaces import METRICS
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.feature_tables import KeptTable
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import errors_shown, set_widgets
from tripletscope.dashboard.ui.reading import read_file

#: Pixels in which more tables than these are listed.
_WINDOW, _FEW = 220, 3


def place_of_spaces(page: str, context: Context) -> str:
    """Key of the choice of feature spaces."""
    return f"{page}.spaces@{context.info.id}"


def set_spaces(context: Context, page: str, names: list[str]) -> None:
    """Choose feature spaces before the choice is drawn."""
    set_widgets(context.session, {place_of_spaces(page, context): names})


def ask_for_tables(context: Context, page: str) -> tuple[list[KeptTable], list[str]]:
    """A form for the tables of the open data set; all there are, and names of those just added."""
    place = f"{page}.upload@{context.info.id}"
    files = st.file_uploader(
        "Tables of features or distances", key=place, accept_multiple_files=True,
        help="CSV, Excel, Parquet, NumPy (npy, npz), MATLAB or HDF5; several at once. One row per "
        "object, identified by a column id or name, otherwise in the order of the objects. A "
        "symmetric square with zeros on its diagonal holds distances. Each array of a file is a "
        "table, such as a layer of a network.",
    ) or []
    taken = set(context.session.drafts.get(f"{place}.taken", ()))
    added: list[str] = []
    for file in files:
        if file.file_id in taken:
            continue
        with errors_shown(DataError, WorkspaceError):
            added += _taken(context, f"{place}.{file.file_id}", file)
            taken.add(file.file_id)
    context.session.remember(f"{place}.taken", sorted(taken & {file.file_id for file in files}))
    # As the data set is kept now: tables may just have been added.
    now = services().workspace.dataset(context.info.id) or context.info
    tables = services().workspace.tables(now)
    if tables:
        _list(tables)
        _change(context, page, tables)
    return tables, added


def _taken(context: Context, place: str, file: Any) -> list[str]:
    """Names of what is kept of a file."""
    tables = read_file(
        context.session, place, file, "feature_tables", words=f"Reading {file.name}",
        about=context.triplets,
    )
    return services().workspace.add_tables(context.info, context.triplets, tables, file.name)


def _list(tables: list[KeptTable]) -> None:
    """What each table holds, and how its rows were matched to the objects."""
    with st.container(height=_WINDOW if len(tables) > _FEW else "content"):
        for table in tables:
            st.caption(
                f"**{panels.plain(table.name)}**: "
                + panels.plain(f"{table.about}, from {table.origin}. {' '.join(table.notes)}")
            )


def _change(context: Context, page: str, tables: list[KeptTable]) -> None:
    """Name, comparison and removal of one table."""
    names = {table.name: table for table in tables}
    place = f"{page}.table@{context.info.id}"
    chosen = pick(context.session, place, "Change", {name: name for name in names})
    table, key = names[chosen], f"{place}.{names[chosen].file}"
    st.text_input(
        "Name", table.name, key=f"{key}.name", max_chars=80, on_change=_rename,
        args=(context, page, f"{key}.name", chosen),
    )
    if table.holds_distances:
        st.caption("Distances are compared as they are.")
    else:
        _settings(context, key, table)
    st.button(
        "Remove", key=f"{key}.remove", icon=":material/delete:",
        on_click=services().workspace.remove_table, args=(context.info, chosen),
    )


def _settings(context: Context, key: str, table: KeptTable) -> None:
    """How the rows of a table are compared."""
    before = {"metric": "euclidean", "standardise": table.named, **table.settings}
    metric = st.selectbox(
        "Compare rows by", list(METRICS), list(METRICS).index(before["metric"]),
        key=f"{key}.metric", format_func=lambda name: METRICS[name],
        help="Cosine and correlation are usual for vectors of networks and language models, inner "
        "products for odd-one-out choices: similar is what has much of the same.",
    )
    standardise = st.toggle(
        "Standardise", before["standardise"], key=f"{key}.standardise",
        help="Each column gets a standard deviation of 1: usual for measurements in different "
        "units, not for columns of a network.",
    )
    now = {"metric": metric, "standardise": standardise}
    if now != before:
        services().workspace.change_table(context.info, table.name, settings=now)
        st.rerun()


def _rename(context: Context, page: str, key: str, before: str) -> None:
    name = " ".join(str(widgets().get(key, "")).split())
    if not name or name == before:
        return
    with errors_shown(WorkspaceError):
        services().workspace.change_table(context.info, before, name=name)
        place = place_of_spaces(page, context)
        spaces = widgets().get(place, context.session.drafts.get(place)) or ()
        if spaces:
            set_spaces(context, page, [name if space == before else space for space in spaces])
