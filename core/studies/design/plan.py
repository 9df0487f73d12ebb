"""Plans of experiments: how many answers, by which design and which method, and at what noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.geometry import coverage_radius, map_size, procrustes_disparity
from tripletscope.core.data.named import one_of
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice, Fields, Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.paired import mean_with_half_width
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.inference.uncertainty import Samples, bootstrap
from tripletscope.core.inference.uncertainty.samples import aligned
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import (
    DESIGNS,
    LEVELS,
    majority,
    questions_of,
    random_questions,
)
from tripletscope.core.scales import MLDS, bootstrap_scale
from tripletscope.core.studies.design.active import STRATEGIES, propose
from tripletscope.core.studies.design.scenario import Repeated, Repeats, SampleSizes, Scenario

#: Answers for the accuracy of a simulated map.
_JUDGED = 5_000
#: Replicates for the ellipses and for every choice of active questions.
_REPLICATES = 20
#: Resamples for the error bars of a difference scale, which are quick.
_SCALES = 200
#: Gain in accuracy that is worth a doubling of the answers.
_STEEP = 0.01
#: Accuracy of the truth over chance below which answers are guesses.
_NOTHING = 0.01
#: Adaptive designs.
_ACTIVE = ("uncertain", "gain")

Design = Annotated[str, Choice(
    {**DESIGNS, **{name: STRATEGIES[name] for name in _ACTIVE}}, "Questions",
    "Random: any question. Repeated: each is asked several times, and the majority response is "
    "used. Landmarks: every object against pairs of a few. Triads: those of difference "
    "scaling, for scales. Most uncertain and information gain select questions in batches, from "
    "the smallest number of answers on; they take much longer."
)]

VARIED = {
    "answers": "Number of answers", "level": "Noise level",
    "length_scale": "Length scale of observers",
}
Varied = Annotated[str, Choice(
    VARIED, "Varied", "The number of answers; or, at the largest number, the noise level or, with "
    "one scale per observer, the length scale: the shorter, the more observers differ.", later=True,
)]


@dataclass(frozen=True)
class Plan:
    """Accuracy of maps of simulated answers, by number of answers, or by another quantity.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
        With repeats.
    accuracy : ndarray, shape (r, p)
        Share of further answers, as noisy, that the map predicts, in r simulations.
    ceiling : ndarray, shape (r,), or (r, p) by level
        Share that the truth itself predicts.
    ellipse : ndarray, shape (r, p)
        Median radius of the objects' 95 % ellipses (root mean square of the half-axes), as a share
        of the size of the map (`tripletscope.core.data.geometry.map_size`): about 1.7 in the plane
        without information. NaN for kernels.
    disparity : ndarray, shape (r, p)
        Share of the truth's variance that the map leaves unexplained; NaN for kernels.
    levels : ndarray, shape (p,), or None
        Of the noise, or length scales of observers, if these vary instead of `n_answers`.
    """

    n_answers: np.ndarray
    accuracy: np.ndarray
    ceiling: np.ndarray
    ellipse: np.ndarray
    disparity: np.ndarray
    levels: np.ndarray | None = None

    def band(self, quantity: str = "accuracy") -> pd.DataFrame:
        """``answers`` or ``level``, ``mean``, ``low``, ``high``: 95 % t interval of the mean.

        Parameters
        ----------
        quantity : {"accuracy", "ellipse", "disparity"}
        """
        values = getattr(self, one_of(("accuracy", "ellipse", "disparity"), quantity, "quantity"))
        mean, half = mean_with_half_width(values)
        return pd.DataFrame({
            **({"answers": self.n_answers} if self.levels is None else {"level": self.levels}),
            "mean": mean, "low": np.maximum(mean - half, 0.0),
            "high": mean + half if quantity == "ellipse" else np.minimum(mean + half, 1.0),
        })

    def enough(self, *, accuracy: float | None = None, ellipse: float | None = None) -> int | None:
        """Answers needed for a mean accuracy, or ellipse; None if even the most are too few."""
        if (accuracy is None) == (ellipse is None):
            raise ValueError("give one of accuracy and ellipse")
        if accuracy is not None:
            reached = np.maximum.accumulate(self.accuracy.mean(axis=0))
            wanted = accuracy
        else:
            # Ellipses must stay small with more answers.
            reached = -np.maximum.accumulate(self.ellipse.mean(axis=0)[::-1])[::-1]
            wanted = -ellipse
        if not wanted <= reached[-1]:  # also where there are no ellipses
            return None
        logs = np.log(self.n_answers)
        return round(float(np.exp(np.interp(wanted, reached, logs))))

    @property
    def judgement(self) -> str:
        """What the accuracy says of the number of answers.

        Returns
        -------
        str
            "guesses" if even the truth predicts no better than chance; "nothing" if no map surely
            does; "alone" for a single number of answers; "rising" if another doubling is worth it;
            "fewer" if the smallest number is enough; else "enough".
        """
        if self.ceiling.mean() < CHANCE + _NOTHING:
            return "guesses"
        if self.band().low.iloc[-1] <= CHANCE:
            return "nothing"
        if len(self.n_answers) == 1:
            return "alone"
        if self.gain > _STEEP:
            return "rising"
        return "enough" if self.needed[1] > self.accuracy[:, 0].mean() else "fewer"

    @property
    def gain(self) -> float:
        """Accuracy that a doubling of the answers adds at the end of the curve."""
        mean = self.accuracy.mean(axis=0)
        return float((mean[-1] - mean[-2]) / np.log2(self.n_answers[-1] / self.n_answers[-2]))

    @property
    def needed(self) -> tuple[int, float]:
        """Answers that teach 95 % of what the best map learned, and their accuracy."""
        mean = self.accuracy.mean(axis=0)
        reached = float(CHANCE + 0.95 * (mean.max() - CHANCE))
        if mean[0] >= reached:
            return int(self.n_answers[0]), float(mean[0])
        return min(rounded_up(self.enough(accuracy=reached)), int(self.n_answers[-1])), reached


def rounded_up(number: int) -> int:
    """A number of answers, rounded up to two digits."""
    unit = 10 ** max(len(str(number)) - 2, 0)
    return -(-number // unit) * unit


@task("Simulating experiments", "embedding", "kernel", "scale", needs_data=False)
def plan(
    method: Method, triplets: Triplets | None = None, *,
    scenario: Annotated[Scenario, Fields()] = Scenario(),
    design: Design = "random", repeated: Repeated = 3,
    sizes: Annotated[SampleSizes, Fields()] = SampleSizes(),
    vary: Varied = "answers",
    lowest: Annotated[float, Number(0.0, 100.0, "Lowest", later=True)] = 0.05,
    highest: Annotated[float, Number(0.01, 100.0, "Highest", later=True)] = 0.4,
    steps: Annotated[int, Number(2, 20, "Levels", advanced=True, later=True)] = 5,
    participants: Annotated[
        int, Number(
            1, 1_000, "Participants", "Number of observers, if each has their own scale.",
            advanced=True, later=True,
        )
    ] = 1,
    repeats: Repeats = 8, seed: Seed = 0, progress: Progress = silent,
) -> Plan:
    """Simulate an experiment with more and more answers, or at more and more noise.

    Parameters
    ----------
    method : OrdinalEmbedding, MLDS or kernel
        Embeddings have the truth's number of dimensions, MLDS the order of the stimulus; kernels
        have neither ellipses nor a shape.
    triplets : ignored
        For the signature of a task.
    scenario : Scenario
        What is compared, and how responses err.
    sizes : SampleSizes
        Numbers of answers.
    vary : {"answers", "level", "length_scale"}
        At the largest number of answers, `steps` levels from `lowest` to `highest` replace the
        scenario's; people and questions are the same at each (Lohaus et al. 2019, figures 2 and 4).
    progress : Progress
        Called after every simulation with every number of answers, or level.

    Returns
    -------
    Plan
        With the numbers of answers, or levels, that were done, if stopped after the first.

    Raises
    ------
    ValueError
        If an option is not as declared, or does not go with the method or the truth.
    Stopped
        If `progress` asks to stop before the first is done.

    Examples
    --------
    >>> import tripletscope as ts
    >>> from tripletscope.experiment import SampleSizes, Scenario, plan
    >>> few = SampleSizes(most=200, points=2)
    >>> plan(ts.STE(), scenario=Scenario(n_objects=10), sizes=few, repeats=2).n_answers
    array([ 50, 200])
    """
    if why := objection(method, scenario, design, repeated):
        raise ValueError(why)
    if isinstance(method, OrdinalEmbedding):
        method = clone(method).set_params(n_components=scenario.dimensions)
    numbers, levels, scenarios = sizes.n_answers, None, [scenario]
    if vary != "answers":
        levels = _levels(scenario, vary, lowest, highest, steps)
        numbers = np.full(steps, numbers[-1])
        scenarios = [replace(scenario, **{vary: float(level)}) for level in levels]
    n_people = participants if scenario.truth == "observer" else 1
    seeds = np.random.SeedSequence(seed).spawn(repeats)
    started = [
        [_start(one, n_people, np.random.default_rng(child)) for child in seeds]
        for one in scenarios
    ]
    ceiling = np.array([[1.0 - _error(one.truth, one.judged) for one in each] for each in started])
    curves: list[np.ndarray] = []
    effort = np.sqrt(numbers)  # more answers take longer, but less than in proportion
    done, stopped = 0.0, False
    running = started[0]
    for step, (size, its_effort) in enumerate(zip(numbers, effort, strict=True)):
        if levels is not None:
            running = started[step]
        pieces = [(method, design, repeated, one, int(size)) for one in running]
        results = []
        for result in in_parallel(_continued, pieces, partial=True):
            results.append(result)
            done += its_effort
            if stopped := progress(min(done / (repeats * effort.sum()), 1.0)):
                break
        if len(results) < repeats:
            break
        running, worth = zip(*results, strict=True)
        curves.append(np.array(worth))
        if stopped:
            break
    if not curves:
        raise Stopped
    accuracy, ellipse, disparity = np.array(curves).transpose(2, 1, 0)
    reached = len(curves)
    if levels is None:
        return Plan(numbers[:reached], accuracy, ceiling[0], ellipse, disparity)
    return Plan(
        numbers[:reached], accuracy, ceiling[:reached].T, ellipse, disparity, levels[:reached]
    )


def why_not_varied(scenario: Scenario, vary: str, lowest: float, highest: float) -> str | None:
    """Why a quantity cannot be varied in a scenario; None if it can."""
    if vary == "length_scale" and scenario.truth != "observer":
        return "length scales belong to observers: choose one scale per observer as truth"
    if vary == "level" and scenario.noise not in LEVELS:
        return "without noise there is no level to vary: choose a kind of noise"
    if not lowest < highest:
        return f"lowest is {lowest:g}; it must be below the highest, {highest:g}"
    return None


def _levels(scenario: Scenario, vary: str, lowest: float, highest: float, steps: int) -> np.ndarray:
    """(steps,) levels, evenly spaced."""
    if why := why_not_varied(scenario, vary, lowest, highest):
        raise ValueError(why)
    return np.linspace(lowest, highest, steps)


def objection(
    method: Method, scenario: Scenario, design: str = "random", repeated: int = 3
) -> str | None:
    """Why a method or a design cannot be simulated in a scenario; None if it can."""
    if design == "repeated" and repeated % 2 == 0:
        return f"repeated is {repeated}; a majority needs an odd number."
    if design == "triads" and not scenario.is_scale:
        return "triads need ordered objects: choose a scale as truth"
    if isinstance(method, MLDS) and not scenario.is_scale:
        return "MLDS needs objects ordered along a stimulus: choose a scale as truth"
    if design in _ACTIVE and not isinstance(method, OrdinalEmbedding):
        return f"{method.title} has no map whose uncertainty could select questions"
    if design == "gain" and not method.is_likelihood:
        return f"{method.title} has no model of answers; use STE, t-STE or CKL"
    return None


@dataclass(frozen=True)
class _Running:
    """A simulated experiment after some answers.

    people: True positions for each, who answer in turn.
    """

    scenario: Scenario
    people: list[np.ndarray]
    judged: np.ndarray
    answers: np.ndarray
    rng: np.random.Generator

    @property
    def truth(self) -> np.ndarray:
        """(n, d) mean positions."""
        return np.mean(self.people, axis=0)


def _start(scenario: Scenario, n_people: int, rng: np.random.Generator) -> _Running:
    people = [scenario.positions(rng) for _ in range(n_people)]
    questions = random_questions(scenario.n_objects, _JUDGED, rng)
    judged = _answered(scenario, people, questions, rng)
    return _Running(scenario, people, judged, np.empty((0, 3), dtype=np.int64), rng)


def _answered(
    scenario: Scenario, people: list[np.ndarray], questions: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(T, 3) answers to questions, by one person after the other."""
    rows = np.empty_like(questions)
    for person, positions in enumerate(people):
        mine = slice(person, None, len(people))
        rows[mine] = scenario.answers(positions, questions[mine], rng)
    return rows


