"""Unnamed groups of people, from their answers by EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.cluster import KMeans as Lloyd

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.geometry import principal_axes
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Seed, Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, part
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective, margins
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.models.optimise.responses import choice_losses
from tripletscope.core.people.shared import PeopleVariance, likeliest, weights_of
from tripletscope.core.people.weighted_axes import ChoiceScores, Likelihood, choices_by, sums_by
from tripletscope.core.people.weights import (
    By,
    Components,
    PeopleMap,
    Prior,
    Response,
    WeightedEuclidean,
)

#: Iterations of EM: of every start, and of the best one.
_SHORT, _LONG = 10, 100
#: Iterations of each fit of the maps.
_STEPS = 15
#: Prior variance of log precision on the maps of groups.
_SPREAD = 0.25
#: EM has converged when the log-likelihood rises by less.
_RISE = 0.05
#: Membership in a start's group, and number of leading directions that it clusters.
_SURE, _DIRECTIONS = 0.9, 5
#: No membership.
_NOBODY = 1e-200
#: Prior of the log weights of groups.
_OF_GROUPS = PeopleVariance(1.0, 1.0)

Groups = Annotated[
    int, Number(1, 10, "Groups", "Number of groups. Held-out answers show how many improve "
                                 "prediction.")
]
Differ = Annotated[
    str, Choice(
        {"maps": "Maps", "weights": "Weights of one map"}, "Groups differ in",
        "Maps: each group has its own. Weights: all share a map, whose axes each group stretches.",
    )
]
Precise = Annotated[
    bool, Switch(
        "Precision of each person", "People answer their group's map more or less precisely. "
        "Without it, those who guess make a group of their own.", later=True,
    )
]


@dataclass
class _State:
    """Maps of the groups, their log weights and shares, and the memberships of people."""

    maps: np.ndarray
    logs: np.ndarray
    shares: np.ndarray
    member: np.ndarray
    likelihood: float = -np.inf
    converged: bool = False


class _Crowd(NamedTuple):
    """Choices of all people, and their layout."""

    choices: Choices
    layout: AnswerLayout


@register("individuals")
@dataclass(kw_only=True, eq=False, repr=False)
class LatentClassMap(PeopleMap):
    """Latent classes of people, each with a map or with weights of its own.

    The likelihood of all answers of a person is the mixture of those under the groups' maps. EM
    from several starts finds maps, shares and memberships.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        The map of all answers.
    maps_ : ndarray, shape (g, n, d)
        Of the groups, the largest first, rotated to the map of all. Their sizes depend on the
        consistency and number of answers.
    weights_ : ndarray, shape (g, d)
        Of the axes of one map, where groups differ in these; else ones.
    membership_ : ndarray, shape (P, g)
        Probability that each person belongs to each group.
    shares_ : ndarray, shape (g,)
        Of the people.
    precision_ : ndarray, shape (P,)
        By which the squared distances of each person's map are multiplied: that of the model of one
        map, or on the maps of groups if these are much likelier so, with mean 1; ones if `precise`
        is off.
    loss_ : float
        Minus the log-likelihood of all answers of known people.

    References
    ----------
    Winsberg, S., & De Soete, G. (1993). A latent class approach to fitting the weighted Euclidean
    model, CLASCAL. Psychometrika, 58, 315-330. For dissimilarities.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> fitted = ts.people.LatentClassMap(n_groups=2, n_init=2).fit(answers)
    >>> fitted.maps_.shape, fitted.membership_.shape
    ((2, 40, 2), (45, 2))
    """

    name: ClassVar[str] = "latent_class_map"
    title: ClassVar[str] = "Latent classes"
    learns_of_nobody: ClassVar[bool] = False

    n_components: Components = 2
    n_groups: Groups = 2
    differ: Differ = "maps"
    by: By = "participant"
    response: Response = "ste"
    n_init: Annotated[
        int, Number(
            1, 100, "Restarts", "Each start groups people differently; the likeliest fit is kept.",
            advanced=True,
        )
    ] = 6
    precise: Precise = False
    prior: Prior = 0.1
    seed: Seed = 0

    #: The model of one map for people of different precision, where it was fitted before.
    _one_map = None

    def beginning_with(self, one_map: WeightedEuclidean) -> Self:
        """Itself, to be fitted to the answers of a model of one map with the same settings."""
        self._one_map = one_map
        return self

    def _find(
        self, choices: Choices, answers: Answers, common: OrdinalEmbedding, progress: Progress
    ) -> None:
        self.embedding_, self.precision_ = common.embedding_, np.ones(len(self.people_))
        if self.precise:
            alike = self._one_map or WeightedEuclidean(
                n_components=self.n_components, by=self.by, alike=True, response=self.response,
                prior=self.prior, seed=self.seed,
            ).fit(answers, progress=part(progress, 0.0, 0.2))
            self.embedding_, self.precision_ = alike.embedding_, alike.weights_[:, 0]
            progress = part(progress, 0.2, 1.0)
        best = self._best(choices, part(progress, 0.0, 0.5))
        if self.precise and self.differ == "maps" and self.n_groups > 1 and not self.stopped_:
            best = self._likelier(best, choices, common.embedding_, part(progress, 0.5, 1.0))
        self._keep(best)

    def _likelier(
        self, first: _State, choices: Choices, common: np.ndarray, progress: Progress
    ) -> _State:
        """The same, or with precision on the maps of groups that were found without any.

        One map of all may be that of a group, on which the others seem to guess.
        """
        before = self.embedding_, self.precision_
        self.embedding_, self.precision_ = common, np.ones(len(self.people_))
        found = self._best(choices, part(progress, 0.0, 0.7))
        self.precision_ = self._precision_on(found, choices)
        crowd = _Crowd(choices, AnswerLayout.of_choices(choices))
        found = self._climb(crowd, found, _LONG, part(progress, 0.7, 1.0))
        if found.likelihood > first.likelihood + len(self.people_):  # a parameter of each
            return found
        self.embedding_, self.precision_ = before
        return first

    def _precision_on(self, state: _State, choices: Choices) -> np.ndarray:
        """(P,) likeliest precision of people on the maps of their groups, with mean 1."""
        judges = [Likelihood(_of_group(choices, state, g), self.response_loss)
                  for g in range(len(state.maps))]

        def objective(logs: np.ndarray) -> tuple[float, np.ndarray]:
            w = np.repeat(np.exp(logs)[:, None], self.n_components, axis=1)
            loss, slope = 0.5 * float(logs @ logs) / _SPREAD, logs / _SPREAD
            for judge, x in zip(judges, state.maps, strict=True):
                of_map, _, by_weights = judge(x, w)
                loss, slope = loss + of_map, slope + (by_weights * w).sum(axis=1)
            return loss, slope

        precision = np.exp(minimise(objective, np.zeros(len(state.member)), max_iter=_LONG).x)
        return precision / precision.mean()

    def _best(self, choices: Choices, progress: Progress) -> _State:
        self.stopped_, self.n_iter_ = False, 0
        crowd = _Crowd(choices, AnswerLayout.of_choices(choices))
        if self.n_groups == 1:
            state = self._begun(crowd, np.ones((len(self.people_), 1)))
            return self._climb(crowd, state, _LONG, progress)
        starts = self._starts(choices)
        result = []
        for number, member in enumerate(starts):
            share = part(progress, 0.7 * number / len(starts), 0.7 * (number + 1) / len(starts))
            result.append(self._climb(crowd, self._begun(crowd, member), _SHORT, share))
            if self.stopped_:
                break
        best = max(result, key=lambda state: state.likelihood)
        if self.stopped_:
            return best
        return self._climb(crowd, best, _LONG, part(progress, 0.7, 1.0))

    def _starts(self, choices: Choices) -> list[np.ndarray]:
        """Initial memberships: clusters of how each person would change the common map."""
        people, groups = len(self.people_), self.n_groups
        rng = np.random.default_rng(self.seed)
        pulls = self._pulls(choices)
        values, scale, _ = np.linalg.svd(pulls - pulls.mean(axis=0), full_matrices=False)
        directions = (values * scale)[:, :_DIRECTIONS]
        starts = []
        for number in range(self.n_init):
            if number % 3 == 2 or people < groups:
                result = rng.integers(groups, size=people)
            else:
                width = max(_DIRECTIONS - 2 * number, 1)
                result = Lloyd(groups, n_init=3, random_state=self.seed + number).fit_predict(
                    directions[:, :width]
                )
            member = np.full((people, groups), (1.0 - _SURE) / max(groups - 1, 1))
            member[np.arange(people), result] = _SURE
            starts.append(member)
        return starts

    def _pulls(self, choices: Choices) -> np.ndarray:
        """(P, n d) gradient of each person's loss by the common map, by the root of the choices."""
        x, people = self.embedding_, len(self.people_)
        one, other = choices.pairs.T
        scale = self.precision_[choices.unit[choices.stage]]
        likeness, bend = self.response_loss.similarities(
            scale * np.sum((x[one] - x[other]) ** 2, axis=1)
        )
        slope = choices.weight[choices.stage] * choice_losses(choices, likeness)[1] * bend * scale
        person, size = choices.unit[choices.stage] * len(x), people * len(x)
        pulls = np.stack([
            np.bincount(person + one, step, size) - np.bincount(person + other, step, size)
            for step in (2.0 * slope * (x[one] - x[other]).T)
        ], axis=1)
        number = np.bincount(choices.unit, minlength=people)
        return pulls.reshape(people, -1) / np.sqrt(np.maximum(number, 1))[:, None]

    def _begun(self, crowd: _Crowd, member: np.ndarray) -> _State:
        groups = member.shape[1]
        state = _State(
            np.repeat(self.embedding_[None], groups, axis=0),
            np.zeros((groups, self.n_components)), member.mean(axis=0), member,
        )
        return self._raised(crowd, state, 2 * _STEPS)

    def _climb(self, crowd: _Crowd, state: _State, most: int, progress: Progress) -> _State:
        """EM for some iterations, or until the likelihood stays."""
        for number in range(most):
            before = state.likelihood
            state.member, state.likelihood = self._members(crowd.choices, state)
            self.n_iter_ += 1
            state.converged = state.likelihood - before < _RISE
            if progress(number / most, loss=-state.likelihood, snapshot=state.maps[0]):
                self.stopped_ = True
            if state.converged or self.stopped_:
                break
            state.shares = state.member.mean(axis=0)
            state = self._raised(crowd, state, _STEPS)
        return state

    def _of_groups(self, choices: Choices, state: _State) -> np.ndarray:
        """(S, g) log probability of every choice under every group."""
        judge = Likelihood(choices, self.response_loss).judged
        return np.stack([
            judge(x, self.precision_[:, None] * weights_of(logs)).log_share
            for x, logs in zip(state.maps, state.logs, strict=True)
        ], axis=1)

    def _members(self, choices: Choices, state: _State) -> tuple[np.ndarray, float]:
        """Memberships, and the log-likelihood with the prior of the maps."""
        each = self._of_groups(choices, state) * choices.weight[:, None]
        of_people = sums_by(choices.unit, each, len(self.people_))
        of_people += np.log(np.maximum(state.shares, 1e-12))
        maps = state.maps if self.differ == "maps" else state.maps[:1]
        prior = 0.5 * self.prior * np.sum(maps**2) + 0.5 * np.sum(state.logs**2)
        return softmax(of_people, axis=1), float(logsumexp(of_people, axis=1).sum() - prior)

    def _raised(self, crowd: _Crowd, state: _State, steps: int) -> _State:
        """Maps or weights that are likelier, given the memberships."""
        choices, shape = crowd.choices, self.embedding_.shape
        if self.differ == "maps" and self.precise:
            for g, x in enumerate(state.maps):
                state.maps[g] = self._of_precision(_of_group(choices, state, g), x, steps)
            return state
        if self.differ == "maps":
            loss, who = self.response_loss, crowd.layout.unit
            for g, x in enumerate(state.maps):
                of_group = crowd.layout.reweighted(crowd.layout.weight * state.member[who, g])
                objective = Objective(of_group, loss, shape[1], self.prior)
                result = minimise(objective, x.T.ravel(), max_iter=steps)
                state.maps[g] = result.x.reshape(shape[::-1]).T
            return state
        groups, number = state.member.shape[1], len(choices)
        precision, unit = np.ones(1), np.zeros(number, np.int64)
        if self.precise:
            precision, unit = self.precision_, choices.unit
        who = np.tile(unit, groups) + len(precision) * np.repeat(np.arange(groups), number)
        every = Likelihood(
            choices.take(np.tile(np.arange(number), groups)).of_units(who).reweighted(
                np.tile(choices.weight, groups) * state.member[choices.unit].T.ravel()
            ), self.response_loss,
        )

        def joint(x: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            """Loss and gradients by positions and by weights (g, d) of the groups."""
            of_people = w[:, None, :] * precision[:, None]
            loss, by_places, by_weights = every(x, of_people.reshape(-1, w.shape[1]))
            by_weights = by_weights.reshape(of_people.shape) * precision[:, None]
            return loss, by_places, by_weights.sum(axis=1)

        result = likeliest(
            joint, state.maps[0], state.logs, _OF_GROUPS, self.prior, max_iter=2 * steps, tol=1e-9
        )
        state.maps[:], state.logs = result.x, result.logs
        return state

    def _of_precision(self, choices: Choices, x: np.ndarray, steps: int) -> np.ndarray:
        """A likelier map of choices by people of different precision, from (n, d) on."""
        likelihood = Likelihood(choices, self.response_loss)
        weights = np.repeat(self.precision_[:, None], x.shape[1], axis=1)

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            places = flat.reshape(x.shape)
            loss, slope, _ = likelihood(places, weights)
            loss += 0.5 * self.prior * float(np.sum(places**2))
            return loss, (slope + self.prior * places).ravel()

        return minimise(objective, x.ravel(), max_iter=steps).x.reshape(x.shape).copy()

    def _keep(self, result: _State) -> None:
        order = np.argsort(-result.member.sum(axis=0), kind="stable")
        self.membership_, self.shares_ = result.member[:, order], result.shares[order]
        maps, weights = result.maps[order], weights_of(result.logs[order])
        middle = self.shares_ @ weights
        weights /= middle
        self.weights_ = weights
        self.maps_ = np.zeros_like(maps)
        for g, x in enumerate(maps):
            x = x[self.placed_] - x[self.placed_].mean(axis=0)
            if self.differ == "weights":
                x *= np.sqrt(middle * weights[g])
            else:
                x = _rotated(x, self.embedding_[self.placed_])
            self.maps_[g, self.placed_] = x
        if self.differ == "weights":
            self.embedding_ = self.maps_[0] / np.sqrt(weights[0])
        elif self.n_groups == 1:
            self.maps_[0, self.placed_] = principal_axes(self.maps_[0, self.placed_])
        self.loss_, self.converged_ = -result.likelihood, result.converged

    @property
    def group_(self) -> np.ndarray:
        """(P,) the likeliest group of each person."""
        self._require_fit()
        return self.membership_.argmax(axis=1)

    def _member_of(self, answers: Answers) -> np.ndarray:
        """(T, g) membership of each answer's person; for unknown people, the groups' shares."""
        return np.vstack([self.membership_, self.shares_])[self.rows_of(answers)]

    def judged(self, triplets: Answers) -> ChoiceScores:
        """Predictions of each choice, by the memberships of its person."""
        self._require_fit()
        answers = as_answers(triplets)
        choices = choices_by(answers, self.rows_of(answers))
        member = self._member_of(answers)[choices.answer]
        likelihood = Likelihood(choices, self.response_loss)
        scale = np.repeat(np.append(self.precision_, 1.0)[:, None], self.n_components, axis=1)
        each = [likelihood.judged(x, scale) for x in self.maps_]
        # Quotients of smaller numbers would leave the range of floats.
        member = np.where(member < _NOBODY, 0.0, member)
        log_share = logsumexp(np.stack([e.log_share for e in each], axis=1), b=member, axis=1)
        # The likeliest choice under the mixture is that of the majority of its maps.
        right = np.sum(np.stack([e.right for e in each], axis=1) * member, axis=1)
        return ChoiceScores(choices.answer, log_share, 0.5 + np.sign(right - 0.5) / 2)

    def margins(self, triplets: Answers) -> np.ndarray:
        """(T,) distance to far minus distance to near, averaged over each person's memberships."""
        answers = self._to_predict(triplets)
        each = np.stack([margins(x, answers.rows) for x in self.maps_], axis=1)
        return np.sum(each * self._member_of(answers), axis=1)


def _of_group(choices: Choices, state: _State, g: int) -> Choices:
    """All choices, with the weights that they have in a group."""
    return choices.reweighted(choices.weight * state.member[choices.unit, g])


def _rotated(x: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Centred positions rotated or reflected to others, not resized."""
    u, _, v = np.linalg.svd(x.T @ (reference - reference.mean(axis=0)))
    return x @ (u @ v)
