"""Held-out answers under context and asymmetry, which distances of a map do not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import stdtr, stdtrit
from scipy.stats import special_ortho_group
from sklearn.base import clone

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.places import within
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import unfitted
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import Halt, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.evaluation.paired import holm
from tripletscope.core.inference.evaluation.score import question_folds
from tripletscope.core.inference.evaluation.units import LearnedUnit, known_people, unit_fields
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.responses import choice_losses, hits

#: Models that are tried against distances alone, in this order.
MODELS = ("context", "asymmetry")
#: Level of the whole family of tests.
LEVEL = 0.05
#: Fewest questions: the t test of fewer says little.
FEWEST = 50
#: Directions of the axes to try with context.
_TURNS = 4
_FIRST, _REST = {"maxiter": 30}, {"maxiter": 300, "ftol": 1e-9, "gtol": 1e-6}
#: Training parts, one of which chooses the prior, and multiples of the prior to choose from.
_PARTS, _PRIORS = 4, (1.0, 3.0, 10.0, 30.0, 100.0)
#: Prior standard deviation of biases towards options, as log-odds.
_BIAS = 0.5

Back = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class ContextEffects:
    """How well answers are predicted with context or asymmetry.

    Attributes
    ----------
    models : list of str, length k
        Of `MODELS`, those that the answers allow.
    log_likelihood, accuracy : ndarray, shape (k,)
        Means over held-out choices.
    euclidean_log_likelihood, euclidean_accuracy : float
        The same for Euclidean distances.
    predicts : bool
        Whether the Euclidean map predicts better than guessing; if not, answers are too few.
    gain, gain_low, gain_high : ndarray, shape (k,)
        Log-likelihood of a choice above that of Euclidean distances, with a 95 % interval.
    p : ndarray, shape (k,)
        One-sided p value of a positive gain, by Holm's correction.
    context : float
        Mean weight of context over folds, 0 for none; NaN where it is not tried.
    bias : ndarray, shape (n,)
        Mean log-odds by which each object is chosen as an option beyond its distance; 0 where
        this is not tried.
    n_choices : int
    unit : {"answers", "participants"}
        What the test takes as independent.
    n_units : int or None
        How many.
    notes : list of str
        What could not be tried, and why.
    """

    models: list[str]
    log_likelihood: np.ndarray
    accuracy: np.ndarray
    euclidean_log_likelihood: float
    euclidean_accuracy: float
    predicts: bool
    gain: np.ndarray
    gain_low: np.ndarray
    gain_high: np.ndarray
    p: np.ndarray
    context: float
    bias: np.ndarray
    n_choices: int
    unit: str = "answers"
    n_units: int | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def surely(self) -> list[str]:
        """Models that predict better than Euclidean distances, at 5 % for all together."""
        return [name for name, p in zip(self.models, self.p, strict=True)
                if self.predicts and p <= LEVEL]

    @property
    def table(self) -> pd.DataFrame:
        """One row per model."""
        return pd.DataFrame({
            "model": self.models, "log_likelihood": self.log_likelihood,
            "accuracy": self.accuracy, "gain": self.gain, "gain_low": self.gain_low,
            "gain_high": self.gain_high, "p": self.p,
        })


@task("Trying context and asymmetry", "embedding", columns=("participant",))
def context_effects(
    method: OrdinalEmbedding,
    answers: Judgements,
    *,
    folds: Annotated[int, Number(2, 20, "Folds")] = 5,
    most: Annotated[int, Number(
        1000, 1_000_000, "Answers at most", "Larger sets are sampled at random down to this "
                                            "number.", advanced=True,
    )] = 50_000,
    unit: LearnedUnit = "auto",
    seed: Seed = 0,
    progress: Progress = silent,
) -> ContextEffects:
    """Whether context or asymmetry predicts held-out answers better than distances alone.

    Two models have the method's dimensions and response function: weights of dimensions that depend
    on the objects of a question (context), and objects that are chosen more often as options than
    as anchors (asymmetry).

    Parameters
    ----------
    method : OrdinalEmbedding
        With a likelihood, such as STE or t-STE, in two dimensions or more.
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    progress : Progress

    Returns
    -------
    ContextEffects

    Raises
    ------
    ValueError
        If the method has no likelihood, or a single dimension.
    DataError
        If there are fewer than 50 questions, or they allow neither model.
    Stopped
        If `progress` asks to stop before the end.

    Notes
    -----
    Context gives dimension k of the three objects of a question the weight
    ``1 + c (v_k / mean v - 1)``, where v_k is their variance on it and c is learned: for c above 0
    dimensions on which they differ count more (Tversky's diagnosticity). Asymmetry adds a bias of
    the option to each similarity, so that ``s(i, j) != s(j, i)``. All models have the prior, no
    weaker than the method's, under which the Euclidean map predicts best within the training
    answers. Fits begin at the Euclidean map, with context in several orientations. The t test is
    over participants or questions and takes the maps as fixed.

    References
    ----------
    Tversky, A. (1977). Features of similarity. Psychological Review, 84, 327-352. Nosofsky, R. M.
    (1991). Stimulus bias, asymmetric similarity, and classification. Cognitive Psychology, 23,
    94-140.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> x = np.random.default_rng(0).normal(size=(12, 2))
    >>> answers = ts.simulate(x, 600, noise="logistic", seed=0)
    >>> ts.features.context_effects(ts.STE(), answers, folds=2).surely
    []
    """
    answers = as_answers(answers)
    if not method.is_likelihood or method.n_components < 2:
        raise ValueError("A method with a likelihood is needed, in two dimensions or more.")
    rng = np.random.default_rng(seed)
    answers = answers.take(answers.weight > 0)
    if len(answers) > most:
        kept = rng.permutation(int(answers.groups.max()) + 1)[answers.groups]
        answers = answers.take(kept < np.sort(kept)[most])
    number = len(np.unique(answers.groups))
    if number < FEWEST:
        raise DataError(
            f"there are {number:,} different questions; {FEWEST} are needed", file=answers.name,
            remedy="Collect more answers.",
        )
    models, notes = _allowed(answers.choices)
    if not models:
        raise DataError(
            "these questions tell neither of context nor of asymmetry", file=answers.name,
            remedy=" ".join(notes),
        )
    fold = question_folds(answers, folds, rng)
    pieces = [(method, answers, fold, k, ("euclidean", *models), seed) for k in range(folds)]
    log, right = np.zeros((2, len(models) + 1, len(answers.choices)))
    contexts, biases = [], []
    for k, (values, hit, context, bias) in enumerate(results_of(_predict, pieces, progress)):
        is_test = fold[answers.choices.answer] == k
        log[:, is_test], right[:, is_test] = values, hit
        contexts.append(context)
        biases.append(bias)
    people = known_people(answers, unit)
    part = answers.groups if people is None else people.part
    weight, part = answers.choices.weight, part[answers.choices.answer]
    gains = np.array([_mean(one - log[0], weight, part) for one in log[1:]]).reshape(-1, 4)
    predicts = _mean(log[0] - np.log(answers.choices.chance), weight, part)[1] > 0
    means, rates = (np.average(one, axis=1, weights=weight) for one in (log, right))
    p = holm(dict(zip(models, gains[:, 3].tolist(), strict=True)))
    return ContextEffects(
        list(models), means[1:], rates[1:], float(means[0]), float(rates[0]), bool(predicts),
        *gains[:, :3].T,
        np.array([p[name] for name in models]), float(np.mean(contexts)), np.mean(biases, axis=0),
        len(answers.choices), **unit_fields(people), notes=notes,
    )


def _allowed(choices: Choices) -> tuple[list[str], list[str]]:
    """The models that choices allow, and why there are not more."""
    models, notes = [], []
    n = choices.n_objects
    objects = np.unique(choices.stage[:, None] * n + choices.pairs)
    if (np.bincount(objects // n) == 3).all():
        models.append("context")
    else:
        notes.append("Context is tried only where every question is about three objects.")
    if (choices.pairs[:, 0] == choices.pairs[choices.bounds[choices.stage], 0]).all():
        models.append("asymmetry")
    else:
        notes.append("Asymmetry is tried only where every question has an anchor.")
    return models, notes


class _Squares(NamedTuple):
    """Squared distances (E,) of pairs, and the way from derivatives by them to those by x and c."""

    values: np.ndarray
    back: Back


def _squares(name: str, x: np.ndarray, c: float, choices: Choices) -> _Squares:
    """Squared distances of all pairs of the choices, for x (n, d) and the weight c of context."""
    if name == "context":
        return _in_context(x, c, choices)
    i, j = choices.pairs.T
    difference = x[i] - x[j]

    def back(pull: np.ndarray) -> tuple[np.ndarray, float]:
        moved = 2 * pull[:, None] * difference
        return _scattered(i, moved, len(x)) - _scattered(j, moved, len(x)), 0.0

    return _Squares((difference**2).sum(axis=1), back)


def _in_context(x: np.ndarray, c: float, choices: Choices) -> _Squares:
    """Dimensions weighted by the variance of the three objects of each question."""
    triples, d = choices.triples, x.shape[1]
    first, second = triples[:, [0, 0, 1]], triples[:, [1, 2, 2]]
    difference = x[first] - x[second]  # (S, 3, d)
    squares = difference**2
    # The variance of three is a ninth of the sum over their pairs.
    variance = squares.sum(axis=1, keepdims=True)
    total = np.maximum(variance.sum(axis=2, keepdims=True), 1e-12)
    plain = squares.sum(axis=2)
    weighted = d * (variance * squares).sum(axis=2) / total[..., 0]
    place = choices.stage, within(choices.n_shown)
    values = (1 - c) * plain + c * weighted

    def back(pull: np.ndarray) -> tuple[np.ndarray, float]:
        by = np.zeros(plain.shape)
        by[place] = pull
        each, share = by[:, :, None], (by * weighted).sum(axis=1)[:, None, None]
        slope = (1 - c) * each + c * (
            d * (each * variance + (each * squares).sum(axis=1, keepdims=True)) - share
        ) / total
        moved = (2 * slope * difference).reshape(-1, d)
        n = len(x)
        gradient = _scattered(first.ravel(), moved, n) - _scattered(second.ravel(), moved, n)
        return gradient, float((by * (weighted - plain)).sum())

    return _Squares(values[place], back)


def _scattered(which: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """(n, d) sums of rows (E, d) by their object."""
    return np.stack([np.bincount(which, column, n) for column in values.T], axis=1)


class _Fitted(NamedTuple):
    x: np.ndarray
    c: float
    bias: np.ndarray


def _similarities(
    method: OrdinalEmbedding, name: str, fitted: _Fitted, choices: Choices
) -> tuple[np.ndarray, np.ndarray, Back]:
    """(E,) similarities of pairs, their derivatives by squared distances, and the way back."""
    squares = _squares(name, fitted.x, fitted.c, choices)
    similarity, slope = method._loss().similarities(squares.values)
    return similarity + fitted.bias[choices.pairs[:, 1]], slope, squares.back


def _predict(
    method: OrdinalEmbedding, answers: Judgements, fold: np.ndarray, k: int, names: tuple[str, ...],
    seed: int, halt: Halt,
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Log-probability and correctness (models, held-out choices), context, and bias (n,)."""
    choices = answers.choices
    is_test = fold[choices.answer] == k
    learned, tested = choices.take(~is_test), choices.take(is_test)
    rng = np.random.default_rng([seed, k])
    method = _with_prior(method, answers.take(fold != k), rng)
    start = unfitted(method).fit(answers.take(fold != k)).embedding_
    log, right, context, bias = [], [], np.nan, np.zeros(answers.n_objects)
    for name in names:
        fitted = _fit(method, name, start, learned, rng, halt)
        similarity, *_ = _similarities(method, name, fitted, tested)
        log.append(-choice_losses(tested, similarity)[0])
        right.append(hits(tested, similarity))
        context = fitted.c if name == "context" else context
        bias = fitted.bias if name == "asymmetry" else bias
    return np.array(log), np.array(right), context, bias


def _with_prior(
    method: OrdinalEmbedding, answers: Judgements, rng: np.random.Generator
) -> OrdinalEmbedding:
    """The method with the prior under which Euclidean maps predict part of the answers best.

    With too weak a prior, others predict better only because they shrink the map.
    """
    is_test = question_folds(answers, _PARTS, rng) == 0
    tested, best = answers.choices.take(is_test[answers.choices.answer]), []
    for times in _PRIORS:
        one = clone(method).set_params(prior=min((method.prior or 0.1) * times, 1e4), n_init=1)
        x = one.fit(answers.take(~is_test)).embedding_
        at = _Fitted(x, 0.0, np.zeros(len(x)))
        similarity, *_ = _similarities(one, "euclidean", at, tested)
        best.append((float(tested.weight @ choice_losses(tested, similarity)[0]), one.prior))
    return clone(method).set_params(prior=min(best)[1])


def _fit(
    method: OrdinalEmbedding, name: str, start: np.ndarray, choices: Choices,
    rng: np.random.Generator, halt: Halt,
) -> _Fitted:
    """The positions, context and biases of the lowest loss."""
    n, d = start.shape
    has_bias = name == "asymmetry"

    def parted(flat: np.ndarray) -> _Fitted:
        bias = flat[n * d + 1:] if has_bias else np.zeros(n)
        return _Fitted(flat[:n * d].reshape(n, d), flat[n * d], bias)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        at = parted(flat)
        similarity, slope, back = _similarities(method, name, at, choices)
        losses, pull = choice_losses(choices, similarity)
        pull = pull * choices.weight[choices.stage]
        by_x, by_c = back(pull * slope)
        value = choices.weight @ losses + 0.5 * method.prior * (at.x**2).sum()
        gradient = [(by_x + method.prior * at.x).ravel(), [by_c]]
        if has_bias:
            value += 0.5 * (at.bias**2).sum() / _BIAS**2
            gradient.append(np.bincount(choices.pairs[:, 1], pull, n) + at.bias / _BIAS**2)
        return float(value), np.concatenate(gradient)

    # Weights are not below 0.
    ends = [(-1 / (d - 1), 1.0) if name == "context" else (0.0, 0.0)]
    bounds = [(None, None)] * (n * d) + ends + [(None, None)] * (n if has_bias else 0)
    turns = [np.eye(d)]
    if name == "context":
        # The second draw: a seed gives what it gave when distances of other kinds took the first.
        _, own = (special_ortho_group.rvs(d, _TURNS, random_state=rng) for _ in range(2))
        turns += list(own.reshape(-1, d, d))
    rest = np.zeros(1 + (n if has_bias else 0))
    starts = [np.concatenate([(start @ turn).ravel(), rest]) for turn in turns]

    def lowest(start: np.ndarray, how: dict[str, float]) -> object:
        return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=how)

    if len(starts) > 1 and not halt():
        starts = [min((lowest(one, _FIRST) for one in starts), key=lambda one: one.fun).x]
    return parted(lowest(starts[0], _REST).x)


def _mean(
    values: np.ndarray, weight: np.ndarray, part: np.ndarray
) -> tuple[float, float, float, float]:
    """Mean, its 95 % interval over parts, and the one-sided p value that it is above 0."""
    mean = float(np.average(values, weights=weight))
    sums = np.bincount(part, weight * (values - mean))
    number = len(np.unique(part))
    error = float(np.sqrt(sums @ sums * number / (number - 1))) / weight.sum()
    reach = float(stdtrit(number - 1, 0.975)) * error
    p = float(stdtr(number - 1, -mean / error)) if error > 0 else 1.0
    return mean, mean - reach, mean + reach, p
