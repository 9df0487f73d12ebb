"""Start: upload, recent data sets, samples."""

from __future__ import annotations

import streamlit as st

from core.files import OtherTask
from core.triplets import DataError
from dashboard import imports, panels
from dashboard.controls import pressed
from dashboard.samples import open_sample, samples
from dashboard.services import services
from dashboard.state import Session, session
from dashboard.theme import count
from dashboard.views.dataset import delete, rename
from dashboard.workspace import DatasetInfo

_RECENT = 4


def main() -> None:
    current = session()
    _open_asked(current)
    st.title("From similarity judgements to a map you can trust", anchor=False)
    st.write(
        "Upload answers to questions like “is A more like B or like C?”. TripletScope finds out "
        "how the file is to be read, places your objects on a map, and shows how sure each "
        "position is."
    )
    _upload(current)
    recent = services().workspace.datasets()
    if recent:
        st.subheader("Recent", anchor=False)
        for info in recent[:_RECENT]:
            _recent(current, info)
        if len(recent) > _RECENT:
            with st.expander(f"{len(recent) - _RECENT:,} older"):
                for info in recent[_RECENT:]:
                    _recent(current, info)
    st.subheader("Samples", anchor=False)
    for column, sample in zip(st.columns(max(len(samples()), 2)), samples(), strict=False):
        with column.container(border=True, height="stretch"):
            if sample.thumbnail.exists():
                st.image(str(sample.thumbnail), width="stretch")
            st.markdown(f"**{panels.plain(sample.title)}**")
            st.write(panels.plain(sample.about))
            if pressed(
                current, f"sample.{sample.name}", "Open", icon=":material/folder_open:"
            ):
                with st.spinner("Reading the sample"):
                    current.open(open_sample(sample).id)
                st.switch_page("../pages/embedding.py")


def _open_asked(current: Session) -> None:
    """Open the sample that the address asks for, once."""
    asked = current.asked_for("sample")
    for sample in samples():
        if sample.name == asked:
            current.open(open_sample(sample).id)
            st.switch_page("../pages/embedding.py")


def _upload(current: Session) -> None:
    limit = st.get_option("server.maxUploadSize")
    file = st.file_uploader(
        "Your answers",
        key="upload",
        help=f"CSV, TSV, text, JSON, Excel, Parquet, NumPy, HDF5 or MATLAB, also as .gz or .zip, up "
        f"to {limit} MB. Nothing leaves "
        "this machine. You see how the file is read before anything is kept.",
    )
    if file is None:
        return
    insist = current.insists_on(file.file_id)
    try:
        with st.spinner("Looking at the file"):
            upload = imports.Waiting.of(file.name, file.getvalue(), insist=insist)
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        if isinstance(error, OtherTask):
            st.button(
                "Choose the columns myself", on_click=current.insist_on, args=(file.file_id,),
                help="Only if every row compares an anchor with two other objects.",
            )
        return
    imports.wait(current.id, upload)
    st.switch_page("../pages/data.py")


def _recent(current: Session, info: DatasetInfo) -> None:
    people = f", {count(info.n_participants, 'participant')}" if info.n_participants else ""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{panels.plain(info.name)}**  \n{count(info.n_objects, 'object')}, "
            f"{count(info.n_answers, 'answer')}{people}. Opened {panels.ago(info.opened)}.",
            width="stretch",
        )
        if pressed(current, f"open.{info.id}", "Open", icon=":material/folder_open:"):
            current.open(info.id)
            st.switch_page("../pages/embedding.py")
        with st.popover("More", icon=":material/more_vert:", key=f"more.{info.id}"):
            rename(info)
            if pressed(current, f"delete.{info.id}", "Delete", icon=":material/delete:"):
                delete(info)


main()
