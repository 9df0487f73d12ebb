"""Whether people are predicted better as individuals: answers of each person, held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.special import stdtrit
from sklearn.base import clone

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.data.named import one_of
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import (
    half_width_over_people,
    pair_folds,
    question_folds,
)
from tripletscope.core.inference.held_out.units import different_pairs, shared_covariance
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.people.groups import counted
from tripletscope.core.people.mixture import LatentClassMap
from tripletscope.core.people.weighted_axes import ChoiceScores, Likelihood, choices_by, sums_by
from tripletscope.core.people.weights import WeightedEuclidean, common_map, people_of

#: Models of people, from the most common to the most individual.
ONE, PRECISION, WEIGHTS, OWN = "one map", "precision", "weights", "own maps"
_GROUPS = "{} groups"
#: What gains are of.
MEASURES = ("log_share", "accuracy")
#: Lowest log probability: one choice must not decide on a person.
_FLOOR = np.log(1e-4)
#: Random divisions of the people, and fewest people of a half.
_DIVISIONS, _OF_A_HALF = 6, 3
#: Degrees within which axes are common to the people.
_FIRM = 10.0
#: Share of the variance of normally distributed values that so many groups of them hold at best.
#: Max, J. (1960). Quantizing for minimum distortion. IRE Transactions on Information Theory, 6,
#: 7-12.
_OF_DEGREES = {2: 0.637, 3: 0.810, 4: 0.883, 5: 0.920, 6: 0.942}
#: Of statements about single people together.
_LEVEL = 0.05
#: Fewest held-out choices of a person for a standard error: of one it would be 0.
_FEWEST = 5

Folds = Annotated[
    int, Number(2, 50, "Folds", "Answers are split into this many folds; each is predicted from "
                "the others.")
]


def groups_model(number: int) -> str:
    """Name of the model of `number` groups."""
    return _GROUPS.format(number)


class Gains:
    """Gains of models over one another on held-out answers.

    `log_share` and `accuracy` are (U, M), of people or parts of the answers under `models` (M,).
    """

    models: np.ndarray
    log_share: np.ndarray
    accuracy: np.ndarray
    are_rated: bool

    @property
    def measures(self) -> tuple[str, ...]:
        """What a model must predict better by: probability, and of ratings accuracy, too.

        Comparisons of ratings overlap, so that maps are too sure of those that they have not seen:
        one that is less sure gains in probability by that alone.
        """
        return MEASURES if self.are_rated else MEASURES[:1]

    def gain(self, model: str, over: str = ONE, of: str = "log_share") -> tuple[
        float, float, float
    ]:
        """Mean gain over people, or parts of the answers, and its paired 95 % t interval.

        Parameters
        ----------
        model, over : str
        of : {"log_share", "accuracy"}

        Notes
        -----
        People who are asked the same questions gain together: beside the variance between people
        is that of `tripletscope.core.inference.held_out.units.shared_covariance`.
        """
        values = getattr(self, one_of(MEASURES, of, "measure"))
        values = values[:, self._place(model)] - values[:, self._place(over)]
        mean, variance = float(values.mean()), float(values.var(ddof=1)) / len(values)
        more, degrees = self._by_questions(model, over, of)
        reach = float(stdtrit(min(degrees, len(values) - 1), 0.975) * np.sqrt(variance + more))
        return mean, mean - reach, mean + reach

    def _by_questions(self, model: str, over: str, of: str) -> tuple[float, float]:
        """Variance of a mean gain that units share, and its degrees of freedom: none."""
        return 0.0, np.inf

    @property
    def chosen(self) -> str:
        """The simplest model that none predicts better than, beyond chance.

        What says how people differ must also predict better than their precision alone, which
        differs where some guess.
        """
        best = ONE
        for model in self.models[1:].tolist():
            if self._is_ahead(model, best):
                best = model
        return best

    def _is_ahead(self, model: str, *others: str) -> bool:
        """Whether a model predicts better than others, and than precision, beyond chance."""
        rivals = {*others, *({PRECISION} & set(self.models.tolist()))} - {model}
        return all(
            self.gain(model, over, of)[1] > 0 for over in rivals for of in self.measures
        )

    @property
    def table(self) -> pd.DataFrame:
        """One row per model; gains are over one map."""
        return pd.DataFrame([
            (
                model, self.log_share[:, m].mean(), *self.gain(model),
                self.accuracy[:, m].mean(), *self.gain(model, of="accuracy"),
            ) for m, model in enumerate(self.models.tolist())
        ], columns=[
            "model", "log probability", "gain", "low", "high", "accuracy", "accuracy gain",
            "accuracy low", "accuracy high",
        ])

    def _place(self, model: str) -> int:
        return list(self.models).index(one_of(self.models, model, "model"))


@dataclass(frozen=True)
class PeopleComparison(Gains):
    """Predictions of each person's held-out answers by models of how people differ.

    Attributes
    ----------
    people : ndarray of str, shape (P,)
    n_choices : ndarray of int, shape (P,)
        Held-out choices of each.
    models : ndarray of str, shape (M,)
        ``one map`` for all; ``precision``: one map, and the precision of a person's answers;
        ``weights`` of its axes; ``2 groups`` and so on, with the same precision; ``own maps``.
    log_share : ndarray, shape (P, M)
        Mean log probability of a held-out choice.
    error : ndarray, shape (P, M)
        Standard error of its difference from that under one map, over the person's choices; NaN
        for people with fewer than five.
    accuracy : ndarray, shape (P, M)
        Share of the held-out choices that are predicted.
    chance : ndarray, shape (P,)
        The same by guessing.
    shared : ndarray, shape (2, M, M)
        Covariance of the models' mean log probability, and accuracy, that comes of questions which
        several people were asked; zeros if there are none.
    n_questions : int
        Different questions, or groups of questions and trials, of the held-out choices.
    over_guessing : ndarray, shape (P, M), or None
        Log-likelihood of a person's held-out choices under each model, over that of guessing.
    reach : ndarray, shape (M,), or None
        Half the width of the 95 % interval of the accuracy, as of a held-out error of a map:
        between people, folds and shared questions.
    axes_apart : ndarray, shape (k,), or None
        Degrees by which the weighted axes differ between random halves of the people, the least
        alike axis of each division; empty where weights do not predict better than precision, and
        without two axes.
    others_share : ndarray, shape (2, P', M'), or None
        Mean log probability and accuracy of each of the people who do not answer like guesses,
        under all models but own maps, learned from these people alone; None where nobody
        guesses, or fewer than six others are left.
    others_shared : ndarray, shape (2, M', M'), or None
        As `shared`, of these.
    others_questions : int
        As `n_questions`, of these.
    are_rated : bool
        Whether the answers are comparisons of ratings.
    """

    people: np.ndarray
    n_choices: np.ndarray
    models: np.ndarray
    log_share: np.ndarray
    error: np.ndarray
    accuracy: np.ndarray
    chance: np.ndarray
    shared: np.ndarray | None = None
    n_questions: int = 0
    over_guessing: np.ndarray | None = None
    reach: np.ndarray | None = None
    axes_apart: np.ndarray | None = None
    others_share: np.ndarray | None = None
    others_shared: np.ndarray | None = None
    others_questions: int = 0
    are_rated: bool = False

    def _by_questions(self, model: str, over: str, of: str) -> tuple[float, float]:
        """Variance of a mean gain between the questions that people share; degrees of freedom."""
        contrast = np.zeros(len(self.models))
        contrast[self._place(model)] += 1.0
        contrast[self._place(over)] -= 1.0
        if self.shared is None or not self.shared.any():
            return 0.0, np.inf
        more = contrast @ self.shared[MEASURES.index(of)] @ contrast
        return max(float(more), 0.0), self.n_questions - 1.0

    def gains(self, model: str, over: str = ONE) -> np.ndarray:
        """(P,) rise of the log probability of a choice with a model."""
        return self.log_share[:, self._place(model)] - self.log_share[:, self._place(over)]

    def better(self, model: str) -> tuple[int, int, int]:
        """Numbers of people whom a model predicts better, clearly better, and clearly worse.

        Clearly: beyond the 95 % interval over the person's choices; one person in forty is on
        either side by chance.
        """
        gains = self.gains(model)
        error = self.error[:, self._place(model)]
        return (
            int(np.sum(gains > 0)), int(np.sum(gains > 1.96 * error)),
            int(np.sum(gains < -1.96 * error)),
        )

    @property
    def weights_differ(self) -> bool:
        """Whether weights of people predict held-out answers better than one map."""
        return all(self.gain(WEIGHTS, of=of)[1] > 0 for of in self.measures)

    @property
    def attention_shown(self) -> bool:
        """Whether weights predict held-out answers better than one map, and than precision."""
        return self._is_ahead(WEIGHTS, ONE)

    @property
    def axes_error(self) -> float:
        """95 % reach, in degrees, of the direction of the axes between samples of people.

        That of halves is twice as large. NaN where nothing is known of halves.
        """
        if self.axes_apart is None or not len(self.axes_apart):
            return np.nan
        return float(1.96 * np.sqrt(np.mean(self.axes_apart**2)) / 2)

    @property
    def axes_agree(self) -> bool:
        """Whether the axes of halves of the people agree: `axes_error` is below 10°.

        Where everybody stretches the map along a direction of their own, weights may predict, too,
        but halves of 16 people with 100 answers each are as near in one of thirty such crowds.
        """
        return self.axes_error < _FIRM

    @property
    def guessers(self) -> np.ndarray:
        """(P,) bool: people who answer like guesses.

        Guesses explain their held-out answers so much better than one map that this would seldom
        be said of anybody who answers by it: such a likelihood ratio exceeds c with probability
        1 / c at most (Markov), here 20 times the number of people. No model explains them 20 times
        better than guesses. Nobody if all guess, or if that is unknown.
        """
        if self.over_guessing is None or self.is_chance:
            return np.zeros(len(self.people), dtype=bool)
        surely = self.over_guessing[:, self._place(ONE)] < -np.log(len(self.people) / _LEVEL)
        return surely & (self.over_guessing < -np.log(_LEVEL)).all(axis=1)

    @property
    def is_chance(self) -> bool:
        """Whether `chosen`, or one map, may be guessing, by 95 % intervals.

        They are paired, over people, and those of an error of a map: see `is_chance` in
        `tripletscope.core.inference.held_out.compare`.
        """
        return any(self._may_guess(self._place(model)) for model in {ONE, self.chosen})

    def _may_guess(self, m: int) -> bool:
        gains = self.accuracy[:, m] - self.chance
        reach = stdtrit(len(gains) - 1, 0.975) * gains.std(ddof=1) / np.sqrt(len(gains))
        return not gains.mean() > max(reach, 0.0 if self.reach is None else self.reach[m])

    @property
    def others(self) -> PeopleComparison | None:
        """The same without the people who answer like guesses, and without maps of their own.

        None where nobody does, or fewer than six others are left. Groups are counted there: in
        their maps, guesses are noise.
        """
        if self.others_share is None:
            return None
        left, (log_share, accuracy) = ~self.guessers, self.others_share
        return PeopleComparison(
            self.people[left], self.n_choices[left],
            self.models[self.models != OWN], log_share,
            np.full_like(log_share, np.nan), accuracy, self.chance[left], self.others_shared,
            self.others_questions, are_rated=self.are_rated,
        )

    @property
    def n_told(self) -> int:
        """Number of people with enough choices for a standard error."""
        return int(np.isfinite(self.error).all(axis=1).sum())

    @property
    def n_groups(self) -> int:
        """Number of groups: one more as long as that predicts people better, beyond chance.

        Of `others`, where some people answer like guesses; and of people who do not differ by
        degrees: see `differ_by_degrees`.
        """
        if others := self.others:
            return others.n_groups
        number, seen = 1, 1
        while groups_model(number + 1) in self.models:
            over = ONE if number == 1 else groups_model(number)
            if not self._is_ahead(groups_model(number + 1), over):
                break
            number += 1
            if not self.differ_by_degrees(number):  # two groups of three kinds may look like that
                seen = number
        return seen

    def differ_by_degrees(self, number: int) -> bool:
        """Whether weights predict people better than so many groups, as they do by degrees.

        Beyond chance; and the groups gain no larger part of what weights gain over precision than
        they would hold of weights that are normally distributed.
        """
        group = groups_model(number)
        if not {WEIGHTS, PRECISION, group} <= set(self.models.tolist()):
            return False
        part = self.gain(group, PRECISION)[0], self.gain(WEIGHTS, PRECISION)[0]
        return self.gain(WEIGHTS, group)[1] > 0 and part[0] <= _OF_DEGREES[number] * part[1]

    @property
    def table(self) -> pd.DataFrame:
        """One row per model, with the counts of `better`."""
        counts = pd.DataFrame(
            [self.better(model) for model in self.models.tolist()],
            columns=["better", "clearly better", "clearly worse"],
        )
        return pd.concat([super().table, counts], axis=1).assign(people=len(self.people))


@task("Predicting people as individuals", "individuals", columns=("participant",))
def compare_people(
    method: WeightedEuclidean, triplets: Answers, *,
    most_groups: Annotated[
        int, Number(1, 6, "Max. groups", "Largest number of groups of people that is tried.")
    ] = 3,
    folds: Folds = 5, seed: Seed = 0, progress: Progress = silent,
) -> PeopleComparison:
    """Held-out answers of each person under one map, weights, groups and maps of their own.

    Answers to one question, and those of one trial, are held out together; of ratings, those of a
    pair of objects by all people.

    Parameters
    ----------
    method : WeightedEuclidean
        Gives all models their dimensions, column of people, response model and prior.
    triplets : Triplets or Quadruples
    progress : Progress
        Called after every fold of every model.

    Raises
    ------
    DataError
        If there are fewer than two people, or too few answers.

    Notes
    -----
    Groups and weights include the precision of a person's answers, so compare them with
    ``precision`` before you speak of attention.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> method = ts.people.WeightedEuclidean(n_components=2, n_init=2)
    >>> found = ts.people.compare_people(method, answers, most_groups=1, folds=2)
    >>> found.gain("weights", over="precision")[1] > 0
    True
    """
    answers, who = _of_known(method, triplets)
    groups = [groups_model(number) for number in range(2, most_groups + 1)]
    found = _compared(method, answers, [ONE, PRECISION, WEIGHTS, *groups, OWN], folds, seed,
                      part(progress, 0.0, 0.9))
    if method.n_components == 1 or method.alike or not found.attention_shown:
        progress(1.0)
        return found
    apart = axes_apart(method, answers, who, seed, part(progress, 0.9, 1.0))
    return replace(found, axes_apart=apart)


def sees_groups(
    method: WeightedEuclidean, triplets: Answers, *, folds: int, seed: int = 0,
    progress: Progress = silent,
) -> bool:
    """Whether two groups are seen by `compare_people`, with as few models as that takes."""
    answers, _ = _of_known(method, triplets)
    two = groups_model(2)
    return all(  # whether people differ by degrees matters only where there seem to be groups
        _compared(method, answers, models, folds, seed, progress).n_groups > 1
        for models in ([ONE, PRECISION, two], [ONE, PRECISION, WEIGHTS, two])
    )


def _of_known(method: WeightedEuclidean, triplets: Answers) -> tuple[Answers, np.ndarray]:
    """Answers of known people that count, and the person of each, from 0."""
    answers = counted(triplets)
    who, people = people_of(answers, method.by)
    return answers.take(who < len(people)), who[who < len(people)]


def _compared(
    method: WeightedEuclidean, answers: Answers, models: list[str], folds: int, seed: int,
    progress: Progress,
) -> PeopleComparison:
    """Models of people by held-out answers, with those of people who do not guess."""
    found = _judged(method, answers, models, folds, seed, part(progress, 0.0, 0.67))
    who, people = people_of(answers, method.by)
    left = ~np.isin(people[who], found.people[found.guessers])
    if groups_model(2) in models and not left.all() and (
        len(np.unique(who[left])) >= 2 * _OF_A_HALF
    ):
        others = _judged(
            method, answers.take(left), [model for model in models if model != OWN], folds, seed,
            part(progress, 0.67, 1.0),
        )
        found = replace(
            found, others_share=np.stack([others.log_share, others.accuracy]),
            others_shared=others.shared, others_questions=others.n_questions,
        )
    return found


def _judged(
    method: WeightedEuclidean, answers: Answers, models: list[str], folds: int, seed: int,
    progress: Progress,
) -> PeopleComparison:
    """Models of people by held-out answers, each of a known person."""
    judged = held_out(method, answers, models, folds, seed, progress)
    fold = _folds_of(answers, folds, seed)[:, 0]
    return _by_person(judged, models, *people_of(answers, method.by), answers, fold)


def held_out(
    method: WeightedEuclidean, answers: Answers, models: list[str], folds: int,
    seed: int, progress: Progress = silent,
) -> ChoiceScores:
    """Choices, in the order of the answers, predicted from the other folds by M models.

    Every choice, but of ratings those between two pairs of one fold.
    """
    fold = _folds_of(answers, folds, seed)
    if any(not part.any() for k in range(folds) for part in _parts(fold, k)):
        raise DataError(
            f"the answers make fewer than {folds} folds", file=answers.name,
            remedy="Ask for fewer folds, or collect more answers.",
        )
    precise = [model for model in models if model not in (ONE, WEIGHTS, OWN)]
    together = [[model] for model in models if model not in precise] + [precise] * bool(precise)
    pieces = [(method, answers, fold, k, some) for some in together for k in range(folds)]
    result = list(results_of(_fold, pieces, progress))
    by_model = {
        model: [scores[i] for scores in result[p * folds : (p + 1) * folds]]
        for p, some in enumerate(together) for i, model in enumerate(some)
    }
    joined = [[np.concatenate(each) for each in zip(*by_model[model], strict=True)]
              for model in models]
    order = np.argsort(joined[0][0], kind="stable")
    log_share, right = (np.stack([one[k][order] for one in joined], axis=1) for k in (1, 2))
    return ChoiceScores(joined[0][0][order], log_share, right)


def _folds_of(answers: Answers, folds: int, seed: int) -> np.ndarray:
    """(T, 2) fold of both pairs of every answer: of one question, unless they were rated.

    Of ratings, a person's are one group to hold out; but nothing of that person would be left to
    learn from. Pairs of objects are held out instead, of all people at once.
    """
    rng = np.random.default_rng(seed)
    if answers.are_rated:
        return pair_folds(answers, folds, rng)
    return np.repeat(question_folds(answers, folds, rng)[:, None], 2, axis=1)


def _parts(fold: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(T,) masks of the answers to learn from, and of those of fold k."""
    return (fold != k).all(axis=1), (fold == k).all(axis=1)