def _error(positions: np.ndarray, rows: np.ndarray) -> float:
    """Share of the rows that positions contradict; ties count one half."""
    return float(np.mean(0.5 - np.sign(margins(positions, rows)) / 2))


def _continued(
    method: Method, design: str, repeated: int, running: _Running, size: int, halt: CancelToken,
) -> tuple[_Running, np.ndarray]:
    """A simulation after `size` answers, with accuracy, ellipse and disparity of their map."""
    try:
        n = running.scenario.n_objects
        answers = _answers(method, design, repeated, running, size, halt)
        running = replace(running, answers=answers)
        learned = majority(answers, repeated) if design == "repeated" else answers
        data = Triplets.from_array(learned, n)
        fitted = clone(method).fit(data, progress=halt)
        accuracy = fitted.score(Triplets.from_array(running.judged, n))
        return running, np.array([accuracy, *_shape(fitted, data, running, halt)])
    except Stopped:  # by `halt`: the result is not needed
        return running, np.full(3, np.nan)


def _answers(
    method: Method, design: str, repeated: int, running: _Running, size: int, halt: CancelToken,
) -> np.ndarray:
    """Answers of a design up to `size`, continued where the design allows."""
    n, rng, before = running.scenario.n_objects, running.rng, running.answers
    if design == "landmark":  # its landmarks depend on the number of answers
        before = before[:0]
    more = size - len(before)
    if design in _ACTIVE and len(before):
        data = Triplets.from_array(before, n)
        samples = bootstrap(
            method, data, replicates=_REPLICATES, seed=int(rng.integers(2**31)), progress=halt
        )
        questions = propose(
            method, data, more, strategy=design, seed=int(rng.integers(2**31)), samples=samples
        )
    else:
        start = "random" if design in _ACTIVE else design
        questions = questions_of(start, n, more, rng, repeats=repeated)
    more = _answered(running.scenario, running.people, questions, rng)
    return np.concatenate([before, more])


