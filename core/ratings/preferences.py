"""Paired preferences: a scale of how often each object is preferred to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, log_ndtr, logsumexp, ndtr, ndtri, xlogy

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.ratings.measured import counts_of, named_objects, named_raters

MODELS = {"bradley_terry": "Bradley-Terry (logistic)", "thurstone": "Thurstone, case V (normal)"}
#: Fewest participants to resample.
_ENOUGH = 8
_LARGEST = 30.0


@short_repr
@dataclass(frozen=True, eq=False)
class PreferenceScale:
    """Values of objects on a scale of preference.

    Attributes
    ----------
    ids : list of str
    values : ndarray, shape (n,)
        They sum to 0. A difference of 1 means that the better one is preferred in 73 % of the
        comparisons without a tie by the logistic model, in 84 % by the normal one.
    standard_error, low, high : ndarray, shape (n,)
        Over participants if there are 8 or more, else over answers; the bootstrap interval has
        coverage `level`. If only the prior makes some values finite, at least the posterior's.
    replicates : ndarray, shape (b, n)
        Values of resampled participants or answers.
    wins, ties : ndarray, shape (n, n)
        How often each (row) was preferred to each other (column), and how often neither was.
    model : str
        One of `MODELS`.
    tie : float or None
        Width of the range of indifference, on the scale of the values; None without ties.
    deviance, degrees : float
        Against a model with a share for each pair; 0 degrees if the scale needs every pair.
    p_value : float
        Probability of as large a deviance under the model, by simulation; NaN with 0 degrees.
    unit : {"participants", "answers"}
    n_participants : int
    level : float
    notes : list of str

    References
    ----------
    Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika,
    39, 324-345.
    Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired
    comparison experiments. Journal of the American Statistical Association, 65, 317-328.
    Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review, 34, 273-286.
    """

    ids: list[str]
    values: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    replicates: np.ndarray
    wins: np.ndarray
    ties: np.ndarray
    model: str
    tie: float | None
    deviance: float
    degrees: int
    p_value: float
    unit: str
    n_participants: int
    level: float
    notes: list[str]

    @property
    def denies_one_scale(self) -> bool:
        """Whether one scale is rejected at 5 %, by its deviance."""
        return self.p_value < 0.05

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each object, the most preferred first."""
        table = pd.DataFrame({
            "object": self.ids, "value": self.values, "standard error": self.standard_error,
            "low": self.low, "high": self.high, "preferred": self.wins.sum(axis=1),
            "compared": (self.wins + self.wins.T + self.ties).sum(axis=1),
        })
        return table.sort_values("value", ascending=False, kind="stable", ignore_index=True)

    def probability(self, first: str, second: str) -> float:
        """Share of the comparisons of two objects, without ties, in which the first is preferred.

        Parameters
        ----------
        first, second : str
            Ids.
        """
        i, j = self.ids.index(first), self.ids.index(second)
        lead = self.values[i] - self.values[j]
        if self.model == "bradley_terry":
            return float(expit(lead))
        width = self.tie or 0.0
        better, worse = ndtr([lead - width, -lead - width])
        return float(better / (better + worse))


