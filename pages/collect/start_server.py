"""The answers of an experiment as a data set, at this moment, on which all pages work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS, CHECKS
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading.layouts.collect import unanswered_note
from tripletscope.core.studies.experiment import results
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.participants import conditions
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import (
    COLLECTED,
    DESIGN,
    FIRST_ANSWER,
    FORMER_PLANS,
    PLAN,
)
from tripletscope.dashboard.store.plans import looked_at, plan_of_experiment
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.words.formats import count

#: Under which name a data set notes the folder of its experiment.
_NOTED = "experiment"
#: And the fingerprint of the answers that it was last made of.
_MADE_OF = "answers of experiment"
#: Objects that are named of those in unanswered questions.
_OFTEN = 3


def dataset_of(workspace: Workspace, slug: str, experiment: Experiment) -> DatasetInfo | None:
    """The data set that was made of the answers of an experiment before, if it is still there.

    An experiment of the same name that has other objects is another one.
    """
    ids = [stimulus.id for stimulus in experiment.objects]
    is_measured = bool(ASKINGS[experiment.task].measured)
    for info in workspace.datasets():
        if info.extra.get(_NOTED) == slug:
            there = workspace.answers(info).ids
            # What is measured is about the objects that were shown, in an order of its own.
            if {*there} <= {*ids} if is_measured else there == ids:
                return info
    return None


def open_answers(
    workspace: Workspace, slug: str, folder: Path, experiment: Experiment
) -> DatasetInfo:
    """Make a data set of the answers, or bring the one that was made before up to date."""
    records = answer_log.records(folder)
    checks = results.checks_answered(records)
    report = _report(experiment, records, len(checks), folder)
    measured = None
    if ASKINGS[experiment.task].measured:
        file = results.measured_answers(experiment, records)
        report += file.notes
        measured = file.measured()
        answers = measured.triplets(name=experiment.title)
        table = results.experiment_objects(experiment).set_index("id", drop=False)
        answers = answers.with_objects(table.loc[answers.ids].reset_index(drop=True))
    else:
        answers = results.gathered_answers(experiment, records)
    if experiment.unanswered:
        answers = results.with_facts_of_people(answers, results.questions_asked(records))
    answers = results.with_questionnaire(answers, records)
    real = [one for one in answer_log.people(folder) if not one.simulated]
    answers = results.with_facts_of_people(answers, conditions(real, experiment))
    made_of = answers.fingerprint
    if measured is not None or experiment.unanswered:
        made_of += f" {sum(record.kind in ABOUT_OBJECTS for record in records)}"
    before = dataset_of(workspace, slug, experiment)
    extra = {_NOTED: slug, _MADE_OF: made_of}
    extra[DESIGN] = [
        experiment.task, experiment.source, experiment.skip, experiment.time_limit,
    ]
    states = Counter(one.state for one in real)
    asked = Counter(record.kind for record in records)
    checked = sum(asked[kind] for kind in CHECKS)
    extra[COLLECTED] = {
        "began": len(real), "finished": states["finished"], "stopped": states["excluded"],
        "unanswered": states["unanswered"], "language": experiment.language,
        "practice": experiment.n_practice * bool(asked["practice"]),
        "repeats": asked["repeat"] / max(asked["question"], 1),
        "checks": checked / max(asked["question"], 1), "fails": experiment.fails * bool(checked),
    }
    if first := min((one.answered_at for one in records if one.answered_at), default=""):
        extra[FIRST_ANSWER] = first
    # A plan that was left is not taken up again by the next answers.
    if before is None or not {PLAN, FORMER_PLANS} & before.extra.keys():
        try:
            plan = plan_of_experiment(folder)
            extra |= {PLAN: plan.to_record()} if plan is not None else {}
        except DataError as error:
            report.append(f"It follows no plan: {error}")
    parts = {
        "report": report, "catch_trials": checks if len(checks) else None, "measured": measured,
        "extra": extra,
    }
    if before is not None:
        if made_of == before.extra.get(_MADE_OF):
            if extra[COLLECTED] != before.extra.get(COLLECTED):  # who has finished since
                workspace.note(before.id, COLLECTED, extra[COLLECTED])
            return workspace.dataset(before.id) or before
        extra |= looked_at(workspace, before)
        return workspace.renew_dataset(before, answers.renamed(before.name), **parts)
    triplets, pairs = answers, None
    if isinstance(answers, Quadruples):
        triplets, pairs = Triplets([], answers.objects, name=answers.name), answers
    pictures = {
        stimulus.content: _content(folder / STIMULI / stimulus.content)
        for stimulus in experiment.objects if stimulus.medium == "picture"
    }
    return workspace.add_dataset(
        triplets, origin=f"experiment: {experiment.title}", pictures=pictures, pairs=pairs, **parts
    )


def _unanswered(experiment: Experiment, about: list[results.AnswerRecord]) -> Iterator[str]:
    """Questions about objects that have no answer, and the objects that they show most often."""
    for why in experiment.unanswered:
        some = [record for record in about if record.unanswered == why]
        if not some:
            continue
        note = unanswered_note(why, len(some), len(about)).said()
        shown = Counter(one for record in about for one in {*record.shown})
        labels = {one.id: one.label or one.id for one in experiment.objects}
        often = [
            f"{labels[one]} ({n:,} of {shown[one]:,})" for one, n in
            Counter(one for record in some for one in {*record.shown}).most_common(_OFTEN)
        ]
        yield f"{note} They count as missing." + (
            f" They show most often {', '.join(often)}." if often else ""
        )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkspaceError(
            f"The file {file.name} of a stimulus cannot be read ({error.strerror})."
        ) from error


def _report(
    experiment: Experiment, records: list[results.AnswerRecord], n_checks: int, folder: Path
) -> list[str]:
    """What was read and what was left out."""
    people = [record.participant for record in records if record.is_about_objects]
    lines = [
        f"Collected by the experiment {experiment.title}: {count(len(people), 'answer')} by "
        f"{count(len({*people}), 'participant')}, until {datetime.now(UTC):%Y-%m-%d %H:%M} UTC.",
    ]
    about = [record for record in records if record.kind in ABOUT_OBJECTS]
    lines += _unanswered(experiment, about)
    if len(about) < len(records):
        lines.append(
            f"{count(len(records) - len(about), 'answer')} to practice and check questions are "
            f"not included. Quality uses the {count(n_checks, 'check')}."
        )
    stopped = sum(
        person.state == "excluded" and not person.simulated
        for person in answer_log.people(folder)
    )
    if stopped:
        lines.append(
            f"{count(stopped, 'participant')} failed so many checks that they were stopped. Their "
            "answers are included; Quality can exclude them."
        )
    return lines