def _shape(
    fitted: Method, data: Triplets, running: _Running, halt: CancelToken
) -> tuple[float, float]:
    """Size of the ellipses and disparity of a map or scale; NaN without positions."""
    seed = int(running.rng.integers(2**31))
    if isinstance(fitted, OrdinalEmbedding):
        positions, placed = fitted.embedding_, fitted.placed_
        samples = bootstrap(
            fitted, data, replicates=_REPLICATES, seed=seed, reference=positions, progress=halt
        )
    elif isinstance(fitted, MLDS):
        positions = fitted.unconstrained_[fitted.level_of_, None]
        placed = np.ones(len(positions), dtype=bool)
        drawn = bootstrap_scale(
            fitted, data, resamples=_SCALES, seed=seed, progress=halt
        ).unconstrained
        maps = [aligned(one, np.isfinite(one[:, 0]), positions)
                for one in drawn[:, fitted.level_of_, None]]
        samples = Samples(np.array(maps), positions)
    else:
        return np.nan, np.nan
    radius = _radius(samples, map_size(positions[placed]))
    return radius, procrustes_disparity(positions, running.truth)


def _radius(samples: Samples, size: float) -> float:
    """`Plan.ellipse` of one map of this size.

    Objects that answers do not determine may lie anywhere in the map.
    """
    d = samples.reference.shape[1]
    variance = np.trace(samples.covariances, axis1=1, axis2=2) / d / size**2
    variance = np.where(np.isnan(variance), 1.0 / d, variance)
    return coverage_radius(0.95, d) * float(np.sqrt(np.median(variance)))


