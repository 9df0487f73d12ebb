"""The paper's equations as they are written, beside how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.special import log_expit, ndtr

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.uncertainty import Samples, sample_posterior
from tripletscope.core.inference.uncertainty.comparisons import moments
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective, near_losses
from tripletscope.core.studies.design.active import propose
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.uncertainty.published import VARIANCE

#: Numbers that differ by no more, of their size, are the same but for rounding.
_ROUNDING = 1e-9
#: Standard errors that the worst of twelve means of a chain exceeds at one of a thousand seeds.
_FAR = 4.0
_N_OBJECTS, _MAPS, _MU = 7, 6, 0.1


def _maps(dimensions: int) -> np.ndarray:
    """(6, 7, d) maps without a random number: one, and others in which objects move a little."""
    count = np.arange(1, _MAPS * _N_OBJECTS * dimensions + 1).reshape(_MAPS, _N_OBJECTS, -1)
    return np.sin(2.3 * count[0] ** 2) + 0.2 * np.sin(1.7 * count**2)


def _all_answers(n_objects: int) -> np.ndarray:
    """(T, 3) every answer, of every comparison both."""
    return np.array(list(permutations(range(n_objects), 3)), dtype=np.int32)


def _crowd_kernel(near2, far2, dimensions):
    return (far2 + _MU) / (near2 + far2 + 2.0 * _MU)


def _normal(near2, far2, dimensions):
    return np.exp(-near2) / (np.exp(-near2) + np.exp(-far2))


def _student(near2, far2, dimensions):
    alpha = dimensions - 1.0
    near, far = ((1.0 + d2 / alpha) ** (-(alpha + 1.0) / 2.0) for d2 in (near2, far2))
    return near / (near + far)


def likelihood(
    *,
    method: Callable[..., OrdinalEmbedding],
    defined: Callable,
    seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Probability of every answer, minus the logarithm of all, and its slope at every coordinate.

    Slopes of what is defined are by a complex step, which rounds nothing away.
    """
    rows, answers = [], _all_answers(_N_OBJECTS)
    anchor, near, far = answers.T
    for dimensions in (2, 3):
        fitted = method(n_components=dimensions)
        here = _maps(dimensions)[0]

        def lost(flat, d=dimensions):
            at = flat.reshape(d, -1).T
            near2 = ((at[anchor] - at[near]) ** 2).sum(axis=1)
            far2 = ((at[anchor] - at[far]) ** 2).sum(axis=1)
            return -np.log(defined(near2, far2, d))

        flat, step = here.T.ravel(), 1e-30
        slopes = [
            lost(flat + 1j * step * (np.arange(flat.size) == k)).sum().imag / step
            for k in range(flat.size)
        ]
        squares = distances(here) ** 2
        single = near_losses(fitted._loss(), squares[anchor, near], squares[anchor, far])
        objective = Objective(
            AnswerLayout.of(Triplets.from_array(answers, _N_OBJECTS)), fitted._loss(), dimensions
        )
        loss, gradient = objective(flat.copy())
        for what, definition, program in (
            ("probability of an answer", np.exp(-lost(flat)), np.exp(-single)),
            ("loss of all answers", [lost(flat).sum()], [loss]),
            ("its slopes", slopes, gradient),
        ):
            rows.append(_beside(what, definition, program).assign(d=dimensions))
    progress(1.0)
    return pd.concat(rows, ignore_index=True)


def _beside(what: str, definition: Sequence[float], program: Sequence[float]) -> pd.DataFrame:
    """What is defined and what is computed, and how they differ as a share of their size."""
    table = pd.DataFrame({"what": what, "definition": definition, "program": program})
    size = table["definition"].abs().clip(lower=1e-6)
    return table.assign(difference=(table["definition"] - table["program"]).abs() / size)


