"""Simulated experiments: objects at true positions, and observers who err."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import rms
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice, Number, Seed, checked
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress
from tripletscope.core.engine.task import declared
from tripletscope.core.inference.held_out.compare import suggest_dimension
from tripletscope.core.inference.held_out.score import can_divide, cross_validate
from tripletscope.core.inference.uncertainty.calibration import estimated_truth
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import (
    DESIGNS,
    LEVELS,
    NOISE,
    answer,
    questions_of,
)
from tripletscope.core.models.simulation.truth import (
    DIMENSIONS,
    LENGTH_SCALE,
    SCALES,
    TRUTHS,
    known_truth,
    scale_function,
)
from tripletscope.core.scales import MLDS

#: Answers that are enough to estimate their noise, and the number of dimensions.
_ENOUGH, _COMPARED = 50_000, 10_000
_FOLDS, _MOST_DIMENSIONS = 5, 4
#: Share of answers whose anchor lies between the others: 1 of triads, 1/3 of random triplets.
_ORDERED = 0.95
#: Logarithms of noise levels on a scale from 0 to 1.
_LOG_LEVELS = (-6.0, 3.0)

#: Number of objects.
OBJECTS = Number(4, 5_000, "Objects")
Objects = Annotated[int, OBJECTS]
Dimensions = Annotated[int, Number(
    1, 20, "Dimensions", "Dimensions of the map, and of the true configuration if it is a cloud or "
    "a cube."
)]
TruthName = Annotated[str, TRUTHS]
LengthScale = Annotated[float, Number(
    0.05, 10.0, "Length scale",
    "Length scale of the Gaussian process from which observers are drawn: the shorter, the more "
    "they differ. Lohaus et al. (2019) used 2, 0.88 and 0.54."
)]
Noise = Annotated[str, NOISE]
Level = Annotated[float, Number(
    0.0, 100.0, "Noise level", "Its meaning depends on the kind of noise: see LEVELS."
)]
Most = Annotated[int, Number(20, 1_000_000, "Max. answers")]
Fewest = Annotated[int | None, Number(
    20, 1_000_000, "Min. answers", automatic="a twentieth of the maximum", advanced=True
)]
Points = Annotated[int, Number(
    1, 20, "Sample sizes", "How many numbers of answers are simulated, equally spaced on a log "
    "scale.", advanced=True
)]
Repeats = Annotated[int, Number(
    2, 1_000, "Simulations", "Simulated experiments; more of them narrow the band.", advanced=True
)]
Repeated = Annotated[int, Number(
    3, 9, "Times asked", "For the repeated design; odd, for a majority.", advanced=True
)]


@parametric
@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A truth, and how answers about it err.

    Parameters
    ----------
    level
        See `tripletscope.core.models.simulation.simulate.LEVELS` for each noise.

    Raises
    ------
    ValueError
        If one is not as declared.

    Examples
    --------
    >>> from tripletscope.experiment import Scenario
    >>> Scenario(n_objects=20, truth="sigmoid", noise="none").described
    '20 objects, scale: sigmoid, no noise'
    """

    n_objects: Objects = 30
    n_components: Dimensions = 2
    truth: TruthName = "normal"
    length_scale: LengthScale = LENGTH_SCALE
    noise: Noise = "flip"
    level: Level = LEVELS["flip"].default

    def __post_init__(self) -> None:
        checked(Scenario, asdict(self))
        if self.noise in LEVELS:
            LEVELS[self.noise].check(self.level, f"{NOISE.options[self.noise].lower()} noise")

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the truth."""
        return DIMENSIONS.get(self.truth, self.n_components)

    @property
    def described(self) -> str:
        """The scenario in a few words."""
        return ", ".join([f"{self.n_objects:,} objects", *self.truth_and_noise])

    @property
    def truth_and_noise(self) -> tuple[str, str]:
        """Both in a few words."""
        where = TRUTHS.options[self.truth]
        if self.truth == "observer":
            where += f", length scale {self.length_scale:g}"
        if self.truth not in DIMENSIONS:
            where += f" in {self.n_components}-D"
        noise = NOISE.options[self.noise]
        if self.noise in LEVELS:
            noise += f" {self.level:.3g}"
        where, noise = (words[:1].lower() + words[1:] for words in (where, noise))
        return where, noise

    @property
    def is_scale(self) -> bool:
        """Whether objects lie on a line, in the order of a stimulus."""
        return self.truth in SCALES

    def truth_with_facts(self, rng: np.random.Generator) -> tuple[np.ndarray, pd.DataFrame]:
        """Positions (n, d) and facts about the objects, by `known_truth`."""
        return known_truth(
            self.truth, self.n_objects, self.n_components, rng, length_scale=self.length_scale
        )

    def positions(self, rng: np.random.Generator) -> np.ndarray:
        """(n, d) positions of the objects, drawn with `rng`."""
        return self.truth_with_facts(rng)[0]

    def answers(
        self, positions: np.ndarray, questions: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """(T, 3) rows that an observer of these positions gives, by `answer`."""
        return answer(positions, questions, rng, noise=self.noise, level=self.level)


def simulations(
    function: Callable[..., Any], cases: Sequence[tuple], repeats: int, seed: int,
    progress: Progress, efforts: Sequence[float] | None = None,
) -> list[list[Any]]:
    """Results of `repeats` simulations of each case that was done, at least of one.

    Called by ``function(*case, seed, halt)``, with the same seeds for all cases; `efforts` are
    durations of simulations for `results_of`.
    """
    seeds = np.random.SeedSequence(seed).spawn(repeats)
    pieces = [(*case, child) for case in cases for child in seeds]
    efforts = None if efforts is None else np.repeat(efforts, repeats).tolist()
    results = list(results_of(function, pieces, progress, least=repeats, efforts=efforts))
    whole = len(results) // repeats
    return [results[k * repeats : (k + 1) * repeats] for k in range(whole)]


@parametric
@dataclass(frozen=True, kw_only=True)
class SampleSizes:
    """Numbers of answers that are simulated.

    Parameters
    ----------
    fewest
        By default a twentieth of `most`, and at least 50.

    Raises
    ------
    ValueError
        If one is not as declared, or the fewest are more than the most.

    Examples
    --------
    >>> from tripletscope.experiment import SampleSizes
    >>> SampleSizes(most=3_000, fewest=30, points=3).n_answers
    array([  30,  300, 3000])
    """

    most: Most = 3_000
    fewest: Fewest = None
    points: Points = 5

    def __post_init__(self) -> None:
        checked(SampleSizes, asdict(self))
        if self.fewest is not None and self.fewest > self.most:
            raise ValueError(
                f"fewest is {self.fewest:,}; it must not exceed the most, {self.most:,}."
            )

    @property
    def n_answers(self) -> np.ndarray:
        """(p,) ascending numbers of answers, in equal steps of their logarithm."""
        fewest = self.fewest
        if fewest is None:
            fewest = min(max(self.most // 20, 50), self.most)
        return np.unique(np.geomspace(self.most, fewest, self.points).round().astype(int))


def scenario_like(triplets: Triplets) -> Scenario:
    """A normal cloud, or a scale, with about as much noise as some answers.

    The cloud has as many objects and up to four dimensions, by
    `tripletscope.core.inference.held_out.compare.suggest_dimension`; two where answers are too
    few to tell. Of triads of ordered levels, the truth is the scale that is most like MLDS's. The
    noise is that of `tripletscope.core.inference.uncertainty.calibration.estimated_truth`; of very
    many answers, a random part is used.
    """
    fewest, most = (int(end) for end in (OBJECTS.low, OBJECTS.high))
    if not fewest <= triplets.n_objects <= most:
        raise DataError(
            f"{triplets.n_objects:,} objects cannot be simulated, {fewest:,} to {most:,} can",
            file=triplets.name, remedy="Simulate another number of objects.",
        )
    few = _some(triplets, _ENOUGH)
    scale, declared = _scale_like(few), LEVELS["logistic"].spec
    if scale is not None:
        truth, d, level = scale.name, 1, scale.level
    else:
        truth, d = "normal", _dimensions(_some(few, _COMPARED))
        fitted = estimated_truth(STE(n_components=d), few, 0)
        # STE's positions are in units of its noise: the noise is 1 / their size.
        level = 1.0 / max(rms(fitted.positions[few.answers_per_object > 0]), 1e-9)
    return Scenario(
        n_objects=triplets.n_objects, n_components=d, truth=truth, noise="logistic",
        level=float(np.clip(level, declared.low, declared.high)),
    )


class _ScaleLike(NamedTuple):
    """A scale of `SCALES`, and the noise of answers about it."""

    name: str
    level: float


def _scale_like(triplets: Triplets) -> _ScaleLike | None:
    """The scale that is most like MLDS's of triads of ordered levels; None of other answers."""
    column = column_of_triads(triplets)
    if column is None:
        return None
    fitted = MLDS(stimulus=column).fit(triplets)
    line = np.linspace(0.0, 1.0, len(fitted.scale_))
    scales = {name: scale_function(name, line) for name in SCALES if name != "observer"}
    name = min(scales, key=lambda one: np.sum((scales[one] - fitted.scale_) ** 2))
    # On the shape itself, its misfit would count as noise of the people.
    return _ScaleLike(name, _level_on(fitted.scale_[fitted.level_of_], triplets))


