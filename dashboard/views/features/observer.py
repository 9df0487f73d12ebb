"""A language or vision model as one more observer: its prompts, its replies, and people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy, observer_agreement
from tripletscope.core.io.prompts import Replies, n_questions, with_observer, write_prompts
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.observer import agreement_bars
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, pick, pressed
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.quality import agreement_said
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.wording import ENGLISH
from tripletscope.dashboard.wording.formats import count

_PAGE = "features"
_LANGUAGES = {"en": "English", "de": "Deutsch"}
_USUAL = 200
_ROW = 44.0
#: Names of files that name no model.
_NAMELESS = ("replies", "responses", "answers", "output", "results")


@tab(_PAGE, "Model as observer", 6, slot=None)
def show_observer(context: Context) -> None:
    """Prompts to take away, and replies to bring back."""
    st.caption(
        "A language or vision model can answer the same questions as people. Nothing is sent from "
        "here: send the prompts to any model, then upload its replies."
    )
    left, right = st.columns(2, gap="large")
    with left:
        _prompts(context)
    with right:
        replies = _replies(context)
    if replies is not None:
        _compared(context, *replies)


def _prompts(context: Context) -> None:
    current, info, answers = context.session, context.info, context.triplets
    st.subheader("Prompts", anchor=False)
    there = _counted(info.fingerprint, answers)
    if not there:
        st.info(
            "Rankings and comparisons of pairs cannot be put to a model.", icon=":material/info:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = number(
            current, f"{_PAGE}.prompts.most@{info.id}", "Questions", 1, there, min(_USUAL, there),
        ) or min(_USUAL, there)
        language = pick(current, f"{_PAGE}.prompts.language", "Language", _LANGUAGES)
    st.download_button(
        "Prompts (JSONL)", lambda: write_prompts(answers, most=int(most), language=language),
        export.file_name(info.name, "prompts") + ".jsonl", "application/x-ndjson",
        key=f"{_PAGE}.prompts", on_click="ignore", icon=":material/download:",
        help="One JSON object per line: id, messages for a chat model, ids and pictures of the "
        "objects shown.",
    )
    st.caption(
        f"{count(there, 'different question')}. Each is asked with every option in every position, "
        "because models prefer some positions."
    )


@st.cache_data(max_entries=16, show_spinner="Counting the questions")
def _counted(fingerprint: str, _answers: Triplets) -> int:
    return n_questions(_answers)


def _replies(context: Context) -> tuple[Replies, str] | None:
    current, info = context.session, context.info
    st.subheader("Replies", anchor=False)
    file = st.file_uploader(
        "Replies (JSONL or CSV)", key=f"{_PAGE}.replies",
        help="With the id of each prompt and its reply; files of batch services need no "
        "conversion.",
    )
    if file is None:
        return None
    stem = file.name.rsplit(".", 1)[0]
    name = st.text_input(
        "Name of the model", "the model" if stem.lower() in _NAMELESS else stem[:40], max_chars=60,
        key=f"{_PAGE}.replies.name@{info.id}",
    ).strip() or "the model"
    try:
        return read_file(current, f"{_PAGE}.replies", file, "replies", about=context.triplets), name
    except DataError as error:
        st.error(panels.plain(str(error.at(file.name))), icon=":material/error:")
        return None


def _compared(context: Context, replies: Replies, name: str) -> None:
    model = _named(replies.answers, name)
    words = [f"{count(replies.n_replies, 'reply', 'replies')} read"]
    if len(replies.omitted):
        words.append(f"{count(len(replies.omitted), 'line')} left out")
    lines = [f"{', '.join(words)}."]
    if replies.both_ways:
        lines.append(
            f"{count(replies.both_ways, 'question')} came back in all orders: the answer was the "
            f"same in {100 * replies.consistent / replies.both_ways:.0f} %. The first "
            f"option was named in {100 * replies.first_share:.0f} % of replies."
        )
    st.markdown(panels.plain(" ".join(lines)))
    if len(replies.omitted):
        with st.expander("Lines left out"):
            st.dataframe(replies.omitted, hide_index=True, key=f"{_PAGE}.replies.omitted")
    try:
        found = observer_agreement(context.triplets, model)
    except DataError as error:
        st.warning(panels.plain(str(error)), icon=":material/warning:")
        return
    for one in found:
        st.markdown(panels.marked(" ".join(agreement_said(ENGLISH, one, name))))
    _figure(context, found, name)
    if pressed(
        context.session, f"{_PAGE}.replies.keep", "Open with the model as a participant",
        icon=":material/person_add:",
        help="Makes a data set of these answers and, as those of one more person, the model's.",
    ):
        _open(context, model, name)


def _figure(context: Context, found: list[ChoiceAccuracy], name: str) -> None:
    text = (
        f"{context.size} Share of people's answers that {name} also gives, with 95 % intervals. "
        "Line: chance."
    )
    if any(one.ceiling.is_precise for one in found):
        text += (
            " Band: how well people predict each other, from the lower to the upper bound of the "
            "noise ceiling."
        )
    context.figure(Drawing(
        "agreement", "Agreement with a model", text, text, (130.0 + _ROW * len(found)) / 900.0,
        lambda canvas: agreement_bars(found, name, caption=text, canvas=canvas),
        lambda: agreement_table(found),
    ))


def agreement_table(found: list[ChoiceAccuracy]) -> pd.DataFrame:
    """One row for each kind of question."""
    rows = []
    for one in found:
        lower, upper = one.ceiling.lower, one.ceiling.upper
        rows.append({
            "question": str(one.kind), "trials": one.n_trials, "agreement": one.accuracy.value,
            "low": one.accuracy.low, "high": one.accuracy.high, "chance": one.chance,
            "ceiling, lower bound": lower.value if lower else np.nan,
            "ceiling, upper bound": upper.value if upper else np.nan,
        })
    return pd.DataFrame(rows)


def _named(model: Triplets, name: str) -> Triplets:
    answers = model.answers.assign(participant=name)
    return Triplets(model.rows, model.objects, answers, name)


def _open(context: Context, model: Triplets, name: str) -> None:
    workspace, info = services().workspace, context.info
    joint = with_observer(context.triplets, model).renamed(f"{info.name} and {name}")
    added = workspace.add_dataset(
        joint, origin=f"{info.origin} and replies of a model", pictures=workspace.pictures(info),
        report=[
            *info.report, *filter(None, [info.left_out]),
            f"{count(len(model), 'answer')} of the participant “{name}” are those of a model, not "
            "of a person.",
        ],
    )
    context.session.open(added.id)
    st.switch_page("../pages/data.py")
