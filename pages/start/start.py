"""Start: upload, recent data sets, samples."""

from __future__ import annotations

from typing import Any

import streamlit as st

import tripletscope
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import (
    ConjointGiven,
    MatrixGiven,
    MeasuredGiven,
    OtherTask,
    RatingsFile,
)
from tripletscope.dashboard.archive.restoring import Restored
from tripletscope.dashboard.sandbox.workers import workers
from tripletscope.dashboard.state import Session, session
from tripletscope.dashboard.store.samples import Sample, open_sample, samples
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.store.trash import is_full
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.first_look import look_first
from tripletscope.dashboard.ui.guide import help_with, page_title
from tripletscope.dashboard.ui.page import open_page
from tripletscope.dashboard.ui.reading import read_measured
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.upload import ingest
from tripletscope.pages.start.jatos import ask_jatos
from tripletscope.pages.start.measuring import show_measured
from tripletscope.pages.start.recent import show_recent
from tripletscope.pages.start.understood import FORMATS, show_understood

_RECENT = 4
_ACROSS = 3  # cards of samples in a row
_WORTHWHILE = 1_000_000  # bytes in the trash
_MATRIX = {
    "diagonal": "detected automatically",
    "alike": "are similarities: large means similar",
    "apart": "are dissimilarities: large means different",
    "confused": "are confusions: how often a stimulus (row) was taken for another (column)",
}


def main() -> None:
    current = session()
    _open_asked(current)
    page_title("From similarity judgements to a map you can trust", "start")
    st.write(
        "Upload answers to questions like “is A more like B or like C?”. TripletScope recognises "
        "the format of the file, places your objects on a map, and shows how certain each position "
        "is."
    )
    _notes(current)
    _upload(current)
    show_understood()
    recent = services().workspace.datasets()
    if recent:
        st.header("Recent", anchor=False)
        show_recent(current, recent, _RECENT)
    st.header("Samples", anchor=False)
    for row in range(0, len(samples()), _ACROSS):
        cards = zip(st.columns(_ACROSS), samples()[row : row + _ACROSS], strict=False)
        for column, sample in cards:
            with column.container(border=True, height="stretch", key=f"card.{sample.name}"):
                _card(current, sample)


def _card(current: Session, sample: Sample) -> None:
    """What a sample looks like, what one should see in it, and a button to open it."""
    if sample.thumbnail.exists():
        st.image(str(sample.thumbnail), width="stretch", alt=f"Map of {sample.title}")
    st.markdown(f"**{panels.plain(sample.title)}**")
    st.write(panels.plain(sample.about))
    if pressed(current, f"sample.{sample.name}", "Open", icon=":material/folder_open:"):
        _open(current, sample)


def _open(current: Session, sample: Sample) -> None:
    with st.spinner("Reading the sample"):
        info = open_sample(sample)
        current.open(info.id)
    look_first(info)


def _open_asked(current: Session) -> None:
    """Open the sample, or the answers of a paper, that the address asks for, once."""
    asked = current.asked_for("sample")
    for sample in samples():
        if sample.name == asked:
            _open(current, sample)
    if asked := current.asked_for("paper"):
        # Only here: experiments of papers load much that no page needs.
        from tripletscope.pages.start.from_paper import open_paper

        open_paper(current, asked)


def _notes(current: Session) -> None:
    """What has become of the workspace, and what can be done on a full disk."""
    workspace = services().workspace
    workspace.datasets()  # which notes those that cannot be shown
    for note in workspace.notes:
        st.warning(panels.plain(note), icon=":material/warning:")
    if workspace.news:
        lines = "\n".join(f"- {line}" for line in workspace.news)
        st.info(f"**New in TripletScope {tripletscope.__version__}**\n\n{lines}")
    if (workspace.notes or workspace.news) and pressed(
        current, "notes.hide", "Do not show this again"
    ):
        workspace.notes.clear()
        workspace.news = ()
        st.rerun()
    size = workspace.trash.size() if is_full(workspace.folder) else 0
    if size >= _WORTHWHILE:
        st.warning(
            "The disk of the workspace is nearly full. Deleting data frees space at once.",
            icon=":material/warning:",
        )
        if pressed(current, "trash.empty", f"Empty the trash ({size / 1e6:,.0f} MB)"):
            workspace.trash.empty()
            st.rerun()