def column_of_triads(triplets: Triplets) -> str | None:
    """The column of the objects' levels by which anchors lie between the options, if one does."""
    for column in triplets.objects.columns.drop("label", errors="ignore"):
        values = pd.to_numeric(triplets.objects[column], errors="coerce").to_numpy(dtype=float)
        anchor, near, far = values[triplets.rows].T
        between = (np.minimum(near, far) < anchor) & (anchor < np.maximum(near, far))
        if len(between) and np.isfinite(values).all() and between.mean() >= _ORDERED:
            return column
    return None


def _level_on(scale: np.ndarray, triplets: Triplets) -> float:
    """The noise of `answer`'s ``logistic`` that makes answers about a scale (n,) likeliest."""
    anchor, near, far = scale[triplets.rows].T
    margin = (far - anchor) ** 2 - (near - anchor) ** 2

    def unlikely(log_level: float) -> float:
        return float(triplets.weight @ np.logaddexp(0.0, -margin * np.exp(-2.0 * log_level)))

    return float(np.exp(minimize_scalar(unlikely, bounds=_LOG_LEVELS, method="bounded").x))


def _some(triplets: Triplets, most: int) -> Triplets:
    """At most so many of the answers."""
    if len(triplets) <= most:
        return triplets
    return triplets.take(np.random.default_rng(0).permutation(len(triplets))[:most])


