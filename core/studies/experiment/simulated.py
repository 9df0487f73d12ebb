"""An experiment in simulation: participants, duration, cost and accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import CHECKS
from tripletscope.core.engine.declared import Number, Seed, with_random_state
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import declared
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import LEVELS, personal_maps
from tripletscope.core.studies.design.plan import Plan, plan
from tripletscope.core.studies.design.scenario import OBJECTS, Level, Noise, SampleSizes, Scenario
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.lists import PersonList, key_of, person_list, stand_in
from tripletscope.core.studies.experiment.question import ASKINGS, Question
from tripletscope.core.studies.experiment.results import AnswerRecord

#: Log-normal response times: medians in seconds of attentive and careless people, standard
#: deviations of the logarithm within a person and between people.
ATTENTIVE_SECONDS, CARELESS_SECONDS, WITHIN, BETWEEN = 2.0, 0.6, 0.45, 0.3
#: Share of catch questions that attentive people miss.
LAPSES = 0.01
#: Noise of positions in ratings, piles and arrangements, as a share of the map's root mean square
#: radius; and the share of the largest distance below which two objects are the same, or in one
#: pile.
_BLUR, _ALIKE = 0.2, 0.3
#: Between an answer and the next question.
_PAUSE_MS = 250.0
#: Time of simulated experiments: without a clock, a seed gives the same result.
_BEGIN = datetime(2000, 1, 1, tzinfo=UTC)

Participants = Annotated[int, Number(1, 10_000, "Participants")]
Careless = Annotated[float, Number(
    0.0, 1.0, "Careless", "Share of participants who press at random, and fast."
)]
Heterogeneity = Annotated[float, Number(
    0.0, 2.0, "Differences between people", "Root mean square distance of people's positions "
    "from those of the group, as a share of the size of the map.", advanced=True,
)]
Seconds = Annotated[float, Number(
    0.2, 600.0, "Seconds per question", "Including the time between questions."
)]
Before = Annotated[float, Number(
    0.0, 3600.0, "Seconds before and after", "Consent, instructions, the end."
)]
Pay = Annotated[float, Number(0.0, 1000.0, "Pay per hour", "In whatever currency.")]
Fee = Annotated[float, Number(
    0.0, 2.0, "Fee", "Fee of a platform, as a share of the pay.", advanced=True
)]


# People --------------------------------------------------------------------------------------


@declared
def simulated_participants(
    experiment: Experiment, positions: Any, n_people: Participants = 20, *,
    noise: Noise = "logistic", level: Level = LEVELS["logistic"].default, careless: Careless = 0.05,
    heterogeneity: Heterogeneity = 0.0, seed: Seed = 0,
) -> list[AnswerRecord]:
    """Answers of simulated people to the questions of an experiment.

    Attentive people choose, among the pairs of objects that a question compares, the closest as
    perceived. The noise is that of `tripletscope.core.models.simulation.simulate.answer`; among
    more than two options, a flipped answer is any other one, and ``logistic`` and ``crowd`` choose
    each pair in proportion to exp(-d^2) and 1 / (d^2 + mu). Ratings, piles and arrangements have
    normal noise of positions, a fifth of the map's size. Catch questions, and practice with a right
    answer, are answered right in 99 %, and at random otherwise, as all questions are by careless
    people. Response times are assumed to be log-normal, with a median of 2 s (0.6 s of careless
    people; on tables for each object), a standard deviation of the logarithm of 0.45 within and 0.3
    between people, and at least the minimum display time; what takes longer than the time limit is
    not answered, and nobody skips. Adaptive questions are stand-ins. Participants stop after as
    many failed checks as the experiment allows.

    Parameters
    ----------
    experiment : Experiment
    positions : array-like, shape (n, d)
        Of the objects, in the order of the experiment.

    Returns
    -------
    list of AnswerRecord
        Participants are called ``simulated 1`` and so on.

    Raises
    ------
    DataError
        If there are not as many positions as objects, or one is not finite.

    Examples
    --------
    >>> from tripletscope.experiment import (
    ...     Experiment, Stimulus, gathered_answers, simulated_participants)
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects, n_questions=5, fails=0)
    >>> places = [[0, 0], [0, 1], [3, 0]]
    >>> records = simulated_participants(experiment, places, 4, seed=1)
    >>> gathered_answers(experiment, records).n_objects
    3
    """
    positions = np.asarray(positions, dtype=float)
    n = len(experiment.objects)
    if positions.ndim != 2 or len(positions) != n or not np.isfinite(positions).all():
        raise DataError(
            f"positions of {n:,} objects are needed, and these have the shape {positions.shape} or "
            "are not all known", file=experiment.title,
            remedy="Give one row of finite numbers for each object.",
        )
    if noise in LEVELS:
        LEVELS[noise].check(level, f"{noise} noise")
    place = {one.id: k for k, one in enumerate(experiment.objects)}
    records = []
    for person in range(n_people):
        rng = np.random.default_rng((seed, person))
        places = positions
        if heterogeneity:
            places = personal_maps(positions, 1, heterogeneity, rng)[0]
        who = _Simulated(places, noise, level, bool(rng.random() < careless), rng)
        questions = person_list(experiment, person)
        records += _taking_part(experiment, questions, who, f"simulated {person + 1}", place)
    return records


@dataclass(frozen=True)
class _Simulated:
    """A person who answers."""

    positions: np.ndarray
    noise: str
    level: float
    is_careless: bool
    rng: np.random.Generator


def _taking_part(
    experiment: Experiment, questions: PersonList, who: _Simulated, name: str, place: dict[str, int]
) -> list[AnswerRecord]:
    """One person's answers, to the end or until too many checks are failed."""
    rng, records, failed, clock = who.rng, [], 0, 0.0
    median = CARELESS_SECONDS if who.is_careless else ATTENTIVE_SECONDS
    median *= float(np.exp(BETWEEN * rng.standard_normal()))
    items = experiment.n_shown if ASKINGS[experiment.task].is_table else 1
    for number, question in enumerate(questions.questions):
        question = question or stand_in(experiment, rng, key_of(number))
        chosen = _answer(question, who, [place[one] for one in question.shown])
        took = 1000.0 * median * items * float(np.exp(WITHIN * rng.standard_normal()))
        took = max(took, float(experiment.least_ms))
        limit = experiment.least_ms + 1000.0 * (experiment.time_limit or np.inf)
        if took > limit and question.item is None:
            took, chosen = limit, "late"
        clock += _PAUSE_MS
        when = _BEGIN + timedelta(milliseconds=clock + took)
        records.append(AnswerRecord.of(
            question, name, number, chosen, rt_ms=took, shown_ms=clock,
            answered_at=when.isoformat(timespec="milliseconds"), input="simulated",
        ))
        clock += took
        failed += question.kind in CHECKS and records[-1].is_right is False
        if experiment.fails and failed >= experiment.fails:
            break
    return records