def mean_by(unit: np.ndarray, weight: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(U, M) weighted means of values (S, M) over the choices of each unit with some weight."""
    total = np.bincount(unit, weight)
    there = total > 0
    return sums_by(unit, weight[:, None] * values, len(total))[there] / total[there, None]


def axes_apart(
    method: WeightedEuclidean, answers: Answers, who: np.ndarray, seed: int,
    progress: Progress = silent,
) -> np.ndarray:
    """(k,) degrees between the axes of random halves of the people: see `PeopleComparison`.

    who (T,): Person of each answer, from 0.
    """
    rng, number = np.random.default_rng(seed), int(who.max()) + 1
    if number < 2 * _OF_A_HALF:
        return np.zeros(0)
    halves = [rng.permutation(number) < number // 2 for _ in range(_DIVISIONS)]
    pieces = [(method, answers.take(first[who] == side))
              for first in halves for side in (True, False)]
    maps = list(results_of(_weighted_map, pieces, progress))
    return np.array([_between_axes(*maps[place : place + 2]) for place in range(0, len(maps), 2)])


def _weighted_map(
    method: WeightedEuclidean, answers: Answers, halt: CancelToken
) -> tuple[np.ndarray, np.ndarray]:
    """A map with its own axes, and which objects it places."""
    fitted = clone(method).without_test().fit(answers, progress=halt)
    return fitted.embedding_, fitted.placed_


def _between_axes(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]
) -> float:
    """Degrees between the axes of two maps of the same objects, the least alike pair of them."""
    both = one[1] & other[1]
    turn = np.abs(procrustes(one[0][both], other[0][both]).rotation)
    matched = turn[linear_sum_assignment(-turn)]
    return float(np.rad2deg(np.arccos(np.clip(matched.min(), 0.0, 1.0))))


def _fold(
    method: WeightedEuclidean, answers: Answers, fold: np.ndarray, k: int, models: list[str],
    halt: CancelToken,
) -> list[ChoiceScores]:
    """Predictions of a fold by some models; those of groups begin with that of precision."""
    rest, inside = _parts(fold, k)
    held = np.flatnonzero(inside)
    learned, others = answers.take(rest), answers.take(held)
    settings = {
        name: getattr(method, name)
        for name in ("n_components", "by", "response", "prior", "seed")
    }
    scores, precise = [], None
    for model in models:
        if model in (ONE, OWN):
            result = _unweighted(method, learned, others, model == OWN, halt)
        else:
            alike = model != WEIGHTS or method.alike
            fitted = precise or WeightedEuclidean(n_init=method.n_init, alike=alike, **settings)
            if precise is None:
                fitted = precise = fitted.without_test().fit(learned, progress=halt)
            if model not in (PRECISION, WEIGHTS):
                fitted = LatentClassMap(
                    n_groups=int(model.split()[0]), n_init=3, precise=True, **settings
                ).beginning_with(precise).fit(learned, progress=halt)
            result = fitted.judged(others)
        scores.append(result._replace(
            answer=held[result.answer], log_share=np.maximum(result.log_share, _FLOOR)
        ))
    return scores


def _unweighted(
    method: WeightedEuclidean, learned: Answers, others: Answers,
    individual: bool, halt: CancelToken,
) -> ChoiceScores:
    """Predictions of one map of all, or of a map of each person that starts there."""
    common = common_map(
        learned, method.response, method.n_components, method.prior, method.seed, halt
    ).embedding_
    choices = choices_by(others, np.zeros(len(others), np.int64))
    ones = np.ones((1, method.n_components))
    if not individual:
        return Likelihood(choices, method.response_loss).judged(common, ones)
    of_learned = learned.answers[method.by].astype("str").to_numpy()
    of_others = others.answers[method.by].astype("str").to_numpy()[choices.answer]
    training = choices_by(learned, np.zeros(len(learned), np.int64))
    log_share, right = np.empty(len(choices)), np.empty(len(choices))
    for person in np.unique(of_others):
        theirs = of_others == person
        x = _own_map(method, training.take(of_learned[training.answer] == person), common)
        judge = Likelihood(choices.take(theirs), method.response_loss)
        _, log_share[theirs], right[theirs] = judge.judged(x, ones)
    return ChoiceScores(choices.answer, log_share, right)


def _own_map(method: WeightedEuclidean, choices: Choices, start: np.ndarray) -> np.ndarray:
    """The map of one person's choices, from the map of all."""
    if not len(choices):
        return start
    objective = Objective(
        AnswerLayout.of_choices(choices), method.response_loss, start.shape[1], method.prior
    )
    result = minimise(objective, start.T.ravel(), max_iter=300)
    return result.x.reshape(start.shape[::-1]).T


def _by_person(
    judged: ChoiceScores, models: list[str], who: np.ndarray, people: np.ndarray,
    answers: Answers, fold: np.ndarray,
) -> PeopleComparison:
    """Means over the held-out choices of each person, with their weights.

    fold (T,): In which each answer was held out.
    """
    answer, log_share, right = judged
    person, weight, number = who[answer], answers.weight[answer], len(people)
    mean = partial(mean_by, person, weight)
    total = np.bincount(person, weight, number)
    there = total > 0
    gains = log_share - log_share[:, :1]
    place = np.cumsum(there) - 1
    difference = (gains - mean(gains)[place[person]]) ** 2 * weight[:, None]
    count = np.bincount(person, minlength=number)[there]
    error = np.sqrt(mean(difference) / np.maximum(count - 1, 1)[:, None])
    error[count < _FEWEST] = np.nan
    choices = choices_by(answers, who)
    choices = choices.take(np.isin(choices.answer, answer))
    guessed, by_guess = (
        np.bincount(choices.unit, each * choices.weight, number)[there] / total[there]
        for each in (choices.chance, np.log(choices.chance))
    )
    asked = answers.questions if answers.are_rated else answers.groups
    question = np.unique(asked[answer], return_inverse=True)[1]
    cell = different_pairs(question, person)[2]
    share = weight / total[person] / np.count_nonzero(there)
    shared = np.stack([
        shared_covariance(question, cell, share[:, None] * (each - share @ each))
        for each in (log_share, right)
    ])
    return PeopleComparison(
        people[there], count, np.array(models), mean(log_share), error, mean(right),
        guessed, shared,
        int(question.max(initial=-1)) + 1,
        (mean(log_share) - by_guess[:, None]) * total[there, None],
        _half_widths(right, weight, person, fold[answer], shared[1]),
        are_rated=answers.are_rated,
    )


def _half_widths(
    right: np.ndarray, weight: np.ndarray, person: np.ndarray, fold: np.ndarray, shared: np.ndarray
) -> np.ndarray:
    """(M,) half the width of the interval of the share that is right (S, M) of all choices.

    shared (M, M): Covariance of accuracies that comes of questions which people share.
    """
    errors = 1.0 - mean_by(fold, weight, right)
    weight, number = weight / weight.sum(), len(np.unique(person))
    moved = weight[:, None] * (right - weight @ right)
    return np.array([
        half_width_over_people(
            errors[:, m], 1.0 / (len(errors) - 1), np.bincount(person, one), number,
            max(float(shared[m, m]), 0.0),
        ) for m, one in enumerate(moved.T)
    ])
