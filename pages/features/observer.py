"""Models as participants: features that answer, or prompts and replies, beside people."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.features.model_answers import ModelAnswers, answer_questions
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, observer_agreement
from tripletscope.core.prompts.prompts import Questions, prompted, questions_of, write_prompts
from tripletscope.core.prompts.replies import Replies, with_observer
from tripletscope.core.studies.experiment.listed_designs import experiment_questions
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.figures.explaining import interval_rows
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.quality import agreement_said
from tripletscope.dashboard.store.experiments import (
    experiment_key,
    kept_experiments,
    load_experiment,
)
from tripletscope.dashboard.store.feature_tables import KeptTable
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, parameter_form, pick, pressed
from tripletscope.dashboard.ui.elements import errors_shown, show_error
from tripletscope.dashboard.ui.feature_spaces import PAGE as _PAGE
from tripletscope.dashboard.ui.feature_spaces import made_spaces, offered_spaces
from tripletscope.dashboard.ui.feature_tables import ask_for_tables
from tripletscope.dashboard.ui.handover import LISTS, QUESTIONS_OF
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.reading import read_file
from tripletscope.dashboard.words.formats import count

_FILE = "a file"
_LANGUAGES = {"en": "English", "de": "Deutsch"}
_USUAL = 200
#: Height of a row in pixels; beside what is drawn, so that chance does not lie on the names.
_ROW, _ROOM = 44.0, 0.03
#: Names of files that name no model.
_NAMELESS = ("replies", "responses", "answers", "output", "results")


@tab(_PAGE, "Models as participants", 6, slot=None)
def show_observer(context: Context) -> None:
    """Questions, and a model that answers them: of features, or by prompts and replies."""
    with context.row, st.popover("Tables", icon=":material/table_chart:"):
        tables, _ = ask_for_tables(context, _PAGE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        questions, key = _questions(context)
        offered = offered_spaces(context, tables)
        model = pick(
            context.session, f"{_PAGE}.model@{context.info.id}", "Model",
            {"": "Prompts and replies", **{name: name for name in offered}},
            help="Features and distances answer here. Nothing is sent from here: send prompts to "
            "any language or vision model, and bring its replies back.",
        )
    if not questions:
        return
    if model:
        _answered(context, questions, key, model, offered[model])
        return
    left, right = st.columns(2, gap="large")
    with left:
        _prompts(context, questions)
    with right:
        replies = _replies(context)
    if replies is not None:
        _replied(context, *replies)


def _questions(context: Context) -> tuple[list[Questions], str]:
    """Ask for questions about the objects; none, having said why, and what tells them apart."""
    current, workspace = context.session, services().workspace
    kept = {
        experiment.slug: experiment.title for experiment in kept_experiments(workspace)
        # A model can answer only choices.
        if not experiment.problem and not ASKINGS[experiment.task].measured
    }
    source = pick(
        current, QUESTIONS_OF, "Questions",
        {"": "That people answered", _FILE: "Of a file", **kept},
        help="Of this data set, of a file with an anchor and two options in each row, or of an "
        "experiment or list about the same objects.",
    )
    with errors_shown(DataError, WorkspaceError):
        if source == _FILE:
            file = st.file_uploader("Questions (CSV)", key=f"{_PAGE}.questions")
            if file is None:
                return [], ""
            rows, _ = read_file(
                current, f"{_PAGE}.questions", file, "questions", about=context.triplets
            )
            return [Questions("nearer", rows)], file.file_id
        if source:
            experiment = load_experiment(workspace, source)
            n_lists = number(current, LISTS, "Lists", 1, 10_000, 1) or 1
            listed = experiment_questions(experiment, context.answers.ids, int(n_lists))
            return listed, f"{experiment_key(experiment)} {n_lists}"
        answered = _that_people_answered(context.answers.fingerprint, context.answers)
        if not answered:
            st.info("Comparisons of pairs are questions for no model.", icon=":material/info:")
        return answered, ""
    return [], ""


@st.cache_data(max_entries=16, show_spinner="Counting the questions")
def _that_people_answered(fingerprint: str, _answers: Answers) -> list[Questions]:
    return questions_of(_answers)


def _answered(
    context: Context, questions: list[Questions], key: str, name: str, what: list[str] | KeptTable
) -> None:
    """What features or distances answer."""
    options = parameter_form(context.session, answer_questions, f"{_PAGE}.answers")
    spaces, refused = made_spaces(context, {name: what})
    try:
        if not spaces:
            raise DataError(refused[0])
        model = _drawn(
            (context.info.fingerprint, key, str(what), name, *options.values()), spaces[0],
            questions, context.answers, options,
        )
    except (DataError, ValueError) as error:
        show_error(error)
        return
    text = (
        f"{count(model.answers.n_trials, 'question')} answered at a temperature of "
        f"{model.temperature:.3g}"
    )
    if model.left_out:
        text += f", and {count(model.left_out, 'question')} left out: an object has no features"
    st.markdown(panels.plain(f"{text}."))
    if isinstance(model.answers, Quadruples):
        _keep(context, model.answers, name, joint=False)
    else:
        _compared(context, model.answers, name)


@st.cache_resource(max_entries=8, show_spinner="Answering")
def _drawn(
    key: tuple, _space: FeatureSpace, _questions: list[Questions], _about: Answers,
    _options: dict[str, Any],
) -> ModelAnswers:
    return answer_questions(_space, _questions, _about, observer=_space.name, **_options)


def _prompts(context: Context, questions: list[Questions]) -> None:
    current, info = context.session, context.info
    st.header("Prompts", anchor=False)
    there = len(prompted(questions))
    if not there:
        st.info("Rankings and pairs cannot be put into a prompt.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual, place = min(_USUAL, there), f"{_PAGE}.prompts.most@{info.id}"
        most = number(current, place, "Questions", 1, there, usual) or usual
        language = pick(current, f"{_PAGE}.prompts.language", "Language", _LANGUAGES)
    st.download_button(
        "Prompts (JSONL)", lambda: write_prompts(
            context.triplets, questions=questions, most=int(most), language=language
        ), export.file_name(info.name, "prompts") + ".jsonl", "application/x-ndjson",
        key=f"{_PAGE}.prompts", on_click="ignore", icon=":material/download:",
        help="One JSON object per line: id, messages for a chat model, ids and pictures of the "
        "objects shown.",
    )
    st.caption(
        f"{count(there, 'question')}. Each is asked with every option in every position, "
        "because models prefer some positions."
    )


def _replies(context: Context) -> tuple[Replies, str] | None:
    st.header("Replies", anchor=False)
    file = st.file_uploader(
        "Replies (JSONL or CSV)", key=f"{_PAGE}.replies",
        help="With the id of each prompt and the reply to it, several samples, or p_1, p_2, "
        "logprob_A and so on; files of batch services need no conversion.",
    )
    if file is None:
        return None
    stem = file.name.rsplit(".", 1)[0]
    name = st.text_input(
        "Name of the model", "the model" if stem.lower() in _NAMELESS else stem[:40], max_chars=60,
        key=f"{_PAGE}.replies.name@{context.info.id}",
    ).strip() or "the model"
    with errors_shown(file=file.name):
        return read_file(
            context.session, f"{_PAGE}.replies", file, "replies", about=context.triplets
        ), name
    return None


def _replied(context: Context, replies: Replies, name: str) -> None:
    """How the replies were read, and what they say."""
    facts = [f"{count(replies.n_replies, 'reply', 'replies')} read"]
    if replies.n_graded:
        facts.append(f"{replies.n_graded:,} graded, as expected counts")
    if len(replies.omitted):
        facts.append(f"{len(replies.omitted):,} left out ({replies.n_refused:,} refused)")
    text = f"{', '.join(facts)}."
    if replies.both_ways:
        text += (
            f" {count(replies.both_ways, 'question')} came back in all orders: the answer was the "
            f"same in {100 * replies.consistent / replies.both_ways:.0f} %. The first option was "
            f"named in {100 * replies.first_share:.0f} % of replies."
        )
    st.markdown(panels.plain(text))
    key = f"{_PAGE}.replies.omitted"
    if len(replies.omitted) and (box := panels.folded("Lines left out", key)):
        box.dataframe(replies.omitted, hide_index=True, key=key)
    model = replies.answers
    answers = model.answers.assign(participant=name)
    _compared(context, Triplets(model.rows, model.objects, answers, name), name)


def _compared(context: Context, model: Triplets, name: str) -> None:
    """How often people answer as the model, where both were asked; and the model's answers."""
    agreement: list[ChoiceAccuracy] = []
    if not context.info.has_only_pairs:
        with suppress(DataError):  # no question was answered by both
            agreement = observer_agreement(context.triplets, model)
    for choices in agreement:
        st.markdown(panels.marked(" ".join(agreement_said(choices, name))))
    if agreement:
        _figure(context, agreement, name)
    else:
        st.caption("People have answered none of these questions.")
    _keep(context, model, name, joint=not context.info.has_only_pairs)