def order_certainty(*, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Means and standard deviations of distances over maps, and of every answer its pi."""
    maps, answers = _maps(2), _all_answers(_N_OBJECTS)
    apart = np.array([distances(at) for at in maps])
    mean = apart.sum(axis=0) / _MAPS
    sd = np.sqrt(((apart - mean) ** 2).sum(axis=0) / (_MAPS - 1))
    i, j, far = answers.T
    found = moments(maps)
    pi = ndtr((mean[i, far] - mean[i, j]) / (sd[i, far] + sd[i, j]))
    pairs = np.triu_indices(_N_OBJECTS, 1)
    progress(1.0)
    return pd.concat([
        _beside(what, definition, program) for what, definition, program in (
            ("mean distance", mean[pairs], found.mean[pairs]),
            ("standard deviation", sd[pairs], found.sd[pairs]),
            ("pi", pi, found.probability(Triplets.from_array(answers, _N_OBJECTS))),
        )
    ], ignore_index=True)


def most_uncertain(*, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """(pi - 1/2)^2 of the twenty comparisons that are asked next, and the least of all."""
    maps, answers = _maps(2), _all_answers(_N_OBJECTS)
    pi = moments(maps).probability(Triplets.from_array(answers, _N_OBJECTS))
    of = {tuple(row): value for row, value in zip(answers.tolist(), (pi - 0.5) ** 2, strict=True)}
    samples = Samples(maps, maps[0])
    chosen = propose(
        STE(), Triplets.from_array(answers, _N_OBJECTS), 20, strategy="uncertain", batch="top",
        samples=samples,
    )
    least = sorted(of.values())[: 2 * len(chosen) : 2]  # both answers of a comparison are alike
    progress(1.0)
    asked = sorted(of[tuple(row)] for row in chosen.tolist())
    return _beside("(pi - 1/2)²", least, asked)


def check_recomputed(table: pd.DataFrame) -> Observation:
    """Whether the program computes what is defined."""
    furthest = float(table["difference"].max())
    same = furthest < _ROUNDING
    return Observation(
        HOLDS if same else DOES_NOT_HOLD,
        f"largest relative difference {furthest:.1g} of {len(table):,} numbers",
        "Every number is as defined but for rounding." if same else
        "The program computes something else than what is defined.",
    )


def posterior(*, effective: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Means under the posterior of three objects on a line, by integration and by chains."""
    answers = np.array([[0, 1, 2], [2, 1, 0]])
    line = np.linspace(-20.0, 20.0, 161)
    at = np.stack(np.meshgrid(line, line, line, indexing="ij"))
    log = -(at**2).sum(axis=0) / (2.0 * VARIANCE)
    for i, j, far in answers:
        log += log_expit((at[i] - at[far]) ** 2 - (at[i] - at[j]) ** 2)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    rows = []
    for title, options in (("along the prior", {"sampler": "plain"}), ("along the posterior", {})):
        samples = sample_posterior(
            STE(n_components=1), Triplets.from_array(answers, 3), variance=VARIANCE,
            effective=effective, most=100_000, seed=seed, **options,
        )
        drawn = np.moveaxis(samples.embeddings[..., 0], 1, 0)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            for what, power in (("mean", 1), ("mean square", 2)):
                each = np.abs(drawn[i] - drawn[j]) ** power
                rows.append({
                    "sampler": title, "what": f"{what} of distance {i + 1}-{j + 1}",
                    "definition": float((weight * np.abs(at[i] - at[j]) ** power).sum()),
                    "program": each.mean(), "error": each.std() / np.sqrt(samples.effective),
                })
    progress(1.0)
    return pd.DataFrame(rows)


def _check_posterior(table: pd.DataFrame) -> Observation:
    """Whether chains have the means of the posterior."""
    off = (table["definition"] - table["program"]).abs() / table["error"]
    same = bool(off.max() < _FAR)
    return Observation(
        HOLDS if same else DOES_NOT_HOLD,
        f"{len(table)} means, the worst {off.max():.1f} standard errors from its integral",
        "Chains have the means that integration gives." if same else
        "Chains draw from another distribution.",
    )


_EXACT = (
    "Holds if {what} computed by the program differ from the equation, written out, by at most a "
    "billionth of their size."
)


def _likelihood_item(number: int, method, defined, title: str, claim: str, setting: str) -> Item:
    return Item(
        key=f"uncertainty-equation-{number}", title=title, claim=claim, setting=setting,
        ours="seven objects in two and in three dimensions, all answers",
        experiment=partial(likelihood, method=method, defined=defined), check=check_recomputed,
        exact=True, rule=_EXACT.format(
            what="the probabilities of all answers, their loss together and its slopes,"
        ),
    )


ITEMS = (
    _likelihood_item(
        1, partial(CKL, mu=_MU), _crowd_kernel, "Likelihood of the crowd kernel",
        "By the crowd kernel an answer is as likely as the far squared distance, plus a constant, "
        "is a part of both.", "mu regularises",
    ),
    _likelihood_item(
        2, STE, _normal, "Likelihood of STE",
        "By STE an object is chosen in proportion to exp(-d²), where d is its distance from the "
        "anchor.", "",
    ),
    Item(
        key="uncertainty-equation-3", title="Posterior over maps",
        claim="Plausible maps are drawn in proportion to a normal prior times the likelihood of "
        "the answers.",
        setting="Elliptical slice sampling from the most probable map; prior variance 15",
        ours="three objects on a line and two answers, where integrals can be computed; four "
        "chains until they are worth 4,000 independent maps",
        experiment=posterior, full={"effective": 4000}, quick={"effective": 1000},
        check=_check_posterior,
        rule="Holds if chains along the prior and along the posterior have, for each of the three "
        "distances, mean and mean square within four standard errors of their integrals.",
    ),
    Item(
        key="uncertainty-equation-4", title="Certainty of an answer",
        claim="How certain an answer is follows from mean and standard deviation of both distances "
        "over the maps, by a normal distribution whose standard deviation is the sum of theirs.",
        setting="Means over b maps, variances over b - 1", ours="six maps of seven objects",
        experiment=order_certainty, check=check_recomputed, exact=True,
        rule=_EXACT.format(what="means and standard deviations of distances and all pi"),
    ),
    Item(
        key="uncertainty-equation-5", title="What is asked next",
        claim="The next question is the one whose certainty is nearest to one half.",
        setting="The batch of the least (pi - 1/2)²",
        ours="twenty questions about six maps of seven objects",
        experiment=most_uncertain, check=check_recomputed, exact=True,
        rule=_EXACT.format(
            what="the values of (pi - 1/2)² of the twenty questions that are asked, as"
        ),
    ),
    _likelihood_item(
        6, TSTE, _student, "Likelihood of t-STE",
        "By t-STE an object is chosen in proportion to a Student density of its distance from the "
        "anchor.", "alpha = d - 1",
    ),
)
