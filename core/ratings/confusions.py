"""Confusion matrices: how often a stimulus was taken for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.ratings.dissimilarities import (
    MOST_ANSWERS,
    Dissimilarities,
    RatedDissimilarities,
    counts_of,
    named_objects,
    named_raters,
    refuse_few,
    resampled,
    square_matrices,
    squares,
)

#: Fewest errors per object for comparisons.
_FEWEST = 1.0
#: Rounds in which expected errors are fitted to how often each is shown, and answered.
_FITTED = 50
#: Fewest responses of which percents are told, by how much these are rounded, and their sums.
_FEWEST_TRIALS, _ROUNDED, _NEARLY = 5, 0.5001, 3.0
#: Of the test that pairs are confused otherwise: its level is low, as people in one table differ.
_LEVEL, _SIMULATED = 0.01, 199


class Confusions(RatedDissimilarities):
    """Responses to stimuli that name the recognised stimulus.

    By the biased choice model the similarity of two stimuli is the geometric mean of how often each
    is taken for the other, relative to being recognised, sqrt(p_ij p_ji / (p_ii p_jj)), which is
    free of biases towards some responses. The dissimilarity is minus its logarithm, and zero if
    they are confused as often as recognised.

    Parameters
    ----------
    table : DataFrame
        Columns ``stimulus``, ``response`` and ``count``; ``participant`` for several people.
    addition : float
        Added to every count, as pairs without confusions would be infinitely distant.

    Raises
    ------
    DataError
        If a count is no whole number from 0 up, there are fewer than three objects, or one of
        them was never shown.

    Notes
    -----
    With several participants, their counts are added, and errors are over participants. Otherwise
    errors are over trials, by the delta method, and resample log counts with these errors.

    A wrong response is an answer: of all others, the response is most similar to the stimulus.
    Responses give such answers if there is at least one error per object; biases towards some
    responses are in them. They count as one judgement for each error.

    References
    ----------
    Luce, R. D. (1963). Detection and recognition. In Handbook of Mathematical Psychology, 1,
    103-189.
    Shepard, R. N. (1957). Stimulus and response generalization. Psychometrika, 22, 325-345.

    Examples
    --------
    >>> import tripletscope as ts
    >>> counts = [[40, 9, 1], [11, 38, 1], [0, 2, 48]]
    >>> heard = ts.ratings.Confusions.from_matrix(counts, ["b", "d", "s"])
    >>> heard.dissimilarities().mean.round(1).tolist()
    [[0.0, 1.3, 3.9], [1.3, 0.0, 3.1], [3.9, 3.1, 0.0]]
    """

    kind = "confusions"
    title = "Confusions"
    judgement = "response"
    columns = ("participant", "stimulus", "response", "count")

    def __init__(self, table: pd.DataFrame, *, addition: float = 0.5) -> None:
        if not addition > 0:
            raise ValueError(f"addition is {addition!r}; it must be a number above 0.")
        self.options, self.notes = {"addition": float(addition)}, []
        self.table = table = self._columns_first(table)
        count = counts_of(table)
        self.ids, (stimulus, response) = named_objects(table["stimulus"], table["response"])
        self.raters, rater = named_raters(table)
        n = len(self.ids)
        refuse_few(n, f"there are {n} stimuli")
        self._counts = np.zeros((int(rater.max()) + 1, n, n))
        np.add.at(self._counts, (rater, stimulus, response), count)
        shown = self._counts.sum(axis=(0, 2))
        if not shown.all():
            raise DataError(
                f"{self.ids[int(np.argmin(shown))]} was never shown, only responded",
                remedy="Rows are stimuli, columns responses; leave out responses such as none.",
            )
        self._share = 1.0 if (trials := _trials_of_percents(self._counts)) is None else trials / 100
        if self._share < 1:
            self.notes.append(
                "Each row adds up to about 100, as percents do: errors and tests assume "
                f"{trials} responses to each stimulus, the fewest that give these numbers."
            )
        zeros = int(np.count_nonzero(self._counts.sum(axis=0) == 0))
        if zeros:
            self.notes.append(
                f"{zeros:,} of {n * n:,} counts are zero; {addition:g} was added to every count."
            )

    @classmethod
    def from_matrix(cls, counts: Any, ids: Sequence[str] | None = None, **options: Any) -> Self:
        """Confusions from a square matrix, or from one for each participant by name.

        Parameters
        ----------
        counts : array-like, shape (n, n), or mapping of str to such
            Rows are stimuli, columns responses.
        ids : sequence of str, optional
            Names of the stimuli; by default numbers from 1.
        **options
            Of the class.
        """
        parts = []
        several = isinstance(counts, Mapping)
        for rater, matrix, names in square_matrices(counts if several else {"": counts}, ids):
            first, second = np.indices(matrix.shape).reshape(2, -1)
            part = pd.DataFrame({
                "stimulus": names[first], "response": names[second], "count": matrix.ravel(),
            })
            parts.append(part.assign(participant=rater) if several else part)
        return cls(pd.concat(parts, ignore_index=True), **options)

    @with_random_state
    def dissimilarities(self, replicates: int = 200, *, seed: int = 0) -> Dissimilarities:
        n, rng = len(self.ids), np.random.default_rng(seed)
        people = len(self._counts)
        summed = self._counts.sum(axis=0)
        mean = self._dissimilarity(summed)
        if people > 1:
            drawn = resampled(
                lambda times: self._dissimilarity(np.tensordot(times, self._counts, axes=1)),
                people, replicates, rng,
            )
            error = drawn.std(axis=0, ddof=1) if replicates > 1 else np.full(len(mean), np.nan)
            count = np.full(len(mean), float(people))
        else:
            # Counts drawn from shares with `addition` would contain it twice.
            raised, drawn = summed + self.options["addition"], np.empty((replicates, len(mean)))
            for each in drawn:
                off = rng.normal(size=raised.shape) / np.sqrt(raised * self._share)
                each[:] = self._dissimilarity_by(np.log(raised) + off)
            error = self._delta(summed) / np.sqrt(self._share)
            count = self._trials(summed) * self._share
        return Dissimilarities(
            self.ids, squares(mean, n), squares(error, n), squares(count, n), len(self.raters),
            "raters" if people > 1 else "trials", squares(drawn, n), self.notes,
        )

    def similarity_of(self, dissimilarities: np.ndarray) -> np.ndarray:
        """How often two stimuli are confused, relative to being recognised."""
        return np.exp(-dissimilarities)

    def at_random(self, rng: np.random.Generator) -> Confusions:
        """Errors that depend on how hard a stimulus is, and how often a response is given, alone.

        Of each person, who is right as often.
        """
        drawn = [
            right + self._drawn(likely, rng) for right, likely in map(self._expected, self._counts)
        ]
        given = dict(zip(self.raters, drawn, strict=False)) or drawn[0]
        return type(self).from_matrix(given, self.ids, **self.options)

    def differs_from_random(self, rng: np.random.Generator) -> bool:
        """Whether pairs are confused more often or seldom than errors `at_random` are."""
        observed = np.round(self._counts * self._share)
        parts = [self._expected(counts)[1] for counts in observed]
        pairs = np.triu_indices(len(self.ids), 1)
        total = sum(parts)
        expected = (total + total.T)[pairs]

        def distance(counts: np.ndarray) -> float:
            found = (counts + counts.T)[pairs]
            return float(np.sum((found - expected) ** 2 / np.where(expected > 0, expected, 1.0)))

        seen = distance(sum(observed))
        others = [distance(sum(self._drawn(likely, rng) for likely in parts))
                  for _ in range(_SIMULATED)]
        return 1 + sum(other >= seen for other in others) <= _LEVEL * (1 + _SIMULATED)

    @staticmethod
    def _expected(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is right, and the errors that rows and columns alone lead to expect."""
        right = np.diag(np.diag(counts))
        shown, answered = (counts - right).sum(axis=1), (counts - right).sum(axis=0)
        likely = np.outer(shown, answered) * ~np.eye(len(counts), dtype=bool)
        for _ in range(_FITTED):
            for axis, sums in ((0, answered), (1, shown)):
                now = np.expand_dims(likely.sum(axis=axis), axis)
                likely *= np.expand_dims(sums, axis) / np.where(now > 0, now, 1.0)
        return right, likely

    @staticmethod
    def _drawn(likely: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Errors of each stimulus, as many as are expected."""
        return np.array([
            rng.multinomial(round(errors), row / errors) if errors else np.zeros(len(row))
            for errors, row in zip(likely.sum(axis=1), likely, strict=True)
        ])

    def _dissimilarity(self, counts: np.ndarray) -> np.ndarray:
        """(p,) dissimilarity of every pair; row sums cancel out."""
        return self._dissimilarity_by(np.log(counts + self.options["addition"]))

    @staticmethod
    def _dissimilarity_by(logs: np.ndarray) -> np.ndarray:
        loss = np.diag(logs)[:, None] - logs
        return np.maximum((loss + loss.T)[np.triu_indices(len(logs), 1)] / 2, 0.0)

    def _delta(self, counts: np.ndarray) -> np.ndarray:
        """(p,) standard errors: within a row, log p_ij - log p_ii has variance 1/c_ij + 1/c_ii."""
        inverse = 1.0 / (counts + self.options["addition"])
        variance = inverse + np.diag(inverse)[:, None]
        return np.sqrt((variance + variance.T)[np.triu_indices(len(counts), 1)]) / 2

    @staticmethod
    def _trials(counts: np.ndarray) -> np.ndarray:
        """(p,) responses of each pair: either of the two to either of the two."""
        right = np.diag(counts)
        return (counts + counts.T + right[:, None] + right)[np.triu_indices(len(counts), 1)]

    @with_random_state
    def triplets(
        self, *, most: int = MOST_ANSWERS, seed: int = 0, name: str = "answers"
    ) -> Triplets:
        n = len(self.ids)
        wrong = self._counts * ~np.eye(n, dtype=bool)
        rows, weights = [np.empty((0, 4), dtype=np.int64)], [np.empty(0)]
        for rater, counts in enumerate(wrong if wrong.sum() >= _FEWEST * n else ()):
            for anchor, row in enumerate(counts):
                others = np.delete(np.arange(n), anchor)
                for near in np.flatnonzero(row):
                    far = others[others != near]
                    rows.append(np.column_stack([np.full((len(far), 3), [rater, anchor, near]),
                                                 far]))
                    weights.append(np.full(len(far), row[near] / (n - 2)))
        table, weight = np.concatenate(rows), np.concatenate(weights)
        if len(table) > most:
            some = np.sort(np.random.default_rng(seed).choice(len(table), most, replace=False))
            table, weight = table[some], weight[some] * (weight.sum() / weight[some].sum())
        return self._answers(table[:, 1:], weight, table[:, 0], name)


def _trials_of_percents(counts: np.ndarray) -> int | None:
    """The fewest responses to each stimulus that counts (p, n, n) may be percents of, or None."""
    sums = counts.sum(axis=2)
    if not (np.abs(sums[sums > 0] - 100) <= _NEARLY).all():
        return None
    return next(
        trials for trials in range(_FEWEST_TRIALS, 101)
        if trials == 100
        or (np.abs(np.round(counts * trials / 100) * 100 / trials - counts) <= _ROUNDED).all()
    )
