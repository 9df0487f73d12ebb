"""The list of questions of an experiment, to take away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.handout import LAYOUTS, QuestionList, question_list
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick, text
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.simulate.asking import LAYOUT_HELP, as_sentences
from tripletscope.dashboard.views.simulate.setting import PAGE, beginning, prefix
from tripletscope.dashboard.wording.formats import count

_PREVIEW = 8
_SECONDS = 3  # that a question takes, more or less
_KINDS = {"question": "Questions", "repeat": "Repeats", "gold": "Gold slots"}
_SOURCES = {
    "numbers": "Numbered", "typed": "Typed here", "upload": "From a table",
    "open": "Those of the open data set",
}


@tab(PAGE, "List of questions", 3, slot=None)
def show_questions(context: Context) -> None:
    """Ask for objects and numbers, and show the list."""
    current = context.session
    picture, side = st.columns([3, 1], gap="large")
    with side:
        objects = _objects(current)
        options = parameter_form(
            current, question_list, f"{PAGE}.list", defaults={"n_questions": 300}
        )
        layout = pick(current, f"{PAGE}.layout", "Layout", LAYOUTS, help=LAYOUT_HELP)
    with picture:
        if objects is None or len(objects) < 3:
            panels.empty(
                "Three objects are needed", "Name the objects on the right, one per line."
            )
            return
        try:
            found = _listed(len(objects), options)
        except ValueError as error:
            st.warning(panels.plain(str(error)), icon=":material/error:")
            return
        _show(current, found, objects, layout)


def _objects(current: Session) -> pd.DataFrame | None:
    """Ask what the questions are about: ids, labels, perhaps names of pictures."""
    info = current.dataset
    sources = {name: title for name, title in _SOURCES.items() if name != "open" or info}
    source = pick(
        current, f"{PAGE}.list.source", "Objects", sources, default="open" if info else "numbers"
    )
    if source == "open":
        return services().workspace.triplets(info).objects
    if source == "typed":
        typed = text(
            current, f"{PAGE}.list.names", "Names, one per line", "apple\npear\nplum\ncherry",
            height=180,
        )
        names = list(dict.fromkeys(filter(None, map(str.strip, typed.splitlines()))))
        return pd.DataFrame({"id": names, "label": names})
    if source == "upload":
        file = st.file_uploader(
            "Stimulus metadata", key=f"{PAGE}.list.file",
            help="CSV, Excel or the like with one row per object. A column of pictures is used "
            "by the layout of jsPsych.",
        )
        if file is None:
            return None
        try:
            return read_file(current, f"{PAGE}.list.file", file, "objects")
        except DataError as error:
            st.error(panels.plain(str(error)), icon=":material/error:")
            return None
    begin = beginning(current).get("n_objects", 30)
    n = number(current, f"{prefix(current)}.list.n", "Number of objects", 3, 5_000, begin) or 3
    names = [str(i) for i in range(1, n + 1)]
    return pd.DataFrame({"id": names, "label": names})


@st.cache_data(max_entries=8, show_spinner="Balancing the list")
def _listed(n_objects: int, options: dict[str, Any]) -> QuestionList:
    return question_list(n_objects, **options)


def _show(current: Session, found: QuestionList, objects: pd.DataFrame, layout: str) -> None:
    lists = int(found.part.max()) + 1
    first = found.kind[found.part == 0]
    for column, (kind, title) in zip(st.columns(4), [*_KINDS.items(), ("", "")], strict=True):
        if kind:
            column.metric(title, f"{int(np.sum(first == kind)):,}")
        else:
            column.metric(
                "Minutes", f"{len(first) * _SECONDS / 60:.0f}",
                help=f"At {_SECONDS} seconds a question.",
            )
    if lists > 1:
        st.caption(f"In each of {lists:,} lists; {len(found.kind):,} rows in total.")
    asked = found.questions[found.kind == "question"]
    anchors = np.bincount(asked[:, 0], minlength=len(objects))
    options = np.bincount(asked[:, 1:].ravel(), minlength=len(objects))
    st.markdown(
        f"Every object is the anchor {_between(anchors)} and an option {_between(options)}, on "
        "either side about equally often. For example:"
    )
    labels = objects["label"].astype(str).to_numpy(dtype=object)
    st.markdown(as_sentences(labels[asked[:_PREVIEW]]))
    name = export.file_name("questions", layout)
    with st.container(horizontal=True):
        st.download_button(
            "Download the questions", lambda: export.csv(found.table(objects, layout)),
            f"{name}.csv", "text/csv", key=f"{PAGE}.list.csv", on_click="ignore",
            icon=":material/download:", type="primary",
        )
        st.download_button(
            "Objects, in order", lambda: export.csv(objects), "objects.csv", "text/csv",
            key=f"{PAGE}.list.objects", on_click="ignore", icon=":material/download:",
            help="The list of targets to which Salmon's numbers refer.",
        )
    with st.expander("All rows"):
        st.dataframe(
            found.table(objects, layout).head(10_000), hide_index=True, placeholder="",
            key=f"{PAGE}.list.rows",
            height=400,
        )
    if "gold" in found.kind:
        st.caption(
            "Rows of kind gold are empty: fill in questions with an obvious answer, to see who "
            "pays attention."
        )


def _between(counts: np.ndarray) -> str:
    low, high = int(counts.min()), int(counts.max())
    return count(low, "time") if low == high else f"{low:,} to {high:,} times"