def _upload(current: Session) -> None:
    workers().warm()
    limit = st.get_option("server.maxUploadSize")
    files = st.file_uploader(
        "Your answers",
        key="upload", accept_multiple_files=True,
        help=f"{FORMATS}, up to {limit} MB. Several files at once if there is one per "
        "participant; pictures of the objects may be included. Nothing leaves this machine. You "
        "see how the files are read before anything is kept. An archive of Download all opens as "
        "it was.",
    )
    if not files:
        reading = ask_jatos(current)
        if reading is not None:
            _read(current, reading, [])
        return
    together = " ".join(file.file_id for file in files)
    insist = current.insists_on(together)
    key = f"{together} {insist}"
    reading = ingest.opening(current.id)
    if reading is None or reading.key != key:
        reading = ingest.begin(
            current.id, key, [(file.name, file.getvalue()) for file in files], insist=insist
        )
    _read(current, reading, files)


def _read(current: Session, reading: ingest.Opening, files: list[Any]) -> None:
    """What becomes of files that are being read."""
    with st.spinner(f"Reading {panels.plain(reading.name)}"):
        reading.job.wait(ingest.SOON)
    if reading.job.active:
        watch(reading.job, "opening")
    elif reading.restored is not None:
        _open_restored(current, reading.restored)
    elif reading.job.state == "done":
        open_page("data")
    elif reading.job.state == "stopped":
        st.info("Reading was stopped. Nothing is kept.", icon=":material/info:")
        st.button("Read it again", on_click=ingest.forget_opening, args=(current.id,))
    else:
        told = f"{panels.plain(reading.job.message)}{help_with(reading.job)}"
        _not_read(current, reading.error, told, files)


def _not_read(current: Session, error: Exception | None, told: str, files: list[Any]) -> None:
    """Why files hold no answers, and what can be made of them."""
    # Of these the program can make something: nothing is wrong with them.
    if isinstance(error, (ConjointGiven, MatrixGiven, MeasuredGiven)):
        st.info(told, icon=":material/info:")
    else:
        st.error(told, icon=":material/error:")
    if not files:
        return
    if isinstance(error, MatrixGiven) and len(files) == 1:
        _matrix(current, files[0])
    elif isinstance(error, (MatrixGiven, MeasuredGiven)):
        show_measured(current, files)
    elif isinstance(error, ConjointGiven) and st.button("Go to Scale, Conjoint"):
        open_page("scale", "conjoint")
    if isinstance(error, OtherTask):
        st.button(
            "Choose columns manually", on_click=current.insist_on,
            args=(" ".join(file.file_id for file in files),),
            help="Only if every row compares an anchor with two other objects.",
        )


def _open_restored(current: Session, restored: Restored) -> None:
    """Show what an archive has become, with what was set for it."""
    ingest.forget_opening(current.id)
    current.take_up(restored.settings)
    current.open(restored.info.id)
    for note in restored.notes:
        st.toast(panels.plain(note), icon=":material/warning:", duration="long")
    look_first(restored.info)


def _matrix(current: Session, file: Any) -> None:
    read = _measured(current, file)
    if read is not None and read.n_raters > 1:
        show_measured(current, [file])
        return
    values = st.selectbox(
        "Values", list(_MATRIX), format_func=_MATRIX.__getitem__, key="matrix.values", width=420,
    )
    if values == "diagonal" and read is not None and read.kind == "confusions":
        values = "confused"
    if values == "confused":
        show_measured(current, [file], "confusions")
        return
    if pressed(
        current, "matrix.go", "Make a map (MDS)", type="primary",
        help="Makes a data set of comparisons between the distances in this matrix.",
    ):
        _keep_matrix(current, file, {"alike": True, "apart": False}.get(values))


def _measured(current: Session, file: Any) -> RatingsFile | None:
    """A matrix, or one of each person, as it is read where nobody says what it has."""
    try:
        return read_measured(current, "matrix", [file], None, {})
    except DataError:  # it will be said of what is chosen
        return None


def _keep_matrix(current: Session, file: Any, similarities: bool | None) -> None:
    try:
        with panels.reporting("Reading the matrix") as progress:
            info = ingest.accept_matrix(file.name, file.getvalue(), similarities, progress)
    except DataError as error:
        show_error(error)
        return
    current.open(info.id)
    open_page("embedding", "dissimilarities")


main()