def _figure(context: Context, agreement: list[ChoiceAccuracy], name: str) -> None:
    """Agreement for each kind of question; chance and ceiling of a single kind."""
    first, table = agreement[0], agreement_table(agreement)
    text = f"{context.size} Share of people's answers that {name} also gives, with 95 % intervals."
    band = zero = None
    if len(agreement) == 1:
        text, zero = f"{text} Line: chance.", first.chance
        if first.ceiling.is_precise:
            band = first.ceiling.lower.value, first.ceiling.upper.value
            text += " Band: how well people predict each other, between the bounds of the ceiling."
    rows = table.rename(columns={"question": "name", "agreement": "value"})
    ends = [*table["low"], *table["high"], *table["chance"], *(band or ())]
    context.figure(Drawing(
        "agreement", "Agreement with a model", text, text, (130.0 + _ROW * len(agreement)) / 900.0,
        lambda canvas: interval_rows(
            rows, value=f"agreement of people with {name}", band=band, caption=text, canvas=canvas,
            zero=zero,
        ).update_xaxes(range=(min(ends) - _ROOM, max(ends) + _ROOM)), lambda: table,
    ))


def agreement_table(agreement: list[ChoiceAccuracy]) -> pd.DataFrame:
    """One row for each kind of question."""
    return pd.DataFrame([{
        "question": str(choices.kind), "trials": choices.n_trials,
        "agreement": choices.accuracy.value, "low": choices.accuracy.low,
        "high": choices.accuracy.high, "chance": choices.chance,
        **{f"ceiling, {end} bound": bound.value if bound else np.nan for end, bound in (
            ("lower", choices.ceiling.lower), ("upper", choices.ceiling.upper),
        )},
    } for choices in agreement])


