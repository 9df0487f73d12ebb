"""Adaptive selection of questions, and its simulated benefit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import entr
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes_disparity, rms
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import declared, task
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    estimated_truth,
    simulated_answers,
)
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins, near_losses
from tripletscope.core.models.simulation.simulate import random_questions

STRATEGIES = {
    "random": "Random",
    "uncertain": "Most uncertain",
    "gain": "Information gain",
    "landmark": "Landmarks",
    "repeat": "Repeats",
}
Strategy = Annotated[str, Choice(
    STRATEGIES, "Questions",
    "Random: any question. Most uncertain: where the plausible maps disagree most. Information "
    "gain: where an answer is most informative about the anchor's position. Landmarks: every "
    "object against pairs of a few. Repeats: questions asked before, to measure intra-observer "
    "consistency."
)]
Batch = Annotated[str, Choice(
    {"spread": "Spread over the objects", "top": "The first ones"}, "Batch",
    "For most uncertain or most informative questions. Spread: avoids near-duplicates, and objects "
    "much above their share. The first ones: only rank counts, with the uncertainty of Lohaus et "
    "al. (2019).", advanced=True, later=True
)]
Landmarks = Annotated[int, Number(
    2, 1000, "Landmarks", "Objects with which all others are compared.", advanced=True
)]

#: Uncertain comparisons to choose each question from.
_CANDIDATES = 20
#: Candidate places of an anchor, and pairs to compare it with, for its gain.
_PLACES, _PAIRS = 100, 200
#: Comparisons for the error of a simulated map.
_JUDGED = 20_000
#: Most questions about landmarks that are listed; of more, some are drawn.
_MOST_LISTED = 2_000_000
#: Replicates for every choice in a simulation.
_REPLICATES = 20


@declared
def propose(
    method: OrdinalEmbedding, triplets: Triplets, n_questions: int, *,
    strategy: Strategy = "random", landmarks: Landmarks = 10, batch: Batch = "spread",
    seed: Seed = 0, samples: Samples | None = None,
) -> np.ndarray:
    """Questions for the next batch, in random order and with random sides.

    Questions in a batch are different, but may have been asked before. Among uncertain or
    informative ones, no pair of anchor and other object stands twice and no object much more often
    than its share, because answers to near-duplicates say the same; with ``batch="top"``, only rank
    counts, as in Lohaus et al. (2019).

    Parameters
    ----------
    method : OrdinalEmbedding
    triplets : Triplets or array-like of int, shape (T, 3)
        The answers so far.
    n_questions : int
        Fewer come back if there are not so many different ones.
    samples : Samples, optional
        Of the map of these answers; by default a bootstrap of 50 replicates, where needed.

    Returns
    -------
    ndarray of int, shape (q, 3)
        Anchor and the two objects to choose from.

    Raises
    ------
    DataError
        If there are fewer than three objects, or no answers to repeat.
    ValueError
        If an option is not as declared, information gain is requested of a method without a model
        of answers, or uncertain or informative questions of one that does not see distances.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 4.4: active questions help little, and for clusters and classes not at
    all; random ones are hard to beat.
    Tamuz, O., et al. (2011). Adaptively learning the crowd kernel. ICML. Section 4.

    Examples
    --------
    >>> import tripletscope as ts
    >>> from tripletscope.experiment import propose
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> propose(ts.STE(), answers, 5, strategy="landmark", landmarks=3).shape
    (5, 3)
    """
    triplets = as_triplets(triplets)
    if triplets.n_objects < 3:
        raise DataError("a question needs three objects", file=triplets.name)
    if strategy == "gain" and not method.is_likelihood:
        raise ValueError(f"{method.title} has no model of answers; use STE, t-STE or CKL")
    if strategy in ("uncertain", "gain") and not method._loss().is_of_distances:
        raise ValueError(
            f"these questions are chosen by distances, and pairs of {method.title} are seen "
            "otherwise; ask random ones"
        )
    if strategy in ("uncertain", "gain") and samples is None:
        samples = bootstrap(method, triplets, replicates=50, unit="answers", seed=seed)
    rng = np.random.default_rng(seed)
    chosen = _CHOOSE[strategy](
        _Asking(method, triplets, n_questions, landmarks, batch, samples, rng)
    )
    return mixed(chosen[:n_questions], rng)


def mixed(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same questions about an anchor in random order, with random sides."""
    rows = rng.permutation(rows)
    swaps = rng.random(len(rows)) < 0.5
    rows[swaps, 1:] = rows[swaps, :0:-1]
    return rows


@dataclass(frozen=True)
class _Asking:
    """The input of a strategy."""

    method: OrdinalEmbedding
    triplets: Triplets
    n_questions: int
    n_landmarks: int
    batch: str
    samples: Samples | None
    rng: np.random.Generator


