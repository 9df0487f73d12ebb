"""Maps by noise, or by differences between people: experiments simulated at several levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.named import one_of
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice, Fields, Number
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import Halt
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.evaluation.paired import mean_with_reach
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import (
    DESIGNS,
    LEVELS,
    questions_of,
    random_questions,
)
from tripletscope.core.scale import MLDS
from tripletscope.core.studies.design.plan import objection
from tripletscope.core.studies.design.scenario import Repeats, SampleSizes, Scenario, simulations

#: Noise-free comparisons for the error of a map.
_JUDGED = 5_000
#: Differences of distances below this share of the largest are rounding.
_TIED = 1e-9
#: Replicates for the uncertainty.
_REPLICATES = 20
#: Measures of every simulated experiment, in this order.
MEASURED = ("error", "disparity", "mse", "uncertainty")

VARIED = Choice(
    {"level": "Noise level", "length_scale": "Length scale of observers"}, "Varied",
    "The noise level; or, with one scale per observer, the length scale: the shorter, the more "
    "observers differ.",
)


@dataclass(frozen=True)
class NoiseCurve:
    """What maps of simulated answers are worth, against the noise.

    Attributes
    ----------
    levels : ndarray, shape (l,)
        Of the noise, or length scales of observers.
    n_answers : ndarray of int, shape (p,)
    error : ndarray, shape (r, p, l)
        Share of comparisons of the true positions that the map contradicts, in r simulations.
    disparity : ndarray, shape (r, p, l)
        Share of the truth's variance that the map leaves unexplained.
    mse : ndarray, shape (r, p, l)
        On scales: mean squared error, both scales from 0 to 1, the better of the two directions.
        NaN of other truths.
    uncertainty : ndarray, shape (r, p, l)
        Mean of 1 - π over the true comparisons, by the published formula: 0 where all is certain
        and right, 1/2 where nothing is known. NaN of MLDS.
    """

    levels: np.ndarray
    n_answers: np.ndarray
    error: np.ndarray
    disparity: np.ndarray
    mse: np.ndarray
    uncertainty: np.ndarray

    def band(self, quantity: str) -> pd.DataFrame:
        """``level``, ``answers``, ``mean``, ``low``, ``high``: 95 % t interval of a mean.

        quantity: One of `MEASURED`.
        """
        values = getattr(self, one_of(MEASURED, quantity, "quantity"))
        mean, reach = mean_with_reach(values)
        answers, levels = np.meshgrid(self.n_answers, self.levels, indexing="ij")
        return pd.DataFrame({
            "level": levels.ravel(), "answers": answers.ravel(), "mean": mean.ravel(),
            "low": np.maximum(mean - reach, 0.0).ravel(),
            "high": np.minimum(mean + reach, 1.0).ravel(),
        }).dropna()


@task("Simulating experiments at several levels of noise", "embedding", "scale", needs_data=False)
def noise_curve(
    method: Method,
    triplets: Triplets | None = None,
    *,
    scenario: Annotated[Scenario, Fields()] = Scenario(),
    vary: Annotated[str, VARIED] = "level",
    lowest: Annotated[float, Number(0.0, 100.0, "Lowest")] = 0.05,
    highest: Annotated[float, Number(0.01, 100.0, "Highest")] = 0.4,
    steps: Annotated[int, Number(2, 20, "Levels", advanced=True)] = 5,
    participants: Annotated[
        int, Number(
            1, 1_000, "Participants", "Number of observers, if each has their own scale.",
            advanced=True,
        )
    ] = 50,
    design: Annotated[str, Choice(DESIGNS, "Questions", advanced=True)] = "random",
    sizes: Annotated[SampleSizes, Fields()] = SampleSizes(most=2_000, points=2),
    repeats: Repeats = 8,
    seed: Seed = 0,
    progress: Progress = silent,
) -> NoiseCurve:
    """Simulate an experiment at more and more noise (Lohaus et al. 2019, figures 2 and 4).

    An embedding has the truth's number of dimensions; each of `steps` values replaces the
    scenario's level, or length scale. A stop keeps the levels that were done.
    """
    levels = _levels(scenario, vary, lowest, highest, steps)
    if why := objection(method, scenario, design):
        raise ValueError(why)
    if isinstance(method, OrdinalEmbedding):
        method = clone(method).set_params(n_components=scenario.dimensions)
    numbers = sizes.n_answers
    # The same people and questions at every level: levels differ by their noise alone.
    cases = [
        (method, replace(scenario, **{vary: float(level)}), participants, design, numbers)
        for level in levels
    ]
    each = np.array(simulations(_measured, cases, repeats, seed, progress))
    return NoiseCurve(levels[: len(each)], numbers, *each.transpose(3, 1, 2, 0))


def _levels(scenario: Scenario, vary: str, lowest: float, highest: float, steps: int) -> np.ndarray:
    """(steps,) levels, evenly spaced."""
    if vary == "length_scale" and scenario.truth != "observer":
        raise ValueError(
            "length scales belong to observers: choose one scale per observer as truth"
        )
    if vary == "level" and scenario.noise not in LEVELS:
        raise ValueError("without noise there is no level to vary: choose a kind of noise")
    if not lowest < highest:
        raise ValueError(f"lowest is {lowest:g}; it must be below the highest, {highest:g}.")
    levels = np.linspace(lowest, highest, steps)
    for level in levels:
        replace(scenario, **{vary: float(level)})  # raises an error if out of range
    return levels


def _measured(
    method: Method, scenario: Scenario, participants: int, design: str, numbers: np.ndarray,
    seed: np.random.SeedSequence, halt: Halt,
) -> np.ndarray:
    """(p, 4) measures of one simulated experiment, at every number of answers."""
    rng = np.random.default_rng(seed)
    n_people = participants if scenario.truth == "observer" else 1
    people = np.array([scenario.positions(rng) for _ in range(n_people)])
    questions = questions_of(design, scenario.n_objects, int(numbers[-1]), rng)
    rows = np.empty_like(questions)
    who = np.arange(len(questions)) % n_people
    for person, positions in enumerate(people):
        mine = who == person
        rows[mine] = scenario.answers(positions, questions[mine], rng)
    truth = people.mean(axis=0)
    judged = random_questions(scenario.n_objects, _JUDGED, rng)
    clear = margins(truth, judged)
    judged[clear < 0, 1:] = judged[clear < 0, :0:-1]
    # Equal distances, as on symmetric scales, have no true answer.
    judged = judged[np.abs(clear) > _TIED * np.abs(clear).max()]
    compared = Triplets.from_array(judged, scenario.n_objects)
    try:
        return np.array([
            _worth(method, scenario, Triplets.from_array(rows[:size], scenario.n_objects), truth,
                   compared, halt)
            for size in numbers
        ])
    except Stopped:  # by `halt`: the result is not needed
        return np.full((len(numbers), len(MEASURED)), np.nan)


def _worth(
    method: Method, scenario: Scenario, data: Triplets, truth: np.ndarray, compared: Triplets,
    halt: Halt,
) -> tuple[float, float, float, float]:
    """`MEASURED` of a map of some answers."""
    fitted = clone(method).fit(data, progress=halt)
    uncertainty = np.nan
    if isinstance(fitted, MLDS):
        positions = fitted.unconstrained_[fitted.level_of_, None]
    else:
        positions = fitted.embedding_
        samples = bootstrap(
            method, data, replicates=_REPLICATES, reference=positions, progress=halt
        )
        uncertainty = float(np.mean(1.0 - samples.probability(compared)))
    error = 1.0 - fitted.score(compared)
    squared = squared_error(positions[:, 0], truth[:, 0]) if scenario.is_scale else np.nan
    return error, procrustes_disparity(positions, truth), squared, uncertainty


def squared_error(scale: np.ndarray, truth: np.ndarray) -> float:
    """Mean squared error of a scale (n,), both from 0 to 1, in the better of the two directions."""
    scale, truth = ((one - one.min()) / max(np.ptp(one), 1e-300) for one in (scale, truth))
    return float(min(np.mean((scale - truth) ** 2), np.mean((1.0 - scale - truth) ** 2)))
