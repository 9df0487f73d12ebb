"""The answers of an experiment as a data set, at this moment, on which all pages work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import (
    checks_answered,
    experiment_objects,
    gathered_answers,
    measured_answers,
    with_questionnaire,
)
from tripletscope.dashboard.collecting import answer_log
from tripletscope.dashboard.keeping.dataset import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.wording.formats import count

#: Under which name a data set notes the folder of its experiment.
_NOTED = "experiment"
#: And the fingerprint of the answers that it was last made of.
_MADE_OF = "answers of experiment"


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
    measured = None
    if ASKINGS[experiment.task].measured:
        file = measured_answers(experiment, records)
        measured = file.measured()
        answers = measured.triplets(name=experiment.title)
        table = experiment_objects(experiment).set_index("id", drop=False)
        answers = answers.with_objects(table.loc[answers.ids].reset_index(drop=True))
    else:
        answers = gathered_answers(experiment, records)
    answers = with_questionnaire(answers, records)
    checks = checks_answered(records)
    about = sum(one.is_about_objects for one in records)
    people = {one.participant for one in records if one.is_about_objects}
    report = _report(experiment, len(people), about, len(records) - about, len(checks), folder)
    catch = checks if len(checks) else None
    if measured is not None:
        report += file.notes
    noted = {_NOTED: slug, _MADE_OF: f"{answers.fingerprint}{f' {about}' * bool(measured)}"}
    before = dataset_of(workspace, slug, experiment)
    if before is not None:
        named = answers.renamed(before.name)
        if noted[_MADE_OF] == before.extra.get(_MADE_OF):
            return before
        return workspace.renew_dataset(
            before, named, report=report, catch_trials=catch, measured=measured, extra=noted
        )
    triplets, pairs = answers, None
    if isinstance(answers, Quadruples):
        triplets, pairs = Triplets([], answers.objects, name=answers.name), answers
    pictures = {
        one.content: _content(folder / STIMULI / one.content)
        for one in experiment.objects if one.medium == "picture"
    }
    return workspace.add_dataset(
        triplets, origin=f"experiment: {experiment.title}", report=report, pictures=pictures,
        catch_trials=catch, pairs=pairs, measured=measured, extra=noted,
    )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkspaceError(
            f"The file {file.name} of a stimulus cannot be read ({error.strerror})."
        ) from error


def _report(
    experiment: Experiment, n_people: int, about: int, others: int, checks: int, folder: Path,
) -> list[str]:
    """What was read and what was left out."""
    moment = datetime.now(UTC)
    lines = [
        f"Collected by the experiment {experiment.title}: {count(about, 'answer')} by "
        f"{count(n_people, 'participant')}, until {moment:%Y-%m-%d %H:%M} UTC.",
    ]
    if others:
        lines.append(
            f"{count(others, 'answer')} to practice and check questions are not included. Quality "
            f"uses the {count(checks, 'check')}."
        )
    stopped = sum(
        one.state == "excluded" and not one.simulated for one in answer_log.people(folder)
    )
    if stopped:
        lines.append(
            f"{count(stopped, 'participant')} failed so many checks that they were stopped. Their "
            "answers are included; Quality can exclude them."
        )
    return lines
