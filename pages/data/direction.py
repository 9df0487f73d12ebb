"""Whether a file is read the right way round: what a map predicts under each reading."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tripletscope.core.reading import Reading
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.dashboard.results.quality import direction_said
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.uploads import Upload
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.upload import waiting_upload
from tripletscope.dashboard.words import words


def show_direction(current: Session, upload: Upload) -> None:
    """The verdict on the chosen reading, or the progress of the test that finds it."""
    job = waiting_upload.direction(current.id, upload)
    if job.active:
        watch(job, "direction")
    elif job.state == "done":
        _verdict(current, job.results[0])
    elif job.state == "failed":
        st.info(
            panels.plain(f"Other readings could not be compared. {job.message}"),
            icon=":material/help:",
        )
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("Not compared with other readings.", width="content")
            st.button("Compare", key="direction.again", on_click=_test_again, args=(current,))


# What is called when a button is pressed asks for the upload as it is then.
def _test_again(current: Session) -> None:
    if upload := waiting_upload.waiting(current.id):
        waiting_upload.direction(current.id, upload, again=True)


def _use(current: Session, reading: Reading) -> None:
    if upload := waiting_upload.waiting(current.id):
        with errors_shown(show=st.warning, icon="hard_drive"):
            waiting_upload.use(current.id, upload, reading)


def _verdict(current: Session, test: DirectionTest) -> None:
    verdict = panels.plain(direction_said(test))
    if test.warns:
        st.warning(verdict, icon=":material/swap_horiz:")
        st.button(
            "Use the other reading", key="direction.use", type="primary",
            icon=":material/swap_horiz:", on_click=_use, args=(current, _best(test)),
        )
    elif not test.low[0] > 0.5:
        st.info(verdict, icon=":material/help:")
    else:
        st.success(verdict, icon=":material/check:")
    title = "All readings of these columns"
    if len(test.readings) > 1 and (box := panels.folded(title, "direction.all")):
        with box:
            _comparison(test)


def _best(test: DirectionTest) -> Reading:
    """The best reading with a title for the form, and the reason for it."""
    reading = test.readings[test.best]
    return Reading.from_dict({
        **reading.to_dict(),
        "title": reading.title[:1].upper() + reading.title[1:],
        "reasons": [
            f"A map predicts {test.accuracy[test.best]:.1%} of held-out responses under this "
            f"reading, and {test.accuracy[0]:.1%} under the previous one."
        ],
    })


def _comparison(test: DirectionTest) -> None:
    order = [0, *sorted(range(1, len(test.readings)), key=lambda i: -test.accuracy[i])]
    titles = [test.readings[i].title for i in order]
    titles[0] += " (this one)"
    st.table(
        pd.DataFrame({
            "reading": [panels.plain(title) for title in titles],
            "predicted": [
                f"{test.accuracy[i]:.1%} [{test.low[i]:.1%}, {test.high[i]:.1%}]" for i in order
            ],
            "beyond popularity": [f"{test.over_popularity[i]:+.1%}" for i in order],
        }),
        hide_index=True, border="horizontal",
    )
    st.caption(
        "Proportion of held-out responses that a two-dimensional map predicts, from "
        f"{test.n_rows:,} rows, with 95 % intervals{words.over(test.unit, test.n_units)}; and "
        "how far this exceeds prediction from how often each object was chosen. A reading is "
        "clearly better if both are significantly larger over questions, by at least two "
        "percentage points."
    )
