"""From features to dissimilarities that predict choices: sums, weights and linear transforms.

Dissimilarities are log-odds: the likelihood of a choice is that of its different pairs. Each
model is nested in the next: dissimilarities times one scale, weights of the dimensions, and
a linear transform before squared distances or products. A penalty pulls parameters towards the
former model; its strength is the expected standard deviation of weights, as a share of their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import PCA, TruncatedSVD

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.data.triplets import Answers
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.optimise.minimise import NOT_NEGATIVE, minimise
from tripletscope.core.models.optimise.responses import choice_losses, hits

#: Larger weights of standardised parts mean choices without error.
_MOST = 1e4
#: Fall of the mean loss that ends a fit of weights of dissimilarities.
_FALL = 1e-9
#: Most columns whose weights are learned one by one, or else principal components.
MOST_WEIGHTS = 500
#: The end of fits of dimensions.
_ENOUGH = {"max_iter": 100, "tol": 1e-6}
#: Most objects from which principal components are computed.
_MOST_OBJECTS = 10_000
#: Pairs compared at a time: tables of many columns are large.
_PAIRS = 4096
#: Up to this many objects a full matrix of pairs is quicker than a sparse one.
_FEW_OBJECTS = 400

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


def choices_about(answers: Answers, usable: np.ndarray, *, as_asked: bool = True) -> Choices:
    """The choices with a weight above 0 among `usable` objects, bool (n,).

    `as_asked` keeps an odd one out as one choice of three; otherwise every answer is one of two.
    """
    choices = answers.choices if as_asked else choices_of(
        answers.rows, None, answers.weight, answers.n_objects
    )
    return choices.take(choices.among(usable) & (choices.weight > 0))


def log_likelihood(choices: Choices, dissimilarity: np.ndarray) -> np.ndarray:
    """(S,) log-probability of each choice, from dissimilarities (u,) of the different pairs."""
    return -choice_losses(choices, -dissimilarity[choices.place])[0]


def right(choices: Choices, dissimilarity: np.ndarray) -> np.ndarray:
    """(S,) 1 or 0 as dissimilarities (u,) predict a choice, or the chance level of a tie."""
    return hits(choices, -dissimilarity[choices.place])


def mean_loss(choices: Choices, dissimilarity: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean negative log-likelihood, and its derivative (u,) by dissimilarities (u,)."""
    loss, slope = choice_losses(choices, -dissimilarity[choices.place])
    share = choices.weight / choices.weight.sum()
    gradient = np.bincount(choices.place, -slope * share[choices.stage], len(choices.distinct))
    return float(share @ loss), gradient


def chance(choices: Choices) -> float:
    """Accuracy of guessing."""
    return float(np.average(choices.chance, weights=choices.weight))


def guessing(choices: Choices) -> float:
    """Mean log-likelihood of guessing."""
    return float(np.average(np.log(choices.chance), weights=choices.weight))


def combine(choices: Choices, parts: np.ndarray) -> np.ndarray:
    """(k,) weights, 0 or more, of the sum of dissimilarities (u, k) with the highest likelihood."""
    spread = parts.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    scaled = (parts - parts.mean(axis=0)) / scale

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, pull = mean_loss(choices, scaled @ weights)
        return value, pull @ scaled

    bounds = 0.0, np.where(spread > 0, _MOST, 0.0)
    result = minimise(loss, np.where(spread > 0, 0.1, 0.0), bounds=bounds, tol=_FALL)
    return result.x / scale


