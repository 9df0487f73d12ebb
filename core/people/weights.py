"""One map for all, whose axes every person weights: INDSCAL for choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import ortho_group

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Column, Number, Seed, Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.inference.held_out.score import question_folds
from tripletscope.core.inference.held_out.units import sampling_units
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.embedding.ordinal import Embedding, OrdinalEmbedding
from tripletscope.core.models.optimise.loss import Loss
from tripletscope.core.people.attention import p_of_attention
from tripletscope.core.people.floor import Floor, answers_needed
from tripletscope.core.people.shared import (
    PeopleVariance,
    Shared,
    SharedMap,
    WeightUncertainty,
    accuracy_of,
    likeliest,
    rough_accuracy_of,
    weights_of,
)
from tripletscope.core.people.weighted_axes import ChoiceScores, Likelihood, choices_by

#: First spread, and folds on which it is estimated again.
_FIRST, _FOLDS = 0.3, 3
#: Most coordinates or weights for intervals that take the map as uncertain.
_BIG = 4_000
#: Level of the test of attention, and degrees within which axes are certain.
_LEVEL, _FIRM = 0.05, 20.0
#: Starts of the map of all, and most choices on which its rotations are tried.
_STARTS, _MANY = 4, 20_000
_MAPS = {"ste": STE, "tste": TSTE, "ckl": CKL}

By = Annotated[str, Column(
    "People", "Column of the answers that names the participant, or a group of them, or a "
    "condition.", of="answers"
)]
Components = Annotated[
    int, Number(1, 10, "Dimensions", "Axes of the shared map that people weight differently.")
]
Prior = Annotated[
    float, Number(
        0.0, 10_000.0, "Prior", "Strength of the Gaussian prior on the coordinates.",
        advanced=True,
    )
]
Starts = Annotated[
    int, Number(
        1, 100, "Restarts", "Each start rotates the shared map differently; the likeliest fit is "
        "kept.", advanced=True,
    )
]
Response = Annotated[
    str, Choice(
        {"ste": "STE", "tste": "t-STE", "ckl": "CKL"}, "Response model",
        "Probability of an answer as a function of the distances. STE: exp(−d²), so weights "
        "stretch the axes exactly. t-STE and CKL are more tolerant of errors about distant "
        "objects.", advanced=True,
    )
]


def people_of(answers: Answers, by: str) -> tuple[np.ndarray, np.ndarray]:
    """(T,) number of the person of each answer, P if unknown; and (P,) their names."""
    column = answers.answers.get(by)
    names: np.ndarray = np.array([])
    if column is not None:
        text = column.astype("str")
        valid = column.notna() & (text != "") & (answers.weight > 0)
        who, names = pd.factorize(text.where(valid), sort=True)
    if len(names) < 2:
        raise DataError(
            f"column {by!r} of the answers names {len(names) or 'nobody'}", file=answers.name,
            remedy="Name the column of participants, or of groups or conditions: at least two.",
        )
    return np.where(who < 0, len(names), who), np.array(list(names), dtype=str)


def common_map(
    answers: Answers, response: str, n_components: int, prior: float, seed: int,
    progress: Progress = silent,
) -> OrdinalEmbedding:
    """The map of all answers, by the embedding of the response model."""
    return _MAPS[response](
        n_components=n_components, n_init=_STARTS, prior=prior, seed=seed
    ).fit(answers, progress=progress)


class PeopleMap(Embedding):
    """A map that people see in different ways; a column of the answers names the person.

    Attributes
    ----------
    people_ : ndarray of str, shape (P,)
    n_answers_ : ndarray of int, shape (P,)
    loss_ : float
    placed_ : ndarray of bool, shape (n,)
    n_iter_ : int
    converged_, stopped_ : bool
    triplet_error_ : float
    """

    #: Whether the map learns from answers of unknown people, too.
    learns_of_nobody: ClassVar[bool] = True

    def fit(
        self, triplets: Answers, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Find the map, and how people differ.

        Parameters
        ----------
        triplets : Triplets or Quadruples
            With the column `by`.
        y : None
            The answers say who chose what; further responses are refused.
        progress : Progress
            Snapshots are maps of shape (n, d); a stop keeps the last state.

        Raises
        ------
        DataError
            If there are no answers, or fewer than two people.
        ValueError
            If a parameter is outside its range.
        """
        answers = self._to_learn(triplets, y, sample_weight)
        who, self.people_ = people_of(answers, self.by)
        if not self.learns_of_nobody:
            answers, who = answers.take(who < len(self.people_)), who[who < len(self.people_)]
        common = common_map(
            answers, self.response, self.n_components, self.prior, self.seed,
            part(progress, 0.0, 0.15),
        )
        self.n_objects_, self.placed_ = answers.n_objects, common.placed_
        self.n_answers_ = np.bincount(who[answers.weight > 0], minlength=len(self.people_) + 1)[:-1]
        choices = choices_by(answers, who)
        with single_blas_thread():
            self._find(choices, answers, common, part(progress, 0.15, 1.0))
        self.stopped_ |= common.stopped_
        self.triplet_error_ = 1.0 - self.score(answers)
        progress(1.0)
        return self

    def _find(
        self, choices: Choices, answers: Answers, common: OrdinalEmbedding, progress: Progress
    ) -> None:
        """Set all other attributes, from choices by people and from the map of all answers."""
        raise NotImplementedError

    @property
    def response_loss(self) -> Loss:
        """Loss of the response model's embedding."""
        return _MAPS[self.response](n_components=self.n_components)._loss()

    def rows_of(self, triplets: Answers) -> np.ndarray:
        """(T,) number among `people_` of each answer's person; P for others."""
        self._require_fit()
        answers = as_answers(triplets)
        if self.by not in answers.answers:
            return np.full(len(answers), len(self.people_))
        result = pd.Index(self.people_).get_indexer(answers.answers[self.by].astype("str"))
        return np.where(result < 0, len(self.people_), result)


