"""The map of an experiment's answers so far: its error, and the questions to ask next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.score import held_out_half_width, n_groups, question_folds
from tripletscope.core.inference.held_out.units import known_people
from tripletscope.core.inference.uncertainty.curvature import LARGEST
from tripletscope.core.inference.uncertainty.posterior import laplace
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.studies.design.active import propose
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord, gathered_answers

FOLDS = 5
#: Dimensions of the map.
_DIMENSIONS = 2
#: Fewest different questions for an error.
FEWEST = 50


@short_repr
@dataclass(frozen=True)
class CollectedError:
    """The held-out error of a map at some moment of an experiment.

    Attributes
    ----------
    n_answers : int
        Answers about objects, without practice and checks.
    n_predicted : int
        Predicted answers: to questions that are neither repeats nor adaptive.
    error, low, high : float
        With a 95 % interval.
    unit : {"answers", "participants"}
        What the interval takes as independent.
    """

    n_answers: int
    n_predicted: int
    error: float
    low: float
    high: float
    unit: str


@with_random_state
def collected_error(
    experiment: Experiment, records: Sequence[AnswerRecord], *, seed: int = 0,
    progress: Progress = silent,
) -> CollectedError | None:
    """The error of predicting answers to questions that no earlier answers chose.

    Each map is fitted to four fifths of all answers, adaptive ones too, by the usual method in two
    dimensions, and judged by answers of the last fifth with `AnswerRecord.tells_accuracy`. All
    answers to a question are in one fifth.

    Parameters
    ----------
    experiment : Experiment
    records : sequence of AnswerRecord
    seed : int
    progress : Progress

    Returns
    -------
    CollectedError or None
        None if fewer than 50 different questions could be predicted.

    Raises
    ------
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletscope.experiment import (
    ...     Experiment, Stimulus, collected_error, simulated_participants)
    >>> places = np.random.default_rng(0).normal(size=(10, 2))
    >>> objects = tuple(Stimulus(f"i{k}", "text", f"i{k}") for k in range(10))
    >>> experiment = Experiment(title="Things", objects=objects)
    >>> records = simulated_participants(experiment, places, 8, careless=0.0)
    >>> found = collected_error(experiment, records)
    >>> found.low < found.error < found.high < 0.5
    True
    """
    records = [one for one in records if one.is_about_objects]
    answers = gathered_answers(experiment, records)
    if not len(answers):
        return None
    names = answers.answers
    honest = {(one.kind, one.source) for one in records if one.tells_accuracy}
    telling = np.array([
        pair in honest for pair in zip(names["kind"], names["sampler"], strict=True)
    ], dtype=bool)
    if not telling.any() or n_groups(answers.take(np.flatnonzero(telling))) < FEWEST:
        return None
    method = DEFAULT_EMBEDDING(n_components=_DIMENSIONS, seed=seed)
    folds = question_folds(answers, FOLDS, np.random.default_rng(seed))
    wrong, errors = np.full(len(answers), np.nan), []
    for fold in range(FOLDS):
        held_out = np.flatnonzero((folds == fold) & telling)
        if len(held_out):
            fitted = clone(method).fit(answers.take(np.flatnonzero(folds != fold)))
            wrong[held_out] = fitted.mistakes(answers.take(held_out))
            errors.append(wrong[held_out].mean())
        if progress((fold + 1) / FOLDS) and fold + 1 < FOLDS:
            raise Stopped
    people = known_people(answers, "auto")
    reach = held_out_half_width(
        np.array(errors), 1.0 / (FOLDS - 1), people, wrong[telling], answers.weight[telling],
        telling,
    )
    mean = float(wrong[telling].mean())
    return CollectedError(
        len(answers), int(telling.sum()), mean, max(mean - reach, 0.0), min(mean + reach, 1.0),
        "answers" if people is None else "participants",
    )


@with_random_state
def collected_map(
    experiment: Experiment, records: Sequence[AnswerRecord], *, before: np.ndarray | None = None,
    seed: int = 0, progress: Progress = silent,
) -> np.ndarray:
    """The map of all answers so far, by the usual method in two dimensions.

    Parameters
    ----------
    experiment : Experiment
    records : sequence of AnswerRecord
        At least one of them about objects.
    before : ndarray, shape (n, 2), optional
        An earlier map, to which the new one is aligned.
    seed : int
    progress : Progress

    Returns
    -------
    ndarray, shape (n, 2)
        NaN for objects without answers.

    Raises
    ------
    DataError
        If no answer is about objects.
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletscope.experiment import (
    ...     Experiment, Stimulus, collected_map, simulated_participants)
    >>> places = np.random.default_rng(0).normal(size=(10, 2))
    >>> objects = tuple(Stimulus(f"i{k}", "text", f"i{k}") for k in range(10))
    >>> experiment = Experiment(title="Things", objects=objects)
    >>> records = simulated_participants(experiment, places, 8, careless=0.0)
    >>> collected_map(experiment, records).shape
    (10, 2)
    """
    answers = gathered_answers(experiment, [one for one in records if one.is_about_objects])
    method = DEFAULT_EMBEDDING(n_components=_DIMENSIONS, seed=seed)
    fitted = method.fit(answers, progress=progress)
    if fitted.stopped_:
        raise Stopped
    positions = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    if before is None or before.shape != positions.shape:
        return positions
    both = np.isfinite(before).all(axis=1) & fitted.placed_
    if both.sum() <= _DIMENSIONS:
        return positions
    return procrustes(positions[both], before[both])(positions)


# Adaptive questions -----------------------------------------------------------------------------

#: Fewest answers per object and dimension for choosing questions by a map.
_FEWEST_ANSWERS = 1.0
#: Maps drawn from the normal approximation of the posterior, or replicates in its place.
_MAPS, _REPLICATES = 60, 20


@dataclass(frozen=True)
class LiveMap:
    """The map of the answers so far, with maps from its posterior or, if large, a bootstrap."""

    method: STE
    samples: Samples
    answers: Triplets


def live_map(answers: Triplets, *, seed: int = 0) -> LiveMap | None:
    """The map of the answers so far; None while there are too few to choose questions by.

    Laplace's approximation takes about a second for 300 objects, where the posterior takes a
    minute; it is for choosing questions, not for reporting.
    """
    if len(answers) < _FEWEST_ANSWERS * _DIMENSIONS * answers.n_objects:
        return None
    method = STE(n_components=_DIMENSIONS, seed=seed).fit(answers)
    if _DIMENSIONS * answers.n_objects <= LARGEST:
        samples = laplace(method, answers, samples=_MAPS, seed=seed, reference=method.embedding_)
    else:
        samples = bootstrap(
            method, answers, replicates=_REPLICATES, unit="answers", seed=seed,
            reference=method.embedding_,
        )
    return LiveMap(method, samples, answers)


def hardly_answered(experiment: Experiment, records: Iterable[AnswerRecord]) -> set[tuple]:
    """Questions, regardless of places, that were left open twice and by most who were asked.

    A map remains uncertain of what nobody can say, and would ask it again and again.
    """
    alike = ASKINGS[experiment.task].regardless_of_places
    open_, answered = (Counter(
        alike(one.shown) for one in records
        if one.kind in ABOUT_OBJECTS and bool(one.unanswered) == is_open
    ) for is_open in (True, False))
    return {question for question, n in open_.items() if n > max(1, answered[question])}


def next_questions(
    experiment: Experiment, live: LiveMap, n_questions: int, *, seed: int = 0,
    without: Set[tuple] = frozenset(),
) -> list[tuple[str, ...]]:
    """Ids of the objects of each of up to `n_questions` questions to ask next, in their places.

    without: Questions that are not asked again, regardless of places.
    """
    if not experiment.is_adaptive:
        raise DataError("questions of this experiment are not chosen by the answers so far",
                        file=experiment.title)
    rows = propose(
        live.method, live.answers, n_questions + len(without), strategy=experiment.source,
        seed=seed, samples=live.samples,
    )
    ids = live.answers.objects["id"].astype(str).to_numpy()
    if experiment.task != "triplet":
        rows = np.random.default_rng(seed).permuted(rows, axis=1)
    questions = [tuple(ids[row].tolist()) for row in rows]
    alike = ASKINGS[experiment.task].regardless_of_places
    return [one for one in questions if alike(one) not in without][:n_questions]