def _dimensions(triplets: Triplets) -> int:
    """Fewest dimensions of a map that predicts about as well as the best; 2 of few answers."""
    if not can_divide(triplets, _FOLDS):
        return 2
    errors = {
        d: cross_validate(STE(n_components=d), triplets, folds=_FOLDS).fold_errors
        for d in range(1, min(_MOST_DIMENSIONS, triplets.n_objects - 2) + 1)
    }
    return suggest_dimension(errors, 1.0 / (_FOLDS - 1))


@declared
def simulated_data(
    scenario: Scenario,
    n_answers: Annotated[int, Number(20, 1_000_000, "Answers")] = 2_000,
    *,
    design: Annotated[str, Choice(DESIGNS, "Questions")] = "random",
    repeated: Repeated = 3,
    participants: Annotated[
        int, Number(1, 10_000, "Participants", "Questions are dealt to them in turn.")
    ] = 1,
    seed: Seed = 0, name: str = "Simulated answers",
) -> Triplets:
    """Answers of simulated people, as a data set.

    Gaussian-process observers differ between participants. Answers have ``participant`` and
    ``side``, the option chosen. Objects have facts of `known_truth` and, if shared by all
    participants, true positions ``true 1``, ``true 2`` and so on.
    """
    if design == "triads" and not scenario.is_scale:
        raise ValueError("triads need ordered objects: choose a scale as truth")
    rng = np.random.default_rng(seed)
    everybody, objects = scenario.truth_with_facts(rng)
    questions = questions_of(design, scenario.n_objects, n_answers, rng, repeats=repeated)
    who = np.arange(len(questions)) % participants
    rows = np.empty_like(questions)
    is_personal = scenario.truth == "observer"
    for person in range(participants):
        positions = scenario.positions(rng) if is_personal and person else everybody
        mine = who == person
        rows[mine] = scenario.answers(positions, questions[mine], rng)
    if not is_personal or participants == 1:
        for axis, values in enumerate(everybody.T, 1):
            objects[f"true {axis}"] = values
    width = len(str(scenario.n_objects))
    objects.insert(0, "id", [f"object {i:0{width}}" for i in range(1, scenario.n_objects + 1)])
    names = [f"p{i:0{len(str(participants))}}" for i in range(1, participants + 1)]
    answers = pd.DataFrame({
        "participant": pd.Categorical.from_codes(who, names),
        "side": pd.Categorical.from_codes(
            (rows[:, 1] != questions[:, 1]).astype(int), ["left", "right"]
        ),
    })
    return Triplets(rows, objects, answers, name)
