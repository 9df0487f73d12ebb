"""Features of the objects in the place of a map: which ones, and uploaded tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding.features import ColumnMap, is_feature
from tripletscope.core.reading import attach_objects, features_of
from tripletscope.core.run import Run, key, run
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import doing, parameter_form, pressed
from tripletscope.dashboard.ui.elements import errors_shown, read_or_show_error, set_widgets
from tripletscope.dashboard.upload.ingest import accept_features
from tripletscope.dashboard.words.formats import count

PAGE = "trees"
#: The choice of features among maps and kernels.
FEATURES = "features"


def place_of_source(info: DatasetInfo) -> str:
    """Where the session notes what answers: a map or kernel by its key, or `FEATURES`."""
    return f"{PAGE}.map@{info.id}"


def choose_features(context: Context) -> Run | None:
    """Ask by which features objects are compared; None, having said so, where there are none."""
    objects, info = context.triplets.objects, context.info
    columns = [column for column in context.columns if is_feature(objects[column])]
    if not columns:
        panels.empty(
            "No features yet",
            "Upload a table with one row per object and columns of numbers. Trees and forests then "
            "compare objects by Euclidean distance.",
        )
        _upload(context.session, context)
        return None
    with context.row, st.popover("Features", icon=":material/table_chart:"):
        settings = parameter_form(
            context.session, ColumnMap, _form(info), columns={"objects": columns},
            defaults={"columns": [c for c in info.extra.get("features", ()) if c in columns]
                      or features_of(objects[columns]) or columns},
        )
        _upload(context.session, context)
    if not settings["columns"]:
        panels.empty("No feature is chosen", "Choose at least one column under Features.")
        return None
    method = ColumnMap(**settings)
    with errors_shown():
        return _fitted(key("fit", method, context.triplets), method, context.triplets)
    return None


@st.cache_data(max_entries=16, show_spinner=False)
def _fitted(key: str, _method: ColumnMap, _answers: Triplets) -> Run:
    """The same result as long as nothing changes: trees that are grown of it stay, too."""
    return run("fit", _method, _answers)


def show_table(current: Session) -> None:
    """A table of features where no data set is open: it becomes one."""
    st.write("Or open a table of features: one row per object, with columns of numbers.")
    _upload(current, None)


def _form(info: DatasetInfo) -> str:
    return f"{PAGE}.features@{info.id}"


def _upload(current: Session, context: Context | None) -> None:
    """A table of features; it is added to the objects that are open, or becomes a data set."""
    # One for each data set: a table that has become one is not asked about again.
    place = f"{PAGE}.table@{context.info.id if context else ''}"
    file = st.file_uploader(
        "Table of features", key=place,
        help="One row per object, in any format that answers may have. Columns of numbers are "
        "features; a column id or name identifies objects, a column class or response is for "
        "prediction.",
    )
    described = None
    if file is not None:
        described = read_or_show_error(current, place, file, "features", words="Reading the table")
    if described is None:
        return
    columns = features_of(described)
    lacking = int(described[columns].isna().any(axis=1).sum())
    st.caption(
        f"{count(len(described), 'object')}, {count(len(columns), 'feature')}"
        + (f"; {count(lacking, 'object')} omitted for missing numbers." if lacking else ".")
    )
    fits = context is not None and _offer(current, context, file, described)
    if pressed(
        current, f"{PAGE}.table.open", "Open as a data set",
        type="secondary" if fits else "primary", icon=":material/folder_open:",
        help="Objects of the table, with comparisons of their distances as answers.",
    ):
        _open(current, file, described)


def _offer(current: Session, context: Context, file: Any, described: pd.DataFrame) -> bool:
    """Whether the table is about the open objects, and the button that adds its columns."""
    info = context.info
    cleaning = services().workspace.cleaning(info)
    try:
        changed, match = attach_objects(cleaning.raw, described)
    except DataError as error:
        problem = DataError(
            error.problem, file=file.name, remedy="Name the objects as the answers do, or add the "
            "table on the page Data, where numbers of rows can be matched.",
        )
        st.info(panels.plain(str(problem)), icon=":material/info:")
        return False
    for line in match.summary():
        st.markdown(f"- {panels.plain(line)}")
    st.button(
        "Use for these objects", key=f"{PAGE}.table.add", type="primary", on_click=_add,
        args=(current, info, replace(cleaning, raw=changed), features_of(described)),
    )
    return True


def _add(current: Session, info: DatasetInfo, cleaning: Cleaning, columns: list[str]) -> None:
    """Let the objects have these columns, and be compared by them."""
    services().workspace.update_dataset(info, cleaning)
    set_widgets(current, {f"{_form(info)}.columns": columns})


def _open(current: Session, file: Any, described: pd.DataFrame) -> None:
    with errors_shown(), doing(current, st.spinner("Comparing the objects")):
        info = accept_features(file.name, described, features_of(described))
        current.open(info.id)
        st.rerun()
