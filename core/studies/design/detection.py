"""The number of dimensions that an experiment could detect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Fields, Number, Seed
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.compare import suggest_dimension
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.studies.design.scenario import Repeats, SampleSizes, Scenario, simulations

#: Least share of simulations in which a detected dimension is suggested.
_USUALLY = 0.8


@dataclass(frozen=True)
class Detection:
    """How often the number of dimensions would be found.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
    suggested : ndarray of int, shape (r, p)
        Number of dimensions that cross-validation suggests, in r simulations.
    true : int
    """

    n_answers: np.ndarray
    suggested: np.ndarray
    true: int

    @property
    def found(self) -> np.ndarray:
        """(p,) share of the simulations in which the true number is suggested."""
        return np.mean(self.suggested == self.true, axis=0)

    @property
    def revealed(self) -> int | None:
        """Position of the number of answers from which on the dimension is detected, or None.

        Few answers suggest one dimension whatever the truth: it must stay detected with more.
        """
        missed = np.flatnonzero(self.found < _USUALLY)
        first = int(missed[-1]) + 1 if len(missed) else 0
        return first if first < len(self.found) else None


@task("Predicting held-out answers of simulated experiments", "embedding", needs_data=False)
def detect_dimension(
    method: OrdinalEmbedding, triplets: Triplets | None = None, *,
    scenario: Annotated[Scenario, Fields()] = Scenario(),
    sizes: Annotated[SampleSizes, Fields()] = SampleSizes(),
    beyond: Annotated[int, Number(
        1, 5, "Extra dimensions tested", "Dimensions tried beyond the true number.", advanced=True
    )] = 2,
    folds: Annotated[int, Number(
        2, 20, "Folds", "Folds of the cross-validation.", advanced=True
    )] = 5,
    repeats: Repeats = 8, seed: Seed = 0, progress: Progress = silent,
) -> Detection:
    """Whether so many answers would reveal the number of dimensions (Haghiri 2020, section 4.5.4).

    By `suggest_dimension`. A stop keeps the numbers of answers that were done.
    """
    numbers = sizes.n_answers
    dimensions = range(1, scenario.dimensions + beyond + 1)
    cases = [(method, scenario, int(size), int(numbers[-1]), dimensions, folds) for size in numbers]
    suggested = np.array(simulations(_suggested, cases, repeats, seed, progress, numbers)).T
    return Detection(numbers[: suggested.shape[1]], suggested, scenario.dimensions)


def _suggested(
    method: OrdinalEmbedding, scenario: Scenario, size: int, most: int, dimensions: range,
    folds: int, seed: np.random.SeedSequence, halt: CancelToken,
) -> int:
    """Number of dimensions that the first `size` answers of a simulation suggest."""
    rng = np.random.default_rng(seed)
    positions = scenario.positions(rng)
    questions = random_questions(scenario.n_objects, most, rng)
    rows = scenario.answers(positions, questions, rng)[:size]
    data = Triplets.from_array(rows, scenario.n_objects)
    try:
        errors = {
            k: cross_validate(
                clone(method).set_params(n_components=k), data, folds=folds, progress=halt
            ).fold_errors
            for k in dimensions
        }
    except Stopped:  # by `halt`: the result is not needed
        return 0
    return suggest_dimension(errors, 1.0 / (folds - 1))
