"""Settings of an experiment beside its objects and texts, as forms; most are folded away."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import parameters
from tripletscope.core.studies.experiment.experiment import ADAPTIVE, Experiment, Stimulus
from tripletscope.core.studies.experiment.listed_designs import n_possible
from tripletscope.core.studies.experiment.question import ASKINGS, Asking
from tripletscope.dashboard.collect import typed_lists
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui.controls import line, parameter_form, pick, switch, text

#: Of a new experiment, unless there are fewer.
_N_QUESTIONS = 100
DECLARED = tuple(parameter.name for parameter in parameters(Experiment))
#: Names in the address by where participants come from, their id first, and what their web sites
#: put in the place of each.
SERVICES: dict[str, tuple[str, dict[str, str]]] = {
    "prolific": ("Prolific", {
        "PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "STUDY_ID": "{{%STUDY_ID%}}",
        "SESSION_ID": "{{%SESSION_ID%}}",
    }),
    "sona": ("SONA", {"survey_code": "%SURVEY_CODE%"}),
    "mturk": ("MTurk", {
        "workerId": "${workerId}", "assignmentId": "${assignmentId}", "hitId": "${hitId}",
    }),
}
_RETURNS = {
    "prolific": "https://app.prolific.com/submissions/complete?cc={code}",
    "sona": "https://….sona-systems.com/webstudy_credit.aspx?experiment_id=…&credit_token=…"
    "&survey_code={survey_code}",
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,60}")
_GOLD = {
    "triplet": "anchor, more similar, less similar",
    "odd_one_out": "the odd one, another, another",
    "similar_pair": "two that are alike, then the third",
    "ranking": "anchor, the chosen objects in order, the others",
    "pairs": "the pair that differs more, then the other pair",
    "triad": "three, of which the first two differ more than the last two",
}
#: Examples of questionnaires.
_ITEMS = {
    "before": "age; number; How old are you?; 18 | 99\n"
    "gender; choice?; What is your gender?; female | male | another",
    "after": "sure; scale; How sure were you?; not at all | very | 7\n"
    "how; text?; How did you decide?",
}
#: A table takes as long as many questions. To say “different” of the same is an answer, too.
_TABLES = {"n_questions": 1, "repeated": 0.0, "n_practice": 0}
_USUAL = {"piles": _TABLES, "positions": _TABLES, "words": {"catch": 0.5, "fails": 0}}


class ExperimentForm:
    """Forms of an experiment, which begin with the values of one; `place` is of the widgets."""

    def __init__(self, current: Session, place: str, begin: Mapping[str, Any]) -> None:
        self.current, self.place, self.begin = current, place, begin
        self.values: dict[str, Any] = {}

    def ask(self, *names: str) -> None:
        """Ask for some parameters, one below the other, in the order of their declaration."""
        place, begin, answer = self.place, self.begin, self.asking.answer
        if answer in _USUAL:
            place = f"{place}.{answer}"  # other numbers are usual
            if ASKINGS[begin.get("task", "triplet")].answer != answer:
                begin = {**begin, **_USUAL[answer]}
        self.values |= parameter_form(
            self.current, Experiment, place, defaults=begin, folded="",
            hidden=[name for name in DECLARED if name not in names],
        )

    def ask_line(self, name: str, key: str, label: str, **further: Any) -> None:
        """Ask for a parameter that is a line of text."""
        self.values[name] = line(
            self.current, f"{self.place}.{key}", label, self.begin.get(name, ""), **further
        )

    @property
    def asking(self) -> Asking:
        """The way to ask that was chosen."""
        return ASKINGS[self.values.get("task", "triplet")]

    def ask_for_task(self) -> None:
        self.ask("task")
        if self.asking.settings:
            self.ask(*self.asking.settings)

    def begin_with_possible(self, stimuli: Sequence[Stimulus]) -> None:
        """Let the form begin with at most as many questions as there are about some objects."""
        if self.asking.is_table:
            return
        most, asked = self.begin.get("n_questions", _N_QUESTIONS), None
        with suppress(DataError):  # such as too few objects
            asked = Experiment(**{"title": "", **self.values, "objects": tuple(stimuli)})
        if asked is not None:
            self.begin = {**self.begin, "n_questions": min(most, n_possible(asked))}

    def ask_for_questions(self, stimuli: Sequence[Stimulus]) -> None:
        """What is asked, and how often."""
        self.ask_for_task()
        if "questions" not in self.begin:  # a new experiment
            self.begin_with_possible(stimuli)
        self.ask("source")
        source = self.values["source"]
        if source in ADAPTIVE:
            self.ask("random_share")
        elif source == "landmark":
            self.ask("n_landmarks")
        elif source == "list":
            self.values["listed"] = self._list()
        self.ask("n_questions", "most_people")

    def _list(self) -> str:
        """Lines of a list of questions; empty where the kept one stays."""
        file = st.file_uploader(
            "Your questions", key=f"{self.place}.listed", type=["csv", "txt", "tsv"],
            help="One row per question, with objects in the order shown, as Simulate › Questions "
            "makes them; a column list divides questions among participants.",
        )
        if file is not None:
            return file.getvalue().decode("utf-8", "replace")
        if kept := self.begin.get("questions"):
            st.caption(f"The {len(kept):,} questions of the kept list.")
        return ""

    def ask_for_checks(self, *further: str) -> None:
        """Practice, repeats, catch and gold questions."""
        has_gold = self.asking.has_gold
        self.ask(
            "repeated", *["catch"] * self.asking.has_catch, "n_practice",
            *["gold_share"] * has_gold, *further,
        )
        if not has_gold:
            self.values |= {"gold_share": 0.0, "gold": ""}
            return
        example = _GOLD[self.values["task"]]
        self.values["gold"] = text(
            self.current, f"{self.place}.gold", "Your gold questions",
            typed_lists.as_lines(self.begin.get("gold", ())), height=100, placeholder=example,
            help=f"One per line, with commas between objects: {example}. If their share is 0, they "
            "serve as practice.",
        )

    def ask_for_questionnaires(self) -> None:
        """Items before and after the questions."""
        for when, example in _ITEMS.items():
            items = typed_lists.questionnaire_as_lines(self.begin.get(when, ()))
            self.values[when] = text(
                self.current, f"{self.place}.{when}", f"{when.capitalize()} the questions",
                items, height=120, placeholder=example,
                help="One item per line: name; kind; question; details. Kinds are choice (options "
                "apart by |), number (smallest | largest), scale (low end | high end | levels) and "
                "text; with a question mark, such as text?, an item may be left out.",
            )

    def ask_for_appearance(self) -> None:
        """How stimuli look, and on which screens."""
        self.ask("language", "size", "labels")
        key = f"{self.place}.background"
        initial = self.current.remembered(key, self.begin.get("background", "#ffffff"))
        self.values["background"] = self.current.remember(
            key, st.color_picker("Background", initial, key=key, persist_state="session")
        )
        self.ask(
            "least_ms", *["skip", "time_limit"] * self.asking.has_care, "break_every",
            "desktop_only",
        )
        if not self.asking.has_care:
            self.values |= {"skip": False, "time_limit": None}

    def ask_for_ending(self) -> None:
        """When it is enough, and what else is seldom changed."""
        self.values["enough_error"] = None  # what is measured has no held-out error
        self.ask(*["enough_error"] * (not self.asking.measured), "one_browser", "seed")

    def ask_for_recruitment(self) -> None:
        """Where participants come from, and where they go."""
        names = tuple(self.begin.get("parameters", SERVICES["prolific"][1]))
        services = {name: title for name, (title, _) in SERVICES.items()}
        service = pick(
            self.current, f"{self.place}.service", "Participants come from",
            services | {"own": "Elsewhere"}, help="Sets which names in the address are recorded.",
            default=next((name for name in services if (*SERVICES[name][1],) == names), "own"),
        )
        if service in SERVICES:
            names = tuple(SERVICES[service][1])
        else:
            written = line(
                self.current, f"{self.place}.parameters", "Names in the address", ", ".join(names),
                help="The participant's id first. Without one, the browser makes an id.",
            )
            names = tuple(filter(None, map(str.strip, written.split(","))))
        self.values["parameters"] = names
        self.ask_line(
            "completion_code", "code", "Completion code",
            placeholder="a different one for each participant",
            help="Prolific expects the code of the study. Empty: a different one for everybody.",
        )
        self.ask_line(
            "return_address", "return", "Return address",
            placeholder=_RETURNS.get(service) or "https://…",
            help="Where participants go at the end. {code} becomes their code, and a name in the "
            "address, such as {survey_code}, its value for this participant.",
        )
        self._ask_about_privacy()

    def _ask_about_privacy(self) -> None:
        current, place, salt = self.current, self.place, self.begin.get("salt", "")
        is_hashed = switch(
            current, f"{place}.hashed", "Hash ids", bool(salt),
            help="Stores hashes of ids, and of other parameters of the address, which cannot be "
            "compared with a list of payments.",
        )
        key = f"{place}.salt"  # the same on every run of the page
        salt = current.drafts.get(key) or current.remember(key, salt or secrets.token_hex(16))
        self.values["salt"] = salt if is_hashed else ""
        key = f"{place}.until"
        until = st.date_input(
            "Keep personal data until", key=key, persist_state="session", format="YYYY-MM-DD",
            value=_day(current.remembered(key, self.begin.get("keep_until", ""))),
        )
        self.values["keep_until"] = current.remember(key, until.isoformat() if until else "")

    def experiment(self, stimuli: Sequence[Stimulus], texts: Mapping[str, str]) -> Experiment:
        """The experiment that the forms describe."""
        values = {name: value for name, value in self.values.items()
                  if name not in ("listed", "gold")}
        values |= {
            when: typed_lists.questionnaire(values[when], f"the items {when}") for when in _ITEMS
        }
        wrong = [name for name in values["parameters"] if not _NAME.fullmatch(name)]
        if wrong:
            raise DataError(f"{wrong[0]!r} is not a valid name in an address", file="Recruitment",
                            remedy="Use letters, digits and underscores.")
        address = values["return_address"]
        if address and not re.match(r"https?://\S+$", address):
            raise DataError("the return address begins with https://", file="Recruitment")
        kept = {name: self.begin[name] for name in DECLARED if name in self.begin}
        experiment = Experiment(
            **{**kept, **values, "objects": tuple(stimuli), "texts": dict(texts)}
        )
        if experiment.source == "list":
            lines, questions = self.values.get("listed", ""), self.begin.get("questions", ())
            experiment = _with_list(experiment, lines, questions)
        return with_gold(experiment, self.values["gold"])


def address_to_send(base: str, experiment: Experiment) -> str:
    """The address for participants, with what the place that they come from fills in."""
    fills = {name: name.upper() for name in experiment.parameters}
    for _, names in SERVICES.values():
        fills = names if (*names,) == experiment.parameters else fills
    query = "&".join(f"{name}={filled}" for name, filled in fills.items())
    base = f"{base.removesuffix('/')}/"
    return f"{base}?{query}" if query else base


def _day(written: str) -> date | None:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None


def with_gold(experiment: Experiment, lines: str) -> Experiment:
    """The experiment with gold questions as they are typed."""
    gold = typed_lists.gold_questions(
        lines, experiment.objects, experiment.task, experiment.n_shown, experiment.n_chosen
    )
    if experiment.gold_share and not gold:
        raise DataError(
            "there are no gold questions to ask", file="Checks",
            remedy="Write some, or set their share to 0.",
        )
    return experiment.changed(gold=gold)


def _with_list(experiment: Experiment, lines: str, kept: Sequence[Mapping[str, Any]]) -> Experiment:
    """The experiment with the questions of a list, or of the kept one as long as that fits."""
    questions = kept
    if lines:
        questions = typed_lists.listed_questions(
            lines, experiment.objects, experiment.task, experiment.n_shown, experiment.n_chosen
        )
    if not questions:
        raise DataError("there is no list of questions yet", file="Questions",
                        remedy="Upload one, or choose other questions.")
    ids = {stimulus.id for stimulus in experiment.objects}
    for row, record in enumerate(questions, 1):
        if record["task"] != experiment.task or not ids.issuperset(record["shown"]):
            raise DataError(
                "it has other objects or another task", file="the list of questions", row=row,
                remedy="Upload a list for this experiment.",
            )
    return experiment.changed(questions=tuple(questions))
