"""Distances that were uploaded: kept with the data set, where Features compares them, too."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import hash_of_distances
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import errors_shown, set_widgets
from tripletscope.dashboard.ui.reading import read_file


def ask_for_distances(context: Context, place: str, *, own: str = "") -> FeatureTable | None:
    """Ask for a table of distances of the objects, which may be uploaded here.

    own: Title of what there is without a table, for which the answer is None.
    """
    chosen = f"{place}.table@{context.info.id}"
    file = st.file_uploader(
        "Matrix", key=place, help="A square table of distances or similarities, in any format: "
        "with object names in the first row and column, or in the order of the objects. It is "
        "kept; Remove is on the page Features and models.",
    )
    noted = f"{place}.taken@{context.info.id}"
    if file is not None and context.session.drafts.get(noted) != file.file_id:
        with errors_shown(DataError, WorkspaceError):
            table = read_file(
                context.session, place, file, "distances", words="Reading the matrix",
                about=context.triplets,
            )
            (name,) = services().workspace.add_tables(
                context.info, context.triplets, [table], file.name
            )
            set_widgets(context.session, {chosen: name, noted: file.file_id})
    # As the data set is kept now: a table may just have been added.
    info = services().workspace.dataset(context.info.id) or context.info
    kept = {table.name: table for table in services().workspace.tables(info)
            if table.holds_distances}
    if not kept:
        return None
    name = pick(
        context.session, chosen, "Distances",
        ({"": own} if own else {}) | {name: name for name in kept},
    )
    if not name:
        return None
    st.caption(panels.plain(" ".join(kept[name].notes)))
    with errors_shown(WorkspaceError):
        return services().workspace.table(info, kept[name], context.triplets)
    return None


def measured_of(context: Context, table: FeatureTable | None = None) -> RatedDissimilarities:
    """What the data set was made of, such as ratings, or distances of a table beside it."""
    info = context.info
    content = (info.id, info.imported, info.state, info.fingerprint)
    if table is not None:
        content += (table.name, hash_of_distances(table))
    return _measured(content, context, table)


@st.cache_resource(max_entries=4, show_spinner=False)
def _measured(content: tuple, _context: Context, _table: Any) -> RatedDissimilarities:
    if _table is not None:
        return _table.ratings(_context.triplets)
    return services().workspace.measured(_context.info)