def _answer(question: Question, who: _Simulated, shown: Sequence[int]) -> list[Any]:
    """The answer of a person."""
    rng = who.rng
    if question.item is not None:
        return [SurveyItem(**question.item).by_lot(rng)]
    n, asking = question.n_options, ASKINGS[question.task]
    has_answer = question.kind in ("catch", "practice") and bool(question.correct)
    if who.is_careless or (has_answer and rng.random() < LAPSES):
        return by_lot(question, rng)
    if asking.answer != "options":
        return [*question.correct] if has_answer else _judged(question, who, shown)
    if has_answer:
        rest = [k for k in range(n) if k not in question.correct]
        return [*question.correct, *rest][: question.n_chosen]
    if asking.is_anchored:
        pairs = [(0, 1 + k) for k in range(n)]
    elif asking.size == 2:
        pairs = asking.options(range(len(shown)))
    else:
        pairs = [(0, 1), (0, 2), (1, 2)]
    order = _most_similar_first(who, np.asarray(shown), np.array(pairs))
    if question.task == "odd_one_out":
        return [3 - sum(pairs[order[0]])]
    if question.task == "similar_pair":
        return list(pairs[order[0]])
    if asking.size == 2:  # the other pair differs more
        return [1 - order[0]]
    return order[: question.n_chosen]