@with_random_state
def paired_preferences(
    table: Any, *, model: str = "bradley_terry", prior: float = 0.1, replicates: int = 200,
    level: float = 0.95, seed: int = 0, progress: Progress = silent,
) -> PreferenceScale:
    """A scale from preferences between pairs of objects.

    Parameters
    ----------
    table : DataFrame
        Columns ``winner`` and ``loser``; optionally ``participant``, ``tie`` (true or 1 if neither
        was preferred; empty is false) and ``count``.
    model : {"bradley_terry", "thurstone"}
        With ties, Davidson's model, or a range of indifference.
    prior : float
        Strength of the normal prior: half of it times the values' sum of squares is added to the
        loss. It keeps the values of objects that were always preferred finite; 0 is maximum
        likelihood.
    replicates : int
        Of the bootstrap.
    level : float
        Coverage of the intervals.
    seed : int
    progress : Progress
        Called before every replicate.

    Raises
    ------
    DataError
        If an object has no name or is compared with itself, a tie is neither true nor false, there
        is only one object, some objects were never compared, even through others, or, without a
        prior, some were always preferred to all others.
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({"winner": ["tea", "tea", "soup", "soup", "tea", "milk"],
    ...                       "loser": ["soup", "milk", "milk", "tea", "soup", "soup"],
    ...                       "count": [8, 9, 7, 2, 1, 3]})
    >>> scale = ts.ratings.paired_preferences(table, replicates=100)
    >>> scale.table["object"].tolist(), round(scale.probability("tea", "soup"), 2)
    (['tea', 'soup', 'milk'], 0.85)
    """
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")
    data = _Preferences.of(table)
    held_by_prior = data.refuse_unconnected(prior)
    wins, ties = data.counted()
    fit = _Fit(model, prior, bool(ties.any()))
    values, tie = fit(wins, ties)
    rng = np.random.default_rng(seed)
    people = len(data.raters) >= _ENOUGH
    drawn, worse = np.empty((replicates, len(values))), 0
    deviance, degrees = fit.deviance(wins, ties, values, tie)
    with single_blas_thread():  # more threads would only slow down these small sums
        for number in range(replicates):
            if progress(number / replicates):
                raise Stopped
            drawn[number] = fit(*data.resampled(people, rng), start=values)[0]
            if degrees:
                simulated = fit.simulated(wins, ties, values, tie, rng)
                other = fit(*simulated, start=values)
                worse += fit.deviance(*simulated, *other)[0] >= deviance
    # P people drawn with replacement vary by 1 - 1/P too little.
    wider = np.sqrt(len(data.raters) / (len(data.raters) - 1)) if people else 1.0
    error = wider * drawn.std(axis=0, ddof=1)
    # Symmetric about the estimate: quantiles of resamples would add the prior's pull again.
    reach = np.quantile(np.abs(drawn - values), level, axis=0) * wider
    if held_by_prior:
        # Resamples of unanimous answers are all alike, however few they are.
        least = fit.errors(wins + wins.T + ties, values, tie)
        error = np.maximum(error, least)
        reach = np.maximum(reach, ndtri(0.5 + level / 2) * least)
    return PreferenceScale(
        data.ids, values, error, values - reach, values + reach, drawn, wins, ties, model,
        tie if fit.has_ties else None, deviance, degrees,
        (worse + 1) / (replicates + 1) if degrees else float("nan"),
        "participants" if people else "answers", len(data.raters), level, data.notes,
    )


