"""The answers of an experiment as a data set, at this moment, on which all pages work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.results import checks_answered, gathered_answers
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
    for info in workspace.datasets():
        if info.extra.get(_NOTED) == slug and workspace.answers(info).ids == ids:
            return info
    return None


def open_answers(
    workspace: Workspace, slug: str, folder: Path, experiment: Experiment
) -> DatasetInfo:
    """Make a data set of the answers, or bring the one that was made before up to date."""
    records = answer_log.records(folder)
    answers = gathered_answers(experiment, records)
    checks = checks_answered(records)
    about = sum(one.is_about_objects for one in records)
    report = _report(experiment, answers, about, len(records) - about, len(checks), folder)
    catch = checks if len(checks) else None
    noted = {_NOTED: slug, _MADE_OF: answers.fingerprint}
    before = dataset_of(workspace, slug, experiment)
    if before is not None:
        named = answers.renamed(before.name)
        if answers.fingerprint == before.extra.get(_MADE_OF):
            return before
        return workspace.renew_dataset(
            before, named, report=report, catch_trials=catch, extra=noted
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
        catch_trials=catch, pairs=pairs, extra=noted,
    )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkspaceError(
            f"The file {file.name} of a stimulus cannot be read ({error.strerror})."
        ) from error


def _report(
    experiment: Experiment, answers: Judgements, about: int, others: int, checks: int,
    folder: Path,
) -> list[str]:
    """What was read and what was left out."""
    moment = datetime.now(UTC)
    people = answers.answers["participant"].nunique()
    lines = [
        f"Collected by the experiment {experiment.title}: {count(about, 'answer')} by "
        f"{count(people, 'participant')}, until {moment:%Y-%m-%d %H:%M} UTC.",
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