@dataclass(frozen=True)
class Ranking:
    """Plans by their accuracy with as many answers.

    Attributes
    ----------
    n_answers : int
        The most that all have.
    accuracy : dict of str to float
        By name of the plan, the best first.
    alike : list of str
        Those that cannot be told from the best.
    n_simulations : int
        That they are told apart by.
    """

    n_answers: int
    accuracy: dict[str, float]
    alike: list[str]
    n_simulations: int


def ranking(plans: Mapping[str, Plan]) -> Ranking:
    """Which of several plans, by name, predicts best with as many answers.

    plans: With the same truth, noise and seed: their simulations are compared one by one.
    """
    common = set.intersection(*(set(one.n_answers.tolist()) for one in plans.values()))
    if not common:
        raise ValueError("these plans have no number of answers in common")
    number = max(common)
    final = {
        name: one.accuracy[:, one.n_answers.tolist().index(number)] for name, one in plans.items()
    }
    best, *others = order = sorted(final, key=lambda name: -final[name].mean())
    simulations = min(map(len, final.values()))
    alike = []
    for name in others:
        gap, half = mean_with_half_width(final[best][:simulations] - final[name][:simulations])
        if gap <= half:
            alike.append(name)
    return Ranking(number, {name: float(final[name].mean()) for name in order}, alike, simulations)
