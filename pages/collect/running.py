"""Run: the separate server, what comes in, and when it is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress
from tripletscope.core.studies.experiment import live, results
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collect import answer_log, following, jspsych, running
from tripletscope.dashboard.collect.answer_log import CollectingState
from tripletscope.dashboard.collect.participants import participants_table
from tripletscope.dashboard.collect.running import NotStarted, RunningServer
from tripletscope.dashboard.collect.writer import NotKept, copied
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.pool import pool
from tripletscope.dashboard.results.collecting import Collected, MapSoFar
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.looks import KeptMap, keep_look, keep_map, kept_looks, kept_map
from tripletscope.dashboard.store.plans import plan_of_experiment
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import doing, line, number, pick, pressed
from tripletscope.dashboard.ui.elements import csv_button, errors_shown, run_button, show_error
from tripletscope.dashboard.ui.experiment_form import address_to_send
from tripletscope.dashboard.ui.first_look import look_first
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.plans import name_of
from tripletscope.dashboard.ui.watching import follow
from tripletscope.dashboard.words.formats import count, interval
from tripletscope.pages.collect.context import (
    PAGE,
    CollectContext,
    picture_beside_side,
    with_experiment,
)
from tripletscope.pages.collect.people import ask_for_one, show_people_of
from tripletscope.pages.collect.start_server import open_answers

_HOSTS = {
    "127.0.0.1": "This computer, its proxy or tunnel",
    "0.0.0.0": "Everybody who reaches this computer",
}
#: What may be made of a state, with its word and its picture.
_CHANGES = {
    "open": (("paused", "Pause", "pause"), ("closed", "Close", "block")),
    "paused": (("open", "Reopen", "play_arrow"), ("closed", "Close", "block")),
    "closed": (("open", "Reopen", "play_arrow"),),
}
#: The error is looked at anew when such a share of the answers, and so many, are new or gone.
_SHARE, _MORE = 0.1, 50


@tab(PAGE, "Run", 3, needs=with_experiment, slot=f"{PAGE}.look")
def show_running(context: CollectContext) -> None:
    """Start, follow, stop; and open the answers."""
    picture, side = picture_beside_side(context)
    try:
        state = answer_log.state(context.folder)
        people = [person for person in answer_log.people(context.folder) if not person.simulated]
        n_named = sum(bool(person.person) for person in people)  # names change when ids go
        records = _records(str(context.folder), state.n_answers, len(people), n_named)
    except (DataError, OSError) as error:
        show_error(error)
        return
    server = running.running(context.folder)
    with side:
        _server(context, server)
        _state(context, state)
        _address(context, server)
        _answers(context, records)
        ask_for_one(context, people)
    with picture:
        _live(context, server, state)
        _facts(context, state)
        stopped = {person.name for person in people if person.state == "excluded"}
        look_when_due(context, [each for each in records if each.participant not in stopped])
        if state.n_answers:
            show_enough(context, state.n_finished)
            show_people_of(context, people, records)
        elif not state.n_people:
            panels.empty(
                "Nobody has taken part yet",
                f"{'Open' if server else 'Start the server and open'} the address in a browser, or "
                "send it to somebody: who opens it takes part. Answers appear here as they come "
                "in.",
            )


@st.cache_resource(max_entries=4, show_spinner=False)
def _records(folder: str, *as_of: int) -> list[results.AnswerRecord]:
    """All answers, read once as long as there are no others."""
    return answer_log.records(Path(folder))


def _live(context: CollectContext, server: RunningServer | None, state: CollectingState) -> None:
    if state.is_overdue:
        st.warning(
            f"Personal data should have been removed by {context.experiment.keep_until}. Remove "
            "them under Participants’ data.", icon=":material/warning:",
        )
    if server is not None:
        progress = following.state_told(context.folder)
        if progress is not None:
            follow(f"{PAGE}.follow.{context.slug}", progress, f"experiments/{context.slug}")
    elif message := following.ended_by_itself(context.folder):
        st.error(
            f"The server has ended by itself. Start it again: every acknowledged answer is kept. "
            f"Its last message: {panels.plain(message)}", icon=":material/error:",
        )


def _facts(context: CollectContext, state: CollectingState) -> None:
    looks = kept_looks(context.folder)
    facts = st.columns(3)
    facts[0].metric("Participants", f"{state.n_people:,}")
    facts[1].metric(
        "Answers", f"{state.n_answers:,}",
        help="Includes practice, catch and gold questions, and those that were skipped or late.",
    )
    facts[2].metric("Held-out error", f"{looks[-1].found.error:.3f}" if looks else "—")
    words = f"{state.n_finished:,} finished, {state.n_excluded:,} stopped after failed checks"
    words += f", {state.n_unanswered:,} answered nothing." if state.n_unanswered else "."
    if looks:
        last = looks[-1].found
        words += (
            f" Error {interval(last.error, last.low, last.high)}, of "
            f"{count(last.n_answers, 'answer')} about objects."
        )
    st.caption(words)
    with errors_shown(show=st.warning):
        if plan := plan_of_experiment(context.folder):
            st.caption(panels.plain(f"Plan: {name_of(plan)}."))


def _server(context: CollectContext, server: RunningServer | None) -> None:
    current, slug = context.session, context.slug
    if server is None:
        start = st.container()
        with st.expander("Where it is reached", key=f"{PAGE}.reached"):
            host = pick(
                current, f"{PAGE}.host.{slug}", "Who reaches it", _HOSTS,
                help="For participants elsewhere, put a reverse proxy or a tunnel before it; Help "
                "shows both.",
            )
            port = number(
                current, f"{PAGE}.port.{slug}", "Port", 1024, 65535, None,
                placeholder="any that is free",
            )
        with start:
            if run_button(
                current, f"{PAGE}.start.{slug}", "Start the server", why=jspsych.missing(),
                help="A separate program for this experiment alone. It continues when TripletScope "
                "ends.",
            ):
                _do(current, "Starting", running.start, context.folder, int(port or 0), host)
    elif pressed(
        current, f"{PAGE}.stop.{slug}", "Stop the server", icon=":material/stop:",
        width="stretch", help="Participants can go on where they were when it starts again.",
    ):
        # The next start is to be at the address that people have.
        place = urlsplit(server.address)
        current.take_up({f"{PAGE}.port.{slug}": place.port, f"{PAGE}.host.{slug}": place.hostname})
        _do(current, "Stopping", following.stop_server, context.folder)


def _do(session: Session, words: str, change: Callable[..., object], *arguments: Any) -> None:
    """Do something with the server, and show the page anew, or what went wrong."""
    with errors_shown(NotStarted, NotKept, OSError):
        with doing(session, st.spinner(words)):
            change(*arguments)
            following.forget_states()
        st.rerun()


def _state(context: CollectContext, state: CollectingState) -> None:
    if state.state != "open":
        st.info(
            "Paused: no questions are asked." if state.state == "paused" else
            "Closed: nobody can begin or go on.", icon=":material/info:",
        )
    with st.container(horizontal=True):
        for to, word, icon in _CHANGES[state.state]:
            if pressed(
                context.session, f"{PAGE}.to_{to}.{context.slug}", word, icon=f":material/{icon}:",
                help="Answers to questions already shown are still accepted.",
            ):
                _do(context.session, word, answer_log.set_state, context.folder, to)


def _address(context: CollectContext, server: RunningServer | None) -> None:
    """The address to send out."""
    base = line(
        context.session, f"{PAGE}.public.{context.slug}", "Public address", "",
        placeholder=server.address if server else "https://…",
        help="Address of the reverse proxy or tunnel, if there is one.",
    ) or (server.address if server else "")
    if base:
        st.caption("Send out:")
        st.code(address_to_send(base, context.experiment), language=None, wrap_lines=True)
    if is_here_only(base):
        st.caption(
            ":material/warning: This address is reached from this computer only. For people "
            "elsewhere, give the address of a tunnel or reverse proxy as public address; Help "
            "shows both."
        )


def is_here_only(address: str) -> bool:
    """Whether an address leads other computers to themselves."""
    try:
        host = urlsplit(address if "://" in address else f"http://{address}").hostname or ""
    except ValueError:  # no address, which is said beside its field
        return False
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _answers(context: CollectContext, records: list[results.AnswerRecord]) -> None:
    experiment = context.experiment

    def now() -> list[results.AnswerRecord]:  # the page may be older than the last answers
        return answer_log.records(context.folder)

    def table() -> pd.DataFrame:
        return results.answers_table(experiment, now())

    def participants() -> pd.DataFrame:
        real = [one for one in answer_log.people(context.folder) if not one.simulated]
        return participants_table(real, now())

    if not records:
        st.caption("Answers can be opened and downloaded here as soon as there are some.")
        return
    if pressed(
        context.session, f"{PAGE}.answers.{context.slug}", "Open the answers",
        icon=":material/folder_open:", width="stretch",
        help="Makes a data set of the answers so far, for all pages. Press again to update it; "
        "results from earlier answers are deleted.",
    ):
        try:
            with doing(context.session, st.spinner("Gathering the answers")):
                info = open_answers(services().workspace, context.slug, context.folder, experiment)
                context.session.open(info.id)
                if ASKINGS[experiment.task].measured:  # as uploads of ratings are opened
                    open_page("embedding", "dissimilarities")
                look_first(info)
        except (WorkspaceError, DataError) as error:
            show_error(error)
            return
    csv_button(
        "Answers (CSV)", table, export.file_name(experiment.title, "answers"),
        f"{PAGE}.csv.{context.slug}", width="stretch",
        help="Every answer with its question, including practice and checks.",
    )
    st.download_button(
        "Backup (SQLite)", partial(copied, context.folder),
        f"{export.file_name(experiment.title, 'answers')}.sqlite", "application/vnd.sqlite3",
        key=f"{PAGE}.copy.{context.slug}", on_click="ignore", width="stretch",
        icon=":material/download:",
        help="A backup while the server runs: the whole log, with participants’ data.",
    )
    csv_button(
        "Participants (CSV)", participants,
        export.file_name(experiment.title, "participants"), f"{PAGE}.participants.{context.slug}",
        width="stretch",
        help="A row for each: state, parameters of the address, times, device, checks, "
        "questionnaire. Questionnaires, and parameters that some share, such as a condition, are "
        "also columns of the answers.",
    )


def look_when_due(context: CollectContext, records: Sequence[AnswerRecord]) -> None:
    """Compute the error in the background, where there are clearly other answers than before."""
    if ASKINGS[context.experiment.task].measured:
        return  # which are no triplets
    answers = [record for record in records if record.is_about_objects]
    place = f"{PAGE}.looked.{context.slug}"
    # Also a look that found nothing counts, or there would be another one at once. Answers become
    # fewer where somebody is deleted or stopped.
    before = [context.session.drafts.get(place, 0),
              *(look.found.n_answers for look in kept_looks(context.folder)[-1:])]
    if len(answers) < live.FEWEST or context.waiting or not all(
        abs(len(answers) - n) >= max(_MORE, _SHARE * n) for n in before
    ):
        return
    context.session.drafts[place] = len(answers)
    context.begin(
        f"Map and its error: {context.experiment.title}", "Predicting held-out answers",
        partial(_look, context.folder, context.experiment, answers),
    )
    st.rerun()


def _look(
    folder: Path, experiment: Experiment, answers: list[AnswerRecord], progress: Progress
) -> live.CollectedError | None:
    before = kept_map(folder)
    mapped = partial(live.collected_map, experiment, answers, before=before and before.positions)
    keep_map(folder, KeptMap(pool().call(mapped), len(answers)))
    error = pool().call(live.collected_error, experiment, answers, progress=progress)
    if error is not None:
        keep_look(folder, error)
    return error


def show_enough(context: CollectContext, n_finished: int) -> None:
    """Whether it is enough, and the newest map."""
    experiment, looks = context.experiment, kept_looks(context.folder)
    context.present(Collected(experiment, n_finished, {look.at: look.found for look in looks}))
    newest = kept_map(context.folder)
    if newest is not None and len(newest.positions) == len(experiment.objects):
        context.present(MapSoFar(experiment, newest.positions, newest.n_answers, bool(looks)))