def _random(asking: _Asking) -> np.ndarray:
    n = asking.triplets.n_objects
    wanted = min(asking.n_questions, n * (n - 1) * (n - 2) // 2)
    rows = np.empty((0, 3), dtype=np.int64)
    while len(rows) < wanted:
        more = random_questions(n, 2 * wanted + 16, asking.rng)
        rows = _different(np.concatenate([rows, more]))
    return rows[:wanted]


def _landmark(asking: _Asking) -> np.ndarray:
    n = asking.triplets.n_objects
    few = asking.rng.permutation(n)[: min(asking.n_landmarks, n)]
    first, second = np.triu_indices(len(few), 1)
    if n * len(first) > _MOST_LISTED:
        return _some_about(few, asking)
    anchor = np.repeat(np.arange(n), len(first))
    rows = np.column_stack([anchor, np.tile(few[first], n), np.tile(few[second], n)])
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2])]
    return asking.rng.permutation(rows)


def _some_about(few: np.ndarray, asking: _Asking) -> np.ndarray:
    """Questions about landmarks, drawn one by one, and more than needed."""
    n, rng = asking.triplets.n_objects, asking.rng
    drawn = 4 * asking.n_questions + 1000
    anchor = rng.integers(n, size=drawn)
    first, second = rng.integers(len(few), size=(2, drawn))
    rows = np.column_stack([anchor, few[first], few[second]])
    rows = rows[(first != second) & (rows[:, 1] != anchor) & (rows[:, 2] != anchor)]
    return _different(rows)


def _repeat(asking: _Asking) -> np.ndarray:
    if not len(asking.triplets):
        raise DataError("there are no answered questions to repeat", file=asking.triplets.name)
    return asking.rng.permutation(_different(asking.triplets.rows.astype(np.int64)))


def _uncertain(asking: _Asking) -> np.ndarray:
    if asking.batch == "top":
        return asking.samples.most_uncertain(asking.n_questions, spread="published")[0]
    rows, _ = asking.samples.most_uncertain(_CANDIDATES * asking.n_questions, spread="independent")
    return _spread_out(rows, asking)