def _keep(context: Context, model: Answers, name: str, *, joint: bool) -> None:
    """Buttons that make a data set of the model's answers, alone or beside those of people."""
    with st.container(horizontal=True):
        alone = pressed(
            context.session, f"{_PAGE}.model.open", "Open as a data set",
            icon=":material/folder_open:", help="Everything can then be computed of the model.",
        )
        beside = joint and pressed(
            context.session, f"{_PAGE}.model.keep", "Open with the model as a participant",
            icon=":material/person_add:",
            help="A data set of its own: these answers, and the model's as those of one more "
            "person.",
        )
    if not alone and not beside:
        return
    workspace, info, pairs = services().workspace, context.info, None
    answers = with_observer(context.triplets, model) if beside else model
    if isinstance(answers, Quadruples):
        answers, pairs = Triplets([], answers.objects, name=answers.name), answers
    added = workspace.add_dataset(
        answers.renamed(f"{info.name} and {name}" if beside else f"{info.name}: {name}"),
        origin=f"{info.origin} and answers of a model", pictures=workspace.pictures(info),
        pairs=pairs, report=[
            *(filter(None, [*info.report, info.left_out]) if beside else ()),
            f"{count(len(model), 'answer')} of the participant “{name}” are those of a model, not "
            "of a person.",
        ],
    )
    context.session.open(added.id)
    open_page("data")