@dataclass
class _Preferences:
    """Preferences, row by row."""

    ids: list[str]
    raters: list[str]
    winner: np.ndarray
    loser: np.ndarray
    tie: np.ndarray
    count: np.ndarray
    rater: np.ndarray
    notes: list[str]

    @classmethod
    def of(cls, table: pd.DataFrame) -> _Preferences:
        table = table.reset_index(drop=True)
        ids, (winner, loser) = named_objects(table["winner"], table["loser"])
        if (winner == loser).any():
            row = int(np.argmax(winner == loser))
            raise DataError(
                f"{ids[winner[row]]} is compared with itself", row=row,
                remedy="Remove such rows.",
            )
        if len(ids) < 2:
            raise DataError("there are no two objects", remedy="Give one comparison per row.")
        raters, rater = named_raters(table)
        tie = _ties(table["tie"]) if "tie" in table else np.zeros(len(table), bool)
        count = counts_of(table) if "count" in table else np.ones(len(table))
        return cls(ids, raters, winner, loser, tie, count, rater, [])

    def counted(self, times: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(n, n) wins of rows over columns, and ties in both places."""
        n = len(self.ids)
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        count = self.count if times is None else times
        np.add.at(wins, (self.winner, self.loser), np.where(self.tie, 0.0, count))
        np.add.at(ties, (self.winner, self.loser), np.where(self.tie, count, 0.0))
        return wins, ties + ties.T

    def resampled(self, people: bool, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        if people:
            number = len(self.raters)
            drawn = np.bincount(rng.integers(number, size=number), minlength=number)
            return self.counted(self.count * drawn[self.rater])
        total = self.count.sum()
        return self.counted(rng.multinomial(int(total), self.count / total).astype(float))

    def refuse_unconnected(self, prior: float) -> bool:
        """Whether Ford's (1957) condition fails, so that only the prior makes values finite."""
        wins, ties = self.counted()
        linked, part = connected_components(wins + ties, directed=False)
        if linked > 1:
            examples = [self.ids[np.argmax(part == k)] for k in range(2)]
            raise DataError(
                f"{examples[0]} and {examples[1]} were never compared, not even through others",
                remedy="Scale the groups of objects one by one.",
            )
        strong, part = connected_components(wins + ties, connection="strong")
        if strong > 1:
            if not prior:
                raise DataError(
                    "some objects were always preferred to all others, or never: their values "
                    "would be infinite", remedy="Give a prior, such as 0.1.",
                )
            self.notes.append(
                "Some objects were always preferred to all others, or never: only the prior limits "
                "how far they are from these. Intervals are at least as wide as prior and number "
                "of answers allow."
            )
        return bool(strong > 1)


def _ties(column: pd.Series) -> np.ndarray:
    """(m,) bool; texts are errors, as every text would be true."""
    cells = column.astype(object).where(column.notna(), False)
    wrong = [
        not isinstance(cell, bool | np.bool_ | int | float | np.number) or cell not in (0, 1)
        for cell in cells
    ]
    if any(wrong):
        row = int(np.argmax(wrong))
        raise DataError(
            f"{cells.iloc[row]!r} in column tie is neither true nor false", row=row,
            remedy="Write 1 or true where neither was preferred, else 0 or false.",
        )
    return cells.to_numpy(dtype=bool)


class _Fit:
    """Most likely values."""

    def __init__(self, model: str, prior: float, has_ties: bool) -> None:
        self.model, self.prior, self.has_ties = model, prior, has_ties

    def __call__(
        self, wins: np.ndarray, ties: np.ndarray, start: np.ndarray | None = None
    ) -> tuple[np.ndarray, float]:
        """(n,) values that sum to 0, and the range of indifference."""
        n = len(wins)
        first, second = np.nonzero(wins + ties + wins.T)
        begin = np.zeros(n + self.has_ties)
        if start is not None:
            begin[:n] = start
        won, even = wins[first, second], ties[first, second] / 2.0  # each is there twice

        def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
            values = x[:n]
            width = np.exp(np.clip(x[n], -_LARGEST, 3.0)) if self.has_ties else 0.0
            better, slope, by_width = self._logs(values[first] - values[second], width)
            loss = -(won @ better[0] + even @ better[1])
            by_lead = -(won * slope[0] + even * slope[1])
            gradient = np.bincount(first, by_lead, n) - np.bincount(second, by_lead, n)
            gradient += self.prior * values + values.sum()
            loss += 0.5 * self.prior * values @ values + 0.5 * values.sum() ** 2
            if not self.has_ties:
                return loss, gradient
            return loss, np.append(gradient, -width * (won @ by_width[0] + even @ by_width[1]))

        optimum = minimize(objective, begin, jac=True, method="L-BFGS-B",
                         options={"maxiter": 2000, "ftol": 1e-11, "gtol": 1e-6})
        values = optimum.x[:n] - optimum.x[:n].mean()
        return values, float(np.exp(optimum.x[n])) if self.has_ties else 0.0

    def _logs(self, lead: np.ndarray, width: float) -> tuple[list, list, list]:
        """Logs of the probabilities of a preference and of a tie, and their derivatives.

        By the lead of the preferred object, and by the width of indifference.
        """
        if self.model == "bradley_terry":
            if not self.has_ties:
                return [log_expit(lead), 0 * lead], [expit(-lead), 0 * lead], [0 * lead] * 2
            parts = np.array([lead / 2, -lead / 2, np.full(len(lead), np.log(width))])
            norm_ = logsumexp(parts, axis=0)
            p = np.exp(parts - norm_)
            off = (p[0] - p[1]) / 2
            return (
                [parts[0] - norm_, parts[2] - norm_], [0.5 - off, -off],
                [-p[2] / width, (1 - p[2]) / width],
            )
        upper = lead - width
        ratio = np.exp(-(upper**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(upper))
        if not self.has_ties:
            return [log_ndtr(upper), 0 * lead], [ratio, 0 * lead], [0 * lead] * 2
        inside = np.maximum(ndtr(lead + width) - ndtr(upper), 1e-300)
        up, down = np.exp(-(np.array([lead + width, upper]) ** 2) / 2) / np.sqrt(2 * np.pi)
        return (
            [log_ndtr(upper), np.log(inside)], [ratio, (up - down) / inside],
            [-ratio, (up + down) / inside],
        )

    def errors(self, compared: np.ndarray, values: np.ndarray, tie: float) -> np.ndarray:
        """(n,) posterior standard deviations, by the expected curvature and that of the prior."""
        n = len(values)
        lead = (values[:, None] - values).ravel()
        logs, slopes, _ = self._logs(lead, tie)
        won = (np.exp(logs[0]) * slopes[0] ** 2).reshape(n, n)
        even = (np.exp(logs[1]) * slopes[1] ** 2).reshape(n, n) if self.has_ties else 0.0
        information = compared * (won + won.T + even)
        np.fill_diagonal(information, 0.0)
        curvature = np.diag(information.sum(axis=1)) - information + self.prior * np.eye(n)
        centred = np.eye(n) - 1.0 / n
        return np.sqrt(np.diag(centred @ np.linalg.inv(curvature + 1.0 / n) @ centred))

    def shares(self, values: np.ndarray, tie: float) -> tuple[np.ndarray, np.ndarray]:
        """(n, n) probabilities that the row is preferred to the column, and of a tie."""
        lead = (values[:, None] - values).ravel()
        logs = self._logs(lead, tie)[0]
        n = len(values)
        even = np.exp(logs[1]).reshape(n, n) if self.has_ties else np.zeros((n, n))
        return np.exp(logs[0]).reshape(n, n), even

    def deviance(
        self, wins: np.ndarray, ties: np.ndarray, values: np.ndarray, tie: float
    ) -> tuple[float, int]:
        """G squared against a share for each pair, and its degrees of freedom."""
        better, even = self.shares(values, tie)
        compared = wins + wins.T + ties
        with np.errstate(divide="ignore", invalid="ignore"):
            preferred = xlogy(wins, wins / (compared * better))
            preferred = np.where(wins > 0, preferred, 0.0)
            tied = np.where(ties > 0, xlogy(ties, ties / (compared * even)), 0.0)
        pairs = np.count_nonzero(np.triu(compared, 1))
        degrees = pairs * (1 + self.has_ties) - (len(values) - 1) - self.has_ties
        return float(2.0 * (preferred.sum() + tied.sum() / 2.0)), int(max(degrees, 0))

    def simulated(
        self, wins: np.ndarray, ties: np.ndarray, values: np.ndarray, tie: float,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Simulated wins and ties of as many comparisons."""
        better, even = self.shares(values, tie)
        first, second = np.nonzero(np.triu(wins + wins.T + ties, 1))
        number = (wins + wins.T + ties)[first, second].astype(np.int64)
        chances = np.column_stack([
            better[first, second], better[second, first], even[first, second]
        ])
        drawn = rng.multinomial(number, chances / chances.sum(axis=1, keepdims=True))
        won, equal = np.zeros_like(wins), np.zeros_like(wins)
        won[first, second], won[second, first] = drawn[:, 0], drawn[:, 1]
        equal[first, second] = equal[second, first] = drawn[:, 2]
        return won, equal