@register("individuals")
@dataclass(kw_only=True, eq=False, repr=False)
class WeightedEuclidean(PeopleMap):
    """Weighted Euclidean model: one map, and weights of its axes for every person.

    Person p sees d²(i, j) = Σₖ wₚₖ (xᵢₖ − xⱼₖ)². The log weights are normal about those of the
    group, with two standard deviations of the highest marginal likelihood on held-out answers: of
    the common part of a person's weights (consistency), and of the rest (attention). Weights from
    few answers therefore shrink towards the group. Their mean over people is 1 for every axis.

    Unlike other maps, this one may not be rotated: only with certain axes do people differ in
    weights alone. `axes_error_` says how certain these are; it is infinite if people weight all
    axes alike, and the map may then be rotated.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Shared map, centred, the axis of the largest variance first.
    weights_ : ndarray, shape (P, d)
    low_, high_ : ndarray, shape (P, d)
        95 % intervals of the weights, by Laplace's approximation of map and weights together; with
        more than 4,000 coordinates, or weights, as if the map were certain.
    log_covariance_ : ndarray, shape (P, d, d)
        Of the log weights.
    consistency_, attention_ : float
        Standard deviations of log weights between people.
    axes_error_ : float
        Standard deviation of the direction of the least certain axis, in degrees; infinite where
        `p_attention_` is 0.05 or more, and where the intervals take the map as certain.
    p_attention_ : float
        Of a score test for stretches along any axes, against people who differ in how precisely
        they answer and how often they guess; at least .001. NaN with one axis, and where all have
        the same weight.
    loss_ : float
        Minus the log of likelihood and priors.

    Notes
    -----
    In 100 simulated crowds each, with log weights that differ by 0.3 in both ways and 20 objects in
    the plane, of 12 people with 100 answers each and of 40 with 60: intervals contain 92 % of the
    true weights, and the axes are 6 and 3° off.
    In 40 crowds each the test finds attention in 88 and 92 %; where people attend alike, in 0 to
    8 %, also where a quarter guesses, or presses one side, all are asked the same questions, people
    lapse in 0 to 60 %, or the response is another one. That people differ says nothing of common
    axes: speak of these only where `compare_people` shows them.

    References
    ----------
    Carroll, J. D., & Chang, J.-J. (1970). Analysis of individual differences in multidimensional
    scaling via an N-way generalization of "Eckart-Young" decomposition. Psychometrika, 35,
    283-319. For dissimilarities; the likelihood here is that of choices.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> fitted = ts.people.WeightedEuclidean(n_components=2).fit(answers)
    >>> fitted.weights_.shape, fitted.axes_error_ < 10
    ((45, 2), True)
    """

    name: ClassVar[str] = "weighted_euclidean"
    title: ClassVar[str] = "Weighted Euclidean model"

    n_components: Components = 2
    by: By = "participant"
    alike: Annotated[
        bool, Switch(
            "Same weight on all axes", "People differ in how precisely they answer, not in "
            "what they attend to. The map may then be rotated freely.",
        )
    ] = False
    response: Response = "ste"
    n_init: Starts = 4
    prior: Prior = 0.1
    seed: Seed = 0

    #: Whether `p_attention_` is computed.
    _tests = True

    def without_test(self) -> Self:
        """Itself, to be fitted without `p_attention_`, which takes a quarter of the time."""
        self._tests = False
        return self

    def _find(
        self, choices: Choices, answers: Answers, common: OrdinalEmbedding, progress: Progress
    ) -> None:
        fold = question_folds(answers, _FOLDS, np.random.default_rng(self.seed))
        result = self._best(choices, fold[choices.answer], common, part(progress, 0.0, 0.9))
        self.stopped_, self.converged_ = result.optimum.stopped, result.optimum.converged
        self.p_attention_ = np.nan
        if self._tests and not (self.stopped_ or self.alike or self.n_components == 1):
            self._test_attention(result, choices, answers, part(progress, 0.9, 1.0))
        self._keep(result, choices)
        self.n_iter_, self.loss_ = result.optimum.n_iter, result.optimum.loss

    def _best(
        self, choices: Choices, fold: np.ndarray, common: OrdinalEmbedding, progress: Progress
    ) -> Shared:
        """The likeliest fit over some rotations of the shared map."""
        x, d = common.embedding_, self.n_components
        model = SharedMap(choices, fold, self.response_loss, self.prior)
        none = np.zeros((len(self.people_) + 1, d))
        first = PeopleVariance(_FIRST, 0.0 if self.alike else _FIRST)
        tried = choices.take(np.arange(0, len(choices), 1 + len(choices) // _MANY))
        few = Likelihood(tried, self.response_loss)
        rotations = [np.eye(d)] if self.alike else [np.eye(d), *self._rotations()]
        begun = []
        for number, turn in enumerate(rotations):
            shown = part(
                progress, show=lambda flat: flat[: x.size].reshape(x.shape),
                low=0.4 * number / len(rotations), high=0.4 * (number + 1) / len(rotations),
            )
            begun.append(likeliest(few, x @ turn, none, first, self.prior, progress=shown))
            if begun[-1].optimum.stopped:
                return begun[-1]
        best = min(begun, key=lambda one: one.optimum.loss)
        return model.fitted(best, attention=not self.alike, progress=part(progress, 0.4, 1.0))

    def _test_attention(
        self, found: Shared, choices: Choices, answers: Answers, progress: Progress
    ) -> None:
        """Set `p_attention_` by the likeliest map for people who differ in precision alone."""
        alike = np.repeat(found.logs.mean(axis=1, keepdims=True), self.n_components, axis=1)
        null = likeliest(
            Likelihood(choices, self.response_loss), found.x, alike,
            PeopleVariance(found.spread.consistency, 0.0), self.prior,
            progress=part(progress, 0.0, 0.0),
        )
        self.stopped_ = null.optimum.stopped
        if not self.stopped_:
            number = len(self.people_)
            self.p_attention_ = p_of_attention(
                choices.take(choices.unit < number), self.response_loss, null.x, number,
                ratings=sampling_units(answers, "answers").ratings, seed=self.seed,
                progress=progress,
            )

    def _rotations(self) -> list[np.ndarray]:
        if self.n_components == 1 or self.n_init == 1:
            return []
        if self.n_components == 2:
            angles = np.pi / 2 * np.arange(1, self.n_init) / self.n_init
            return [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in angles]
        rng = np.random.default_rng(self.seed)
        return [
            ortho_group.rvs(self.n_components, random_state=rng) for _ in range(self.n_init - 1)
        ]

    def _keep(self, result: Shared, choices: Choices) -> None:
        """Normalise, order the axes, and set weights and intervals."""
        logs = result.logs[:-1]
        means = weights_of(logs).mean(axis=0)
        x = result.x * np.sqrt(means)
        x = np.where(self.placed_[:, None], x - x[self.placed_].mean(axis=0), 0.0)
        order = np.argsort(-x.var(axis=0))
        self.embedding_ = np.ascontiguousarray(x[:, order])
        logs = (logs - np.log(means))[:, order]
        self.weights_ = weights_of(logs)
        self.consistency_, self.attention_ = result.spread.consistency, result.spread.attention
        accuracy = self._accuracy(Likelihood(choices, self.response_loss), result.spread)
        self.log_covariance_ = accuracy.covariance
        told_apart = self.n_components == 1 or self.p_attention_ < _LEVEL
        self.axes_error_ = accuracy.axes if told_apart else np.inf
        # Student's t, because the spread itself is estimated from the people.
        reach = stdtrit(len(self.people_) - 1, 0.975) * np.sqrt(
            np.einsum("pkk->pk", accuracy.covariance)
        )
        self.low_, self.high_ = np.exp(logs - reach), np.exp(logs + reach)

    @property
    def _rows(self) -> np.ndarray:
        """(P + 1, d) weights of all people, and those of the group."""
        return np.vstack([self.weights_, np.ones(self.n_components)])

    def _accuracy(self, likelihood: Likelihood, spread: PeopleVariance) -> WeightUncertainty:
        x, rows = self.embedding_, self._rows
        if max(x.size, rows[:-1].size) > _BIG:
            return rough_accuracy_of(spread, likelihood.curvature(x, rows)[:-1])
        of_positions, of_both, of_weights = likelihood.information(x, rows)
        placed = np.repeat(self.placed_, self.n_components)
        return accuracy_of(
            x[self.placed_], self.weights_, spread, self.prior,
            (of_positions[np.ix_(placed, placed)], of_both[:-1][:, :, placed], of_weights[:-1]),
        )

    @property
    def floor(self) -> Floor:
        """Whether each person gave enough answers for their weights."""
        d = self.n_components
        needed = answers_needed(int(self.placed_.sum()), d)
        return Floor(
            self.people_, self.n_answers_, np.full(len(self.people_), needed),
            "weights", d,
        )

    @property
    def axes_are_fixed(self) -> bool:
        """Whether the weighted axes are certain to within 20°, at 95 %.

        Whether people differ in attention at all is shown by held-out answers: see
        `compare_people`.
        """
        return 1.96 * self.axes_error_ < _FIRM

    def judged(self, triplets: Answers) -> ChoiceScores:
        """Predictions of each choice with its person's weights; for unknown people, the group's."""
        answers = as_answers(triplets)
        choices = choices_by(answers, self.rows_of(answers))
        return Likelihood(choices, self.response_loss).judged(self.embedding_, self._rows)

    def margins(self, triplets: Answers) -> np.ndarray:
        """(T,) distance to far minus distance to near, as each answer's person sees them.

        Unknown people see them as the group does.
        """
        answers = self._to_predict(triplets)
        w = self._rows[self.rows_of(answers)]
        i, j, k, m = (answers.rows[:, c] for c in ((0, 1, 0, 2) if answers.rows.shape[1] == 3
                                                 else (0, 1, 2, 3)))
        x = self.embedding_
        near, far = (
            np.sqrt(np.einsum("tk,tk->t", w, (x[a] - x[b]) ** 2)) for a, b in ((i, j), (k, m))
        )
        return far - near

    def map_of(self, person: str) -> np.ndarray:
        """(n, d) map with the axes as one person weights them.

        Raises
        ------
        ValueError
            If there is no such person.
        """
        self._require_fit()
        if person not in self.people_:
            raise ValueError(f"there is no {person!r} in column {self.by!r}")
        return self.embedding_ * np.sqrt(self.weights_[np.flatnonzero(self.people_ == person)[0]])
