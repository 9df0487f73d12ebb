"""Which questions to ask next, from all answers so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.design.active import propose
from tripletscope.core.embedding import STE
from tripletscope.core.experiment.experiment import Experiment
from tripletscope.core.uncertainty.curvature import LARGEST
from tripletscope.core.uncertainty.posterior import laplace
from tripletscope.core.uncertainty.resampling import bootstrap
from tripletscope.core.uncertainty.samples import Samples

#: Answers per object and dimension below which a map is too vague to choose by.
FEWEST = 1.0
#: Maps drawn from the normal approximation of the posterior, or replicates in its place.
_MAPS, _REPLICATES = 60, 20


@dataclass(frozen=True)
class LiveMap:
    """The map of the answers so far, and how sure it is.

    method: Fitted to them.
    samples: Maps from the normal approximation of the posterior; of maps that are too large for it,
        from a bootstrap.
    """

    method: STE
    samples: Samples
    answers: Triplets


def live_map(answers: Triplets, *, n_components: int = 2, seed: int = 0) -> LiveMap | None:
    """The map of the answers so far; None while there are too few to choose by.

    STE and Laplace's approximation about its map: about a second for 300 objects, where sampling
    the posterior takes a minute. It is used for choosing questions, not for reporting.
    """
    if len(answers) < FEWEST * n_components * answers.n_objects:
        return None
    method = STE(n_components=n_components, seed=seed).fit(answers)
    if n_components * answers.n_objects <= LARGEST:
        samples = laplace(method, answers, samples=_MAPS, seed=seed, reference=method.embedding_)
    else:
        samples = bootstrap(
            method, answers, replicates=_REPLICATES, unit="answers", seed=seed,
            reference=method.embedding_,
        )
    return LiveMap(method, samples, answers)


def next_questions(
    experiment: Experiment, live: LiveMap, n_questions: int, *, seed: int = 0
) -> list[tuple[str, ...]]:
    """What to show next: the ids of each question in the order of their places.

    experiment: With an adaptive source.
    n_questions: Fewer come back where there are not so many different ones.
    """
    if not experiment.is_adaptive:
        raise DataError("questions of this experiment are not chosen by the answers so far",
                        file=experiment.title)
    rows = propose(
        live.method, live.answers, n_questions, strategy=experiment.source, seed=seed,
        samples=live.samples,
    )
    ids = live.answers.objects["id"].astype(str).to_numpy()
    if experiment.task != "triplet":
        rows = np.random.default_rng(seed).permuted(rows, axis=1)
    return [tuple(ids[row].tolist()) for row in rows]
