"""Held-out answers by probability, with abstention, and uncertainty by dimensions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import (
    has_split,
    n_groups,
    question_folds,
    split_of,
)
from tripletscope.core.inference.held_out.units import Unit
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.uncertainty.sources import Maps, Source, Spread, samples_from
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: Parts of the questions, one of which is held out.
_PARTS = 5
#: Share of the work until there are maps.
_SAMPLED = 0.6


@dataclass(frozen=True)
class Abstention:
    """Held-out answers with both of their probabilities.

    Attributes
    ----------
    held_out : ndarray of int, shape (m,)
        Which answers were predicted from the others.
    probability : ndarray, shape (m,)
        Order certainty: that each has the order of the two distances right; NaN where nothing is
        known. The paper's curves are drawn by it.
    weight : ndarray, shape (m,)
    response : ndarray, shape (m,), or None
        Response probability: that each is given as it was. None where learning it was
        stopped.
    """

    held_out: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    response: np.ndarray | None = None

    @property
    def by_response(self) -> Abstention:
        """The same with response probability as the criterion."""
        if self.response is None:
            raise ValueError("this result has no response probabilities; compute it again")
        return replace(self, probability=self.response)

    def at(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Error and abstention rate (t,) if only predictions surer than each threshold count.

        thresholds (t,): From 1/2 to 1. The error is NaN where nothing is predicted.
        """
        thresholds = np.atleast_1d(np.asarray(thresholds, dtype=float))[:, None]
        right = (self.probability > thresholds) @ self.weight
        wrong = (self.probability < 1.0 - thresholds) @ self.weight
        with np.errstate(invalid="ignore"):
            return wrong / (right + wrong), 1.0 - (right + wrong) / self.weight.sum()


@task("Predicting held-out answers", "embedding", columns=("split", "participant"))
def abstention(
    method: OrdinalEmbedding, triplets: Triplets, *, source: Source = "bootstrap",
    unit: Unit = "auto", maps: Maps = 100, spread: Spread = "joint", seed: Seed = 0,
    progress: Progress = silent,
) -> Abstention:
    """Probabilities of held-out answers: the data's test answers, else a fifth of the questions.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 4.1.
    """
    triplets = as_triplets(triplets)
    if has_split(triplets):
        train, test = split_of(triplets)
    else:
        if n_groups(triplets) < _PARTS:
            raise DataError(
                f"with fewer than {_PARTS} different questions none can be held out",
                file=triplets.name, remedy="Use more answers.",
            )
        rng = np.random.default_rng(seed)
        test = question_folds(triplets, _PARTS, rng) == 0
        train = ~test
    samples = samples_from(
        source, method, triplets.take(train), maps, seed, part(progress, high=_SAMPLED),
        unit=unit,
    )
    with suppress(Stopped):  # order certainties are worth keeping alone
        samples = samples.learned(part(progress, low=_SAMPLED))
    held_out = triplets.take(test)
    return Abstention(
        np.flatnonzero(test), samples.order_certainty(held_out, spread=spread),
        held_out.weight,
        None if samples.response is None else samples.response_probability(held_out),
    )


def predicted(samples: Samples, questions: Triplets, *, threshold: float = 0.5) -> pd.DataFrame:
    """Likelier responses to a list of questions (T, 3): anchor and two options.

    A response of at most `threshold` is left open, by response probability or, without a response
    model, order certainty.

    Columns: ``anchor``, ``first``, ``second``, ``nearer`` (ids; missing where open or unplaced),
    ``response_probability`` and ``order_certainty`` of the likelier response.
    """
    questions = as_triplets(questions, known=samples.embeddings.shape[1])
    ids = np.array(questions.ids, dtype=object)
    order = samples.order_certainty(questions)
    response = np.full(len(questions), np.nan)
    if samples.knows_responses:
        response = samples.response_probability(questions)
    decides = response if samples.knows_responses else order
    anchor, first, second = questions.rows.T
    nearer = ids[np.where(decides >= 0.5, first, second)]
    nearer[~(np.maximum(decides, 1.0 - decides) > threshold)] = None
    return pd.DataFrame({
        "anchor": ids[anchor], "first": ids[first], "second": ids[second], "nearer": nearer,
        "response_probability": np.maximum(response, 1.0 - response),
        "order_certainty": np.maximum(order, 1.0 - order),
    })


@dataclass(frozen=True)
class DimensionCurve:
    """Uncertainty and loss against the number of dimensions.

    Attributes
    ----------
    n_components : ndarray of int, shape (m,)
    uncertainty : ndarray, shape (m,)
        Average over all comparisons of the probability that their likelier answer is wrong.
    loss : ndarray, shape (m,)
        Of the map of all answers, per answer. Falls in any case.
    """

    n_components: np.ndarray
    uncertainty: np.ndarray
    loss: np.ndarray


@task("Uncertainty by dimensions", "embedding", columns=("participant",))
def uncertainty_by_dimension(
    method: OrdinalEmbedding, triplets: Triplets, *,
    most: Annotated[
        int, Number(2, 20, "Max. dimensions", "All numbers of dimensions up to this are tried.")
    ] = 5,
    source: Source = "bootstrap", unit: Unit = "auto", maps: Maps = 50, seed: Seed = 0,
    progress: Progress = silent,
) -> DimensionCurve:
    """Average uncertainty in 1 to `most` dimensions.

    With the bootstrap it is least near the right number: fewer contradict answers, more follow
    chance.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 4.2.
    """
    triplets = as_triplets(triplets)
    result = []
    for d in range(1, most + 1):
        shaped = clone(method).set_params(n_components=d)
        watched = part(progress, low=(d - 1) / most, high=d / most)
        samples = samples_from(source, shaped, triplets, maps, seed, watched, unit=unit)
        if d < most and progress(d / most):
            raise Stopped
        loss = clone(shaped).set_params(n_init=1).fit(
            triplets, init_embedding=samples.reference
        ).loss_
        result.append((d, samples.average_uncertainty, loss / triplets.weight.sum()))
    return DimensionCurve(*map(np.array, zip(*result, strict=True)))