def _gain(asking: _Asking) -> np.ndarray:
    """For every anchor, the pairs whose answer would lower the entropy of its place most.

    The place has `_PLACES` candidates: beside the other objects, and the anchor's own, with the
    likelihood of the anchor's answers so far, the rest of the map being fixed. The two answers of
    an odd one out count by themselves: the third choice does not change their odds.
    """
    placed = np.flatnonzero(asking.samples.counts > 0)
    answers = asking.triplets
    answers = answers.take((answers.weight > 0) & np.isin(answers.rows, placed).all(axis=1))
    positions = asking.samples.reference
    jitter = 0.1 * rms(positions[placed])
    loss, rows, gains = asking.method._loss(), [], []
    for anchor in placed:
        others = placed[placed != anchor]
        beside = positions[asking.rng.choice(others, _PLACES)]
        places = beside + jitter * asking.rng.standard_normal(beside.shape)
        places[0] = positions[anchor]
        triples = answers.rows[answers.rows[:, 0] == anchor]
        counts = answers.weight[answers.rows[:, 0] == anchor]
        weight = -_losses(loss, places, positions, triples[:, 1], triples[:, 2]) @ counts
        weight = np.exp(weight - weight.max())
        weight /= weight.sum()
        pairs = asking.rng.choice(others, (_PAIRS, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        chance = np.exp(-_losses(loss, places, positions, *pairs.T))
        gains.append(_entropy(weight @ chance) - weight @ _entropy(chance))
        rows.append(np.column_stack([np.full(len(pairs), anchor), pairs]))
    rows, gains = np.concatenate(rows), np.concatenate(gains)
    ranked = _different(rows[np.argsort(-gains, kind="stable")])
    return ranked if asking.batch == "top" else _spread_out(ranked, asking)


def _losses(
    loss: object, places: np.ndarray, positions: np.ndarray, near: np.ndarray, far: np.ndarray
) -> np.ndarray:
    """(p, q) loss of q answers for an anchor at each of p places."""
    near2, far2 = (
        np.sum((places[:, None] - positions[others]) ** 2, axis=2) for others in (near, far)
    )
    return near_losses(loss, near2.ravel(), far2.ravel()).reshape(near2.shape)


def _entropy(chance: np.ndarray) -> np.ndarray:
    """Entropy of an event with this probability, in nats."""
    return entr(chance) + entr(1.0 - chance)


_CHOOSE: Mapping[str, Callable[[_Asking], np.ndarray]] = {
    "random": _random, "uncertain": _uncertain, "gain": _gain, "landmark": _landmark,
    "repeat": _repeat,
}


def _different(rows: np.ndarray) -> np.ndarray:
    """The first of every question, in order, whatever its sides."""
    ordered = np.column_stack([rows[:, 0], np.sort(rows[:, 1:], axis=1)])
    _, first = np.unique(ordered, axis=0, return_index=True)
    return rows[np.sort(first)]


def _spread_out(rows: np.ndarray, asking: _Asking) -> np.ndarray:
    """First the rows that do not resemble an earlier one, then the others.

    A row resembles earlier ones if one has the same anchor and one of its other objects, or an
    object already has twice its share of the batch.
    """
    share = 2 * -(-3 * asking.n_questions // asking.triplets.n_objects)
    seen: set[tuple[int, int]] = set()
    often = np.zeros(asking.triplets.n_objects, dtype=int)
    kept, rest = [], []
    for number, (anchor, first, second) in enumerate(rows.tolist()):
        pairs = {(anchor, first), (anchor, second)}
        if len(kept) < asking.n_questions and not (
            pairs & seen or often[[anchor, first, second]].max() >= share
        ):
            kept.append(number)
            seen |= pairs
            often[[anchor, first, second]] += 1
        else:
            rest.append(number)
    return rows[kept + rest]


# Simulation ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ActiveComparison:
    """Maps of chosen and of random questions, as answers come in.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
        In the map, at the start and after every batch.
    chosen, by_chance : ndarray, shape (r, p)
        Share of all comparisons that the map gets wrong, in r simulations.
    chosen_disparity, by_chance_disparity : ndarray, shape (r, p)
        Share of the truth's variance that the map does not explain.
    """

    n_answers: np.ndarray
    chosen: np.ndarray
    by_chance: np.ndarray
    chosen_disparity: np.ndarray
    by_chance_disparity: np.ndarray

    @property
    def judgement(self) -> str:
        """Final effect of adaptive selection: one of {"no difference", "helps", "harms"}."""
        gain = self.by_chance[:, -1] - self.chosen[:, -1]
        doubt = 2.0 * gain.std(ddof=1) / np.sqrt(len(gain))
        if abs(gain.mean()) <= doubt:
            return "no difference"
        return "helps" if gain.mean() > 0 else "harms"


@task("Simulating adaptive and random questions", "embedding")
def compare_active(
    method: OrdinalEmbedding, triplets: Triplets, *,
    strategy: Annotated[str, Choice(
        {name: STRATEGIES[name] for name in ("uncertain", "gain", "landmark")}, "Questions",
        "Selection that is compared with random questions."
    )] = "uncertain",
    batch: Batch = "spread",
    more: Annotated[int, Number(
        10, 1_000_000, "Further answers", "Number of answers that you could still collect."
    )] = 1000,
    batches: Annotated[int, Number(
        1, 50, "Batches", "Questions are selected again after each batch."
    )] = 4,
    repeats: Annotated[
        int, Number(2, 100, "Simulations", "More make the result more precise.")
    ] = 8,
    seed: Seed = 0, progress: Progress = silent,
) -> ActiveComparison:
    """Chosen against random questions, for data like the user's.

    Answers are simulated about a truth like the user's map with about the user's noise: first to as
    many random questions, then batch after batch to further ones, with repetitions where a batch
    exceeds the number of different questions. A stop keeps two simulations or more.
    """
    triplets = as_triplets(triplets)
    first, *children = np.random.SeedSequence(seed).spawn(repeats + 1)
    truth = estimated_truth(
        method, triplets, int(first.generate_state(1)[0]), lambda *_, **__: progress(0.0)
    )
    sizes = np.diff(np.linspace(0, more, batches + 1).astype(int))
    pieces = [(method, truth, len(triplets), sizes, strategy, batch, child) for child in children]
    curves = list(results_of(_simulated, pieces, progress, least=2))
    errors, disparities = np.array(curves).transpose(2, 1, 0, 3)
    n_answers = len(triplets) + np.concatenate([[0], np.cumsum(sizes)])
    return ActiveComparison(n_answers, *errors, *disparities)


def _simulated(
    method: OrdinalEmbedding, truth: Truth, n_answers: int, sizes: np.ndarray, strategy: str,
    batch: str, seed: np.random.SeedSequence, halt: CancelToken,
) -> np.ndarray:
    """(2, 2, p): chosen and random, error and disparity, from the same first answers."""
    rng = np.random.default_rng(seed)
    n = len(truth.positions)
    judged = random_questions(n, _JUDGED, rng)
    truly = margins(truth.positions, judged) > 0
    first_answers = simulated_answers(method, truth, random_questions(n, n_answers, rng), rng)
    curves = []
    for name in (strategy, "random"):
        rows, curve = first_answers, []
        for size in (*sizes, 0):
            so_far = Triplets.from_array(rows, n)
            fitted = clone(method).fit(so_far, progress=halt)
            wrong = np.mean((margins(fitted.embedding_, judged) > 0) != truly)
            curve.append((wrong, procrustes_disparity(fitted.embedding_, truth.positions)))
            if not size or halt():
                continue
            samples = None
            if name in ("uncertain", "gain"):
                samples = bootstrap(
                    method, so_far, replicates=_REPLICATES, seed=int(rng.integers(2**31)),
                    reference=fitted.embedding_,
                )
            questions = propose(
                method, so_far, int(size), strategy=name, batch=batch,
                seed=int(rng.integers(2**31)), samples=samples,
            )
            # Too few different questions are repeated.
            questions = np.resize(questions, (size, 3))
            rows = np.concatenate([rows, simulated_answers(method, truth, questions, rng)])
        curves.append(np.array(curve).T)
    return np.array(curves)