class ScaledDistances:
    """Dissimilarities as they are, times one scale, 0 or more, that makes them log-odds."""

    #: Strengths that are tried.
    strengths: ClassVar[tuple[float, ...]] = (0.0,)

    def __init__(self, space: FeatureSpace, objects: np.ndarray, components: int) -> None:
        self._space = space

    @staticmethod
    def fits(space: FeatureSpace) -> bool:
        """Whether the model can be learned of such a space."""
        return True

    def path(self, choices: Choices, strengths: Sequence[float]) -> Iterator[np.ndarray]:
        """Parameters learned from choices with each strength, one after the other."""
        yield combine(choices, self._space.apart(choices.distinct)[:, None])

    def log_odds(self, learned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(u,) dissimilarities of pairs (u, 2), as log-odds."""
        return learned[0] * self._space.apart(pairs)

    def ranks(self, learned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(u,) the basis of accuracy: equal to `apart`, but for a scale of 0."""
        return self._space.apart(pairs)


class _Learned:
    """The common part of models that learn dimensions."""

    strengths: ClassVar[tuple[float, ...]]

    def __init__(self, space: FeatureSpace, objects: np.ndarray, components: int) -> None:
        self._space, self._x, self._rest = space, space.coordinates, None
        self._part = 0.5 if space.metric in ("cosine", "correlation") else 1.0
        self._of_products = space.metric == "product"
        most = self._most(components)
        if self._x.shape[1] > most:
            # Distances beyond the components stay as they are. The penalties do not depend on
            # rotation, so a transform loses nothing else.
            every = -(-len(objects) // _MOST_OBJECTS)
            most = min(most, len(objects) - 1)
            if self._of_products:  # which depend on where 0 is
                few = TruncatedSVD(most, random_state=0)
            else:
                solver = "randomized" if every == 1 else "covariance_eigh"
                few = PCA(most, svd_solver=solver, random_state=0)
            self._x = few.fit(self._x[objects[::every]]).transform(self._x)
            self._rest = True

    def _most(self, components: int) -> int:
        raise NotImplementedError

    def ranks(self, learned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return self.log_odds(learned, pairs)

    def _left(self, pairs: np.ndarray, within: np.ndarray) -> np.ndarray | float:
        """(u,) the part of dissimilarities beyond those `within` the components."""
        if self._rest is None:
            return 0.0
        left = self._space.apart(pairs) - self._part * within
        return left if self._of_products else np.maximum(left, 0.0)

    def _of_each(self, x: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(u, m) squared differences of coordinates, or their products with the sign changed."""
        one, other = x[pairs[:, 0]], x[pairs[:, 1]]
        return -one * other if self._of_products else np.square(one - other)

    def _scale(self, choices: Choices) -> float:
        difference = self._space.apart(choices.distinct)
        scale = combine(choices, difference[:, None])[0]
        # Features that predict worse than guessing begin with a small scale.
        return max(scale, 0.1 / (difference.std() or 1.0))


class WeightedDimensions(_Learned):
    """A weight of 0 or more for each dimension; the penalty pulls them towards their mean."""

    strengths = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)

    @staticmethod
    def fits(space: FeatureSpace) -> bool:
        return space.values is not None and space.n_features > 1

    def _most(self, components: int) -> int:
        # Absolute differences have no principal components.
        return self._x.shape[1] if self._space.metric == "cityblock" else MOST_WEIGHTS

    def _parts(self, pairs: np.ndarray) -> np.ndarray:
        """(u, m) the part of each dimension, and last that beyond the components."""
        if self._rest is None:
            return self._space.parts(pairs, np.float32)
        m = self._x.shape[1]
        result = np.empty((len(pairs), m + 1), np.float32)
        for begin in range(0, len(pairs), _PAIRS):
            block, rows = pairs[begin : begin + _PAIRS], slice(begin, begin + _PAIRS)
            parts = self._of_each(self._x.astype(np.float32, copy=False), block)
            result[rows, :m] = self._part * parts
            result[rows, m] = self._left(block, parts.sum(axis=1, dtype=float))
        return result

    def path(self, choices: Choices, strengths: Sequence[float]) -> Iterator[np.ndarray]:
        """(m,) weights with each strength."""
        scale = self._scale(choices)
        parts = self._parts(choices.distinct)
        parts = np.multiply(parts, np.float32(scale), out=parts)
        weights = np.ones(parts.shape[1])
        for strength in strengths:
            weights = minimise(
                _weights_loss(choices, parts, strength), weights, bounds=NOT_NEGATIVE, **_ENOUGH
            ).x
            yield scale * weights

    def log_odds(self, learned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return (self._parts(pairs) @ learned.astype(np.float32)).astype(float)


def _weights_loss(choices: Choices, parts: np.ndarray, strength: float) -> Objective:
    penalty = 0.5 / (choices.weight.sum() * strength**2)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, pull = mean_loss(choices, (parts @ weights.astype(np.float32)).astype(float))
        difference = weights - weights.mean()
        gradient = (pull.astype(np.float32) @ parts).astype(float) + 2 * penalty * difference
        return value + penalty * float(difference @ difference), gradient

    return loss


class LinearTransform(_Learned):
    """A matrix W by which features are transformed; the penalty pulls it to a multiple of I."""

    strengths = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

    @staticmethod
    def fits(space: FeatureSpace) -> bool:
        return WeightedDimensions.fits(space) and space.metric != "cityblock"

    def _most(self, components: int) -> int:
        return components

    def path(self, choices: Choices, strengths: Sequence[float]) -> Iterator[np.ndarray]:
        """(p, p) transforms with each strength."""
        root = np.sqrt(self._scale(choices) * self._part)
        x, p = self._x * root, self._x.shape[1]
        left = self._left(choices.distinct, self._within(self._x, choices.distinct))
        left = left * (root**2 / self._part)
        matrix = np.eye(p)
        for strength in strengths:
            loss = _transform_loss(choices, x, left, strength, of_products=self._of_products)
            matrix = minimise(loss, matrix.ravel(), **_ENOUGH).x.reshape(p, p)
            yield root * matrix

    def log_odds(self, learned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        scale = (np.trace(learned) / len(learned)) ** 2 / self._part
        left = self._left(pairs, self._within(self._x, pairs))
        return self._within(self._x @ learned.T, pairs) + scale * left

    def _within(self, x: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return _products(x, pairs) if self._of_products else _squares(x, pairs)


def _squares(x: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(u,) squared distances of pairs (u, 2)."""
    difference = x[pairs[:, 0]] - x[pairs[:, 1]]
    return np.einsum("um,um->u", difference, difference)


def _products(x: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(u,) inner products of pairs (u, 2), with the sign changed."""
    return -np.einsum("um,um->u", x[pairs[:, 0]], x[pairs[:, 1]])


def _transform_loss(
    choices: Choices, x: np.ndarray, left: np.ndarray | float, strength: float, *,
    of_products: bool = False,
) -> Objective:
    penalty = 0.5 / (choices.weight.sum() * strength**2)
    n, p = x.shape
    i, j = choices.distinct.T

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        matrix = flat.reshape(p, p)
        z = x @ matrix.T
        size = np.trace(matrix) / p
        within = _products(z, choices.distinct) if of_products else _squares(z, choices.distinct)
        value, pull = mean_loss(choices, within + size**2 * left)
        moved = laplacian(pull, i, j, n) @ z
        if of_products:  # the Laplacian without its diagonal
            degree = np.bincount(i, pull, n) + np.bincount(j, pull, n)
            gradient = (moved - degree[:, None] * z).T @ x
        else:
            gradient = 2 * moved.T @ x
        difference = matrix - size * np.eye(p)
        gradient += 2 * penalty * difference
        gradient[np.diag_indices(p)] += 2 * size / p * float(np.sum(pull * left))
        return value + penalty * float(np.sum(difference**2)), gradient.ravel()

    return loss


def laplacian(pull: np.ndarray, i: np.ndarray, j: np.ndarray, n: int) -> np.ndarray | csr_array:
    """(n, n) matrix L with x'Lx the sum over pairs of pull times squared difference."""
    degree = np.bincount(i, pull, n) + np.bincount(j, pull, n)
    if n <= _FEW_OBJECTS:
        result = -np.bincount(i * n + j, pull, n * n).reshape(n, n)
        result += result.T
        result[np.diag_indices(n)] += degree
        return result
    diagonal = np.arange(n)
    return csr_array(
        (
            np.concatenate([degree, -pull, -pull]),
            (np.concatenate([diagonal, i, j]), np.concatenate([diagonal, j, i])),
        ),
        shape=(n, n),
    )


#: Models of a feature space.
MODELS = {"raw": ScaledDistances, "weighted": WeightedDimensions, "linear": LinearTransform}