def by_lot(question: Question, rng: np.random.Generator) -> list[Any]:
    """A random answer."""
    kind, n = ASKINGS[question.task].answer, question.n_options
    if kind == "number":
        return [int(rng.integers(1, n + 1))]
    if kind == "piles":
        return rng.integers(max(n // 3, 1), size=n).tolist()
    if kind == "positions":
        turns, radii = 2 * np.pi * rng.random(n), np.sqrt(rng.random(n))
        places = radii[:, None] * np.column_stack([np.cos(turns), np.sin(turns)])
        return places.round(4).ravel().tolist()
    return rng.permutation(n)[: question.n_chosen].tolist()


def _judged(question: Question, who: _Simulated, shown: Sequence[int]) -> list[Any]:
    """A number, piles or positions, from momentary noisy positions."""
    whole = who.positions - who.positions.mean(axis=0)
    size = np.sqrt(np.mean(np.sum(whole**2, axis=1)))
    blur = who.level if who.noise == "positions" else _BLUR * size
    seen = whole[shown] + blur * who.rng.standard_normal((len(shown), whole.shape[1]))
    kind, largest = ASKINGS[question.task].answer, pdist(whole).max() or 1.0
    if kind == "piles":
        return (fcluster(linkage(seen, "average"), 2 * _ALIKE * largest, "distance") - 1).tolist()
    if kind == "positions":
        plane = np.column_stack([seen, np.zeros(len(seen))])[:, :2]
        return (plane / max(np.linalg.norm(plane, axis=1).max(), 1e-12)).round(4).ravel().tolist()
    distance = float(np.linalg.norm(seen[0] - seen[1]) / largest)
    if kind == "words":
        return [int(distance > _ALIKE)]
    return [1 + round((question.n_levels - 1) * (1 - min(distance, 1.0)))]


def _most_similar_first(who: _Simulated, shown: np.ndarray, pairs: np.ndarray) -> list[int]:
    """Numbers of pairs of shown objects, ordered by momentary noisy similarity."""
    rng, level = who.rng, who.level
    seen = who.positions[shown]
    if who.noise == "positions":
        seen = seen + level * rng.standard_normal(seen.shape)
    scale = (level or 1.0) if who.noise == "logistic" else 1.0
    distance2 = np.sum((seen[pairs[:, 0]] - seen[pairs[:, 1]]) ** 2, axis=1) / scale**2
    with np.errstate(divide="ignore"):  # objects in one place are infinitely similar
        score = -np.log(distance2) / 2
        if who.noise == "lognormal":
            score = score + level * rng.standard_normal(len(pairs))
        elif who.noise == "logistic":  # the largest with Gumbel noise is Luce's choice
            score = -distance2 + rng.gumbel(size=len(pairs))
        elif who.noise == "crowd":
            score = -np.log(distance2 + level) + rng.gumbel(size=len(pairs))
    order = np.lexsort([rng.random(len(pairs)), -score]).tolist()
    if who.noise == "flip" and rng.random() < level:
        other = int(rng.integers(1, len(pairs)))
        order[0], order[other] = order[other], order[0]
    return order


# Costs and accuracy --------------------------------------------------------------------------


@short_repr
@dataclass(frozen=True)
class ExperimentCost:
    """Size, duration and cost of an experiment, if everybody finishes.

    Attributes
    ----------
    n_asked : float
        Mean number of questions per person, with practice, repeats and checks.
    minutes : float
        Per person, at the assumed seconds.
    cost : float
        For all people, with the fee.
    n_answers : int
        Responses about objects, of all people, without repeats.
    n_random : int
        Of these, responses to non-adaptive questions, by which a map may be judged.
    """

    n_asked: float
    minutes: float
    cost: float
    n_answers: int
    n_random: int


@declared
def experiment_cost(
    experiment: Experiment, *, seconds: Seconds = 3.0, seconds_before: Before = 120.0,
    pay: Pay = 12.0, fee: Fee = 0.0,
) -> ExperimentCost:
    """Duration and cost of an experiment, if as many people as it is for finish.

    Parameters
    ----------
    experiment : Experiment
    seconds : float
        Per question, or per object on a table; best known from a pilot.

    Raises
    ------
    DataError
        If there are no questions to ask, or one is invalid.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, experiment_cost
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects, most_people=10)
    >>> found = experiment_cost(experiment, pay=12.0)
    >>> round(found.n_asked), round(found.minutes, 1), round(found.cost), found.n_answers
    (118, 7.9, 16, 1000)
    """
    people = experiment.most_people
    # Shares hold over people: over ten lists, to a tenth of a question.
    looked_at = min(people, 10)
    total = about = random = 0
    for person in range(looked_at):
        questions = person_list(experiment, person).questions
        records = [AnswerRecord.of(one, "", 0, ()) for one in questions if one is not None]
        total += len(questions)
        about += len(questions) - len(records) + sum(one.kind == "question" for one in records)
        random += sum(one.tells_accuracy for one in records)
    if ASKINGS[experiment.task].is_table:
        seconds *= experiment.n_shown
    minutes = (total / looked_at * seconds + seconds_before) / 60
    return ExperimentCost(
        total / looked_at, minutes, people * minutes / 60 * pay * (1 + fee),
        round(about * people / looked_at), round(random * people / looked_at),
    )


@with_random_state
def expected_accuracy(
    experiment: Experiment, *, scenario: Scenario | None = None, repeats: int = 8, seed: int = 0,
    progress: Progress = silent,
) -> Plan:
    """Accuracy of a map of the answers in predicting further ones, by simulation.

    Each response counts as one triplet: a lower bound for tasks with more informative responses.
    Adaptive questions count as random ones: the papers found little gain by choosing them.

    Parameters
    ----------
    experiment : Experiment
    scenario : Scenario, optional
        What is compared and how people err, such as `tripletscope.core.studies.design.scenario.
        scenario_like` of a pilot, for the experiment's number of objects. By default a normal cloud
        in the plane, where one answer in ten is flipped.
    repeats, seed
        As of `tripletscope.plan`.
    progress : Progress

    Returns
    -------
    Plan
        Up to as many answers as the experiment collects.

    Raises
    ------
    DataError
        For differences of pairs, ratings, piles and the like, and for too few or too many objects.
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, expected_accuracy
    >>> objects = tuple(Stimulus(name, "text", name) for name in "abcdefgh")
    >>> experiment = Experiment(title="Letters", objects=objects, n_questions=40, most_people=5)
    >>> expected_accuracy(experiment, repeats=2).n_answers[-1]
    np.int64(200)
    """
    like, design, numbers = planned_as(experiment, scenario)
    return plan(
        STE(), scenario=like, design=design, sizes=numbers, repeats=repeats, seed=seed,
        progress=progress,
    )


def planned_as(
    experiment: Experiment, scenario: Scenario | None = None
) -> tuple[Scenario, str, SampleSizes]:
    """Scenario, design and sizes of `tripletscope.plan` for `expected_accuracy`."""
    n = len(experiment.objects)
    asking = ASKINGS[experiment.task]
    if asking.size == 2:
        raise DataError(
            "differences of pairs make a scale, not a map", file=experiment.title,
            remedy="Simulate with MLDS on the page Simulate.",
        )
    if asking.measured:
        raise DataError(
            f"{asking.measured} are no triplets, and their accuracy depends on noise that only a "
            "pilot tells", file=experiment.title,
            remedy="Let a few people answer, and look at the uncertainty of their map or scale.",
        )
    if not OBJECTS.low <= n <= OBJECTS.high:
        raise DataError(
            f"a map of {n:,} objects cannot be simulated, one of {OBJECTS.low:,.0f} to "
            f"{OBJECTS.high:,.0f} can", file=experiment.title,
            remedy="Choose another number of objects.",
        )
    like = replace(scenario or Scenario(), n_objects=n)
    most = experiment_cost(experiment).n_answers
    numbers = SampleSizes(most=int(np.clip(most, 20, 1_000_000)))
    design = "landmark" if experiment.source == "landmark" else "random"
    return like, design, numbers
