"""Questions for other programs: tables, Salmon, jsPsych, PsychoPy and Gorilla.

The last three get the columns of `answers_table`, but for the answer: what they write is recognised
when it is read.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.layouts.collect import COLUMNS, KIND, TASK
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS, Question

_MARKUP = tomllib.loads(Path(__file__).with_name("stimuli.toml").read_text("utf-8"))
#: Tasks with one press as their answer.
_ONE_PRESS = ("triplet", "odd_one_out", "similar_pair", "pairs")
#: Keys of two options, by place; of three, their numbers.
_KEYS = {2: ("left", "right"), 3: ("1", "2", "3")}


@dataclass(frozen=True)
class Program:
    """A program that can ask the questions of an experiment.

    title, help: For the user.
    is_joined: Whether all lists are in one table, with a column of numbers; else each has a file.
    """

    name: str
    title: str
    help: str
    _trials: Callable[[Experiment, list[Question]], list[dict[str, Any]]]
    is_joined: bool = False

    @property
    def suffix(self) -> str:
        """Suffix of its files."""
        return ".json" if self.name == "jspsych" else ".csv"


def questions_for(
    experiment: Experiment, program: str, people: Iterable[int] = (0,)
) -> dict[str, bytes]:
    """The lists of some people, for another program.

    Parameters
    ----------
    experiment : Experiment
    program : {"plain", "salmon", "jspsych", "psychopy", "gorilla"}
        See `PROGRAMS`.
    people : iterable of int
        Running numbers of people from 0, see `person_list`.

    Returns
    -------
    dict of str to bytes
        A file for each person, by its name; a table of all people for ``plain`` and ``salmon``.
        Without items of questionnaires, skipping and time limits.

    Raises
    ------
    DataError
        If the program cannot ask these questions: none asks adaptive ones; only ``plain`` lists
        others than one choice of objects, such as rankings and piles; Salmon asks about an anchor
        and two objects. Or if Gorilla could not tell two objects apart.
    ValueError
        For another program.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, questions_for
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork", "pan"))
    >>> experiment = Experiment(title="Dishes", objects=objects, n_questions=3, n_practice=0)
    >>> files = questions_for(experiment, "psychopy", people=range(2))
    >>> list(files)
    ['psychopy_1.csv', 'psychopy_2.csv']
    >>> files["psychopy_1.csv"].splitlines()[0][:48]
    b'collect_task,kind,source,key,anchor,left,right,a'
    """
    if program not in PROGRAMS:
        raise ValueError(f"program is {program!r}; it must be one of {', '.join(PROGRAMS)}.")
    chosen = PROGRAMS[program]
    if experiment.is_adaptive:
        raise DataError(
            f"{chosen.title} cannot choose questions by the answers so far", file=experiment.title,
            remedy="Choose balanced questions, or a list made by Simulate.",
        )
    if program == "salmon" and experiment.task != "triplet":
        raise DataError(
            "Salmon asks which of two objects is more like a third", file=experiment.title,
            remedy="Choose that task, or another program.",
        )
    if program != "plain" and experiment.task not in _ONE_PRESS:
        raise DataError(
            f"“{ASKINGS[experiment.task].title}” is not one choice of objects, and a row for "
            f"{chosen.title} cannot express it", file=experiment.title,
            remedy="Use the page that runs without TripletScope, or ask for one of two.",
        )
    trials = {
        person + 1: chosen._trials(experiment, [
            one for one in person_list(experiment, person).questions if one.item is None
        ]) for person in people
    }
    if chosen.is_joined:
        rows = [{"list": number} | row for number, some in trials.items() for row in some]
        table = pd.DataFrame(rows)
        table = table if len(trials) > 1 else table.drop(columns="list")
        return {f"{program}.csv": table.to_csv(index=False).encode()}
    return {
        f"{program}_{number}{chosen.suffix}": _timeline(experiment, some)
        if program == "jspsych" else pd.DataFrame(some).to_csv(index=False).encode()
        for number, some in trials.items()
    }


def _columns(question: Question, shown: Sequence[str]) -> dict[str, Any]:
    """A question in the columns of `answers_table`, with objects as they are shown."""
    return {
        TASK: question.task, KIND: question.kind, "source": question.source, "key": question.key,
        **dict(zip(COLUMNS[question.task].objects, shown, strict=True)),
    }


def _right(question: Question) -> int | None:
    """Number of the right response; of two alike out of three, that of the pair."""
    if not question.correct:
        return None
    if question.task == "similar_pair":
        return sum(question.correct) - 1
    return question.correct[0]


# jsPsych -------------------------------------------------------------------------------------


def _jspsych(experiment: Experiment, questions: list[Question]) -> list[dict[str, Any]]:
    shown = {one.id: _html(one, experiment) for one in experiment.objects}
    words = experiment.texts.get("question") or ASKINGS[experiment.task].question
    prompt = f"<p>{escape(words)}</p>"
    timeline = []
    for question in questions:
        pictures = [shown[one] for one in question.shown]
        asking = ASKINGS[question.task]
        stimulus = prompt + "".join(pictures[: asking.is_anchored])
        by_pair = question.task == "similar_pair"
        options = combinations(pictures, 2) if by_pair else asking.options(pictures)
        choices = ["".join(option) for option in options]
        right = _right(question)
        timeline.append({
            "type": "jsPsychHtmlButtonResponse", "stimulus": stimulus, "choices": choices,
            "enable_button_after": experiment.least_ms,
            "save_trial_parameters": {"stimulus": False},
            "data": {
                **_columns(question, question.shown),
                "correct_response": "" if right is None else right,
            },
        })
    return timeline


def _timeline(experiment: Experiment, trials: list[dict[str, Any]]) -> bytes:
    files = [f"{STIMULI}/{one.content}" for one in experiment.objects if one.is_file]
    return json.dumps({"preload": files, "timeline": trials}, ensure_ascii=False, indent=1).encode()


def _html(stimulus: Stimulus, experiment: Experiment) -> str:
    """A stimulus on a page."""
    content = escape(stimulus.content)
    shown = _MARKUP[stimulus.medium] + _MARKUP["label"] * experiment.labels
    return shown.format(
        content=content, source=f"{STIMULI}/{content}", size=experiment.size,
        label=escape(stimulus.label or stimulus.id),
    )


# Tables --------------------------------------------------------------------------------------


def _plain(experiment: Experiment, questions: list[Question]) -> list[dict[str, Any]]:
    """One row per trial: ids in the order shown, and numbers of right options."""
    n = experiment.n_shown
    names = ("anchor", "left", "right")
    if experiment.task != "triplet":
        names = tuple(f"object {k}" for k in range(1, n + 1))
    return [
        {"question": number, **dict(zip(names, question.shown, strict=True)),
         "kind": question.kind, "correct": " ".join(str(k + 1) for k in question.correct)}
        for number, question in enumerate(questions, 1)
    ]


def _salmon(experiment: Experiment, questions: list[Question]) -> list[dict[str, Any]]:
    """One row per trial: positions in the list of objects, from 0."""
    places = {one.id: k for k, one in enumerate(experiment.objects)}
    names = ("head", "left", "right")
    return [
        dict(zip(names, map(places.get, question.shown), strict=True)) | {"kind": question.kind}
        for question in questions
    ]


def _psychopy(experiment: Experiment, questions: list[Question]) -> list[dict[str, Any]]:
    """One row per trial: ids, and the content of each."""
    names, stimuli = COLUMNS[experiment.task].objects, {one.id: one for one in experiment.objects}
    keys = _KEYS[3 if experiment.task in ("odd_one_out", "similar_pair") else 2]
    rows = []
    for question in questions:
        right = _right(question)
        rows.append(_columns(question, question.shown) | {
            f"{name}_content": f"{STIMULI}/" * stimuli[one].is_file + stimuli[one].content
            for name, one in zip(names, question.shown, strict=True)
        } | {"keys": ",".join(keys), "corrAns": "" if right is None else keys[right]})
    return rows


def _gorilla(experiment: Experiment, questions: list[Question]) -> list[dict[str, Any]]:
    """One row per trial; objects are named by their content, because responses are."""
    stimuli = {one.id: one for one in experiment.objects}
    contents = [one.content for one in experiment.objects]
    twice = next((one for one in contents if contents.count(one) > 1), None)
    if twice is not None:
        raise DataError(
            f"several objects show {twice!r}, and Gorilla names objects by what they show",
            file=experiment.title, remedy="Give every object its own content.",
        )
    by_name = experiment.task in ("triplet", "odd_one_out")
    rows = []
    for question in questions:
        shown = [stimuli[one].content for one in question.shown]
        right, options = _right(question), shown[ASKINGS[question.task].is_anchored :]
        answer = "" if right is None else options[right] if by_name else str(right + 1)
        rows.append({
            "randomise_blocks": "", "randomise_trials": "",
            "display": "practice" if question.kind == "practice" else "trial",
            **_columns(question, shown), "correct_response": answer,
        })
    return rows


#: Programs by name.
PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        Program(
            "plain", "Plain table",
            "One row per trial with the ids in the order shown, the purpose of the question, and "
            "the right options by number. Collect reads it as a list of questions.", _plain,
            is_joined=True,
        ),
        Program(
            "salmon", "Salmon",
            "Columns head, left and right: numbers from 0 in the list of objects, which are "
            "Salmon's targets.", _salmon, is_joined=True,
        ),
        Program(
            "jspsych", "jsPsych timeline",
            "For html-button-response of jsPsych 8: one trial each, with the files to preload. "
            "Consent, feedback and breaks are yours.", _jspsych,
        ),
        Program(
            "psychopy", "PsychoPy conditions",
            "One row per trial. Show the columns that end in _content; a keyboard component "
            "accepts the keys of column keys, two options by left and right, three by number (of "
            "two alike out of three: 1 is the first and second, 2 the first and third, 3 the "
            "second and third).", _psychopy,
        ),
        Program(
            "gorilla", "Gorilla spreadsheet",
            "One row per trial, displays practice and trial. Participants click objects, or choose "
            "pairs by buttons 1, 2 and, with three objects, 3.", _gorilla,
        ),
    )
}
