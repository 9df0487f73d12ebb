"""Whether people attend to different things, whatever the precision of their answers.

A person who attends to other things sees the common map stretched along some axes. Of each
person's answers we take the slope of the log-likelihood by such stretches, less what is due to
their precision and to guesses. Only its spread between people is attention.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import helmert

from tripletscope.core.data.choices import Choices
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.optimise.loss import Loss
from tripletscope.core.models.optimise.responses import shares
from tripletscope.core.people.weighted_axes import sums_by

#: Factors of squared distances, and shares of guesses, that a person may have. Some guesses are
#: always possible, so that no single answer weighs without bound.
_PRECISIONS = np.exp(np.linspace(-4.0, 2.0, 25))
_LAPSES = np.array([0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 0.95])
#: Variance of log weights at which the test has its power.
_VARIANCE = 0.1
_DRAWS = 999
#: Choices, and drawn slopes, at a time.
_BLOCK, _DRAWN = 100_000, 2_000_000


@dataclass
class Slopes:
    """Slopes of the log-likelihood of people's choices, at their likeliest precision and lapses.

    Of `number` people by q stretches of a map, its precision and lapses: sums (P, q + 2), their
    expected information and their empirical covariance (P, q + 2, q + 2).

    ratings (T, 2) or None: Numbers of the two ratings that each answer compares: comparisons that
        share one are not independent.
    """

    choices: Choices
    loss: Loss
    x: np.ndarray
    number: int
    ratings: np.ndarray | None = None
    total: np.ndarray = field(init=False)
    information: np.ndarray = field(init=False)
    covariance: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        precision, lapses = self._responses()
        size = self.n_stretches + 2
        self.total = np.zeros((self.number, size))
        self.information, self.covariance = np.zeros((2, self.number, size, size))
        # Of a comparison of two ratings, the covariance of either counts it, so once too often.
        sign = 1.0 if self.ratings is None else -1.0
        cells = None if self.ratings is None else np.zeros((int(self.ratings.max()) + 1, size))
        of = np.zeros(0 if cells is None else len(cells), dtype=np.int64)
        for part in self._parts():
            slopes, information = self._of(part, precision, lapses)
            self.total += sums_by(part.unit, slopes, self.number)
            self.information += information
            self.covariance += sign * self._squares(part.unit, slopes)
            if cells is not None:
                for rating in self.ratings[part.answer].T:
                    cells += sums_by(rating, slopes, len(cells))
                    of[rating] = part.unit
        if cells is not None:
            self.covariance += self._squares(of, cells)

    @property
    def n_stretches(self) -> int:
        """Number q of stretches in d dimensions that leave the size as it is."""
        d = self.x.shape[1]
        return d * (d + 1) // 2 - 1

    def beside_response(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums (P, q), information and covariance (P, q, q) of stretches, less the response's."""
        q = self.n_stretches
        of_response = self.information[:, q:, q:] + 1e-9 * np.eye(2)
        lean = np.linalg.solve(of_response, self.information[:, q:, :q])
        kept = np.concatenate([np.broadcast_to(np.eye(q), (self.number, q, q)), -lean], axis=1)
        total = np.einsum("pr,prk->pk", self.total, kept)
        return total, *(
            np.einsum("prk,prs,psl->pkl", kept, each, kept)
            for each in (self.information, self.covariance)
        )

    def _parts(self) -> Iterator[Choices]:
        for low in range(0, len(self.choices), _BLOCK):
            yield self.choices.take(np.arange(low, min(low + _BLOCK, len(self.choices))))

    def _squares(self, unit: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """(P, r, r) sums of the squares and products of slopes (S, r)."""
        return np.stack(
            [sums_by(unit, slopes * one[:, None], self.number) for one in slopes.T], axis=1
        )

    def _responses(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) likeliest precision and share of guesses of each person."""
        likely = np.zeros((len(_PRECISIONS), len(_LAPSES), self.number))
        for part in self._parts():
            i, j = part.pairs.T
            squares = np.sum((self.x[i] - self.x[j]) ** 2, axis=1)
            guess = 1.0 / part.n_shown
            for k, precision in enumerate(_PRECISIONS):
                similarity, _ = self.loss.similarities(precision * squares)
                share = shares(part, similarity)[part.bounds[:-1]]
                for m, lapses in enumerate(_LAPSES):
                    logs = part.weight * np.log((1.0 - lapses) * share + lapses * guess)
                    likely[k, m] += np.bincount(part.unit, logs, self.number)
        best = likely.reshape(-1, self.number).argmax(axis=0)
        return _PRECISIONS[best // len(_LAPSES)], _LAPSES[best % len(_LAPSES)]

    def _of(
        self, part: Choices, precision: np.ndarray, lapses: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Slopes (S, q + 2) of choices, and their expected information (P, q + 2, q + 2)."""
        who, guess = part.unit[part.stage], 1.0 / part.n_shown[part.stage]
        lapse, weight = lapses[who], part.weight[part.stage]
        i, j = part.pairs.T
        difference = self.x[i] - self.x[j]
        squares = np.sum(difference**2, axis=1)
        similarity, slope = self.loss.similarities(precision[who] * squares)
        share = shares(part, similarity)
        by = np.column_stack([_stretches(difference), squares])
        by *= (part.sign[part.stage] * slope * precision[who])[:, None]
        by -= sums_by(part.stage, share[:, None] * by, len(part))[part.stage]
        mixed = (1.0 - lapse) * share + lapse * guess
        by *= ((1.0 - lapse) * share / mixed)[:, None]
        by = np.column_stack([by, (guess - share) / mixed])
        information = self._squares(who, np.sqrt(weight * mixed)[:, None] * by)
        return part.weight[:, None] * by[part.bounds[:-1]], information


def _stretches(difference: np.ndarray) -> np.ndarray:
    """(E, q) change of squared distances by stretches along all directions, without the size."""
    d = difference.shape[1]
    turned = [
        np.sqrt(2.0) * difference[:, k] * difference[:, m] for k in range(d) for m in range(k)
    ]
    return np.column_stack([*turned, difference**2 @ helmert(d).T])


def p_of_attention(
    choices: Choices, loss: Loss, x: np.ndarray, number: int, *,
    ratings: np.ndarray | None = None, seed: int = 0, progress: Progress = silent,
) -> float:
    """Level at which people are seen to differ in attention, whatever their precision and lapses.

    choices: By the units 0 to `number` - 1, the people; with one chosen pair each.
    x (n, d): The likeliest map for people who differ in precision alone.
    ratings (T, 2) or None: Of each answer of the data; see `Slopes`.
    progress: NaN if it stops the test.

    Notes
    -----
    A score test of the variance of log weights between people, for stretches along any axes: the
    axes are not chosen before. The statistic is the largest sum of variances along as many
    directions as there are weights beside precision. Its distribution is that of normal slopes with
    the covariance of each person's answers, so that the response model need not be right; what is
    common to all, such as errors about questions that all are asked, is removed.

    References
    ----------
    Lin, X. (1997). Variance component testing in generalised linear models with random effects.
    Biometrika, 84, 309-326.
    """
    found = Slopes(choices, loss, x, number, ratings)
    total, information, covariance = found.beside_response()
    q, d = found.n_stretches, x.shape[1]
    # People whose answers say much count less than by the square of their information.
    values, vectors = np.linalg.eigh(information)
    shrunk = vectors / np.sqrt(1.0 + _VARIANCE * np.clip(values, 0.0, None))[:, None, :]
    shrunk = shrunk @ vectors.transpose(0, 2, 1)
    of_all = np.linalg.pinv(information.sum(axis=0))
    values, vectors = np.linalg.eigh((shrunk @ information @ shrunk).sum(axis=0))
    even = shrunk @ (vectors / np.sqrt(np.maximum(values, 1e-9 * values[-1])))
    expected = np.einsum("pka,pkl,plb->ab", even, covariance, even)

    lean = information @ of_all

    def spread(slopes: np.ndarray) -> np.ndarray:
        """Of slopes (..., P, q)."""
        common = np.einsum("pkm,...m->...pk", lean, slopes.sum(axis=-2))
        own = np.einsum("...pk,pka->...pa", slopes - common, even)
        return np.linalg.eigvalsh(
            np.einsum("...pa,...pb->...ab", own, own) - expected
        )[..., 1 - d :].sum(axis=-1)

    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None, :]
    rng, reached, size = np.random.default_rng(seed), 0, max(1, _DRAWN // (number * q))
    least = spread(total)
    for low in range(0, _DRAWS, size):
        if progress(low / _DRAWS):
            return np.nan
        drawn = rng.standard_normal((min(size, _DRAWS - low), number, q))
        reached += int(np.sum(spread(np.einsum("pkl,bpl->bpk", root, drawn)) >= least))
    return (1 + reached) / (1 + _DRAWS)
