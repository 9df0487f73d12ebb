"""Maximum likelihood conjoint measurement: contributions of several properties to one judgement."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.scales.binomial import LINKS, Design, Prior, fit_many, has_finite_optimum
from tripletscope.core.scales.scale_samples import TOGETHER, simulated_counts

#: Fewest comparisons per parameter for a test: below, chi squared is too coarse. With ten, additive
#: observers were denied in 11 %.
ENOUGH = 20
#: As in R, whose deviance settles to all digits.
_SETTLED = 1e-13
#: Significance level.
_SIGNIFICANT = 0.05
_MOST_LEVELS = 60


@short_repr
@dataclass(frozen=True)
class ConjointModel:
    """One of the nested models.

    Attributes
    ----------
    name : str
        "additive", "saturated", or the only dimension that counts.
    values : ndarray, shape (p,)
        Of the levels of each dimension, or of each combination, without the lowest; in units of the
        noise.
    low, high : ndarray, shape (p,)
        Percentile intervals of the parametric bootstrap.
    log_likelihood : float
    finite : bool
        Whether all values are finite.
    """

    name: str
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    log_likelihood: float
    finite: bool

    @property
    def aic(self) -> float:
        return 2.0 * (len(self.values) - self.log_likelihood)


@short_repr
@dataclass(frozen=True, eq=False)
class ConjointScales:
    """Scales of properties that are judged together, by nested models.

    Attributes
    ----------
    levels : dict of str to list
        Levels of each dimension, ascending.
    combinations : list of tuple
        Levels of each combination shown; the first has the value 0.
    models : dict of str to ConjointModel
        "additive", "saturated", and the model of each dimension alone.
    tests : DataFrame
        Likelihood-ratio tests: ``model`` against the wider one ``against``, ``statistic``,
        ``degrees``, ``p``.
    link : str
    level : float
        Coverage of the intervals.
    n_answers : int
    n_people : int
        Participants in the table; with several, tests are not reported: they are valid for one
        observer.
    notes : list of str

    References
    ----------
    Ho, Y.-X., Landy, M. S., & Maloney, L. T. (2008). Conjoint measurement of gloss and surface
    texture. Psychological Science, 19, 196-204.
    Knoblauch, K., & Maloney, L. T. (2012). Modeling psychophysical data in R. Springer. Chapter 8.
    """

    levels: dict[str, list]
    combinations: list[tuple]
    models: dict[str, ConjointModel]
    tests: pd.DataFrame
    link: str
    level: float
    n_answers: int
    n_people: int
    notes: list[str]

    @property
    def is_enough(self) -> bool:
        """Whether there are `ENOUGH` comparisons for each value of the saturated model."""
        return self.n_answers >= ENOUGH * len(self.models["saturated"].values)

    @property
    def interaction(self) -> float | None:
        """Significance (p) of the test of additivity, if below 5 %; else None."""
        return self._significance("additive")

    def contributes(self, dimension: str) -> float | None:
        """Significance (p) of the test of a dimension, if below 5 %; else None.

        None for more than two dimensions: the tests then are of each dimension alone.
        """
        others = [name for name in self.levels if name != dimension]
        return self._significance(others[0]) if len(others) == 1 else None

    def _significance(self, model: str) -> float | None:
        (p,) = self.tests.loc[self.tests["model"] == model, "p"]
        is_valid = self.is_enough and self.n_people <= 1
        return float(p) if is_valid and p < _SIGNIFICANT else None

    def curves(self, model: str = "additive") -> pd.DataFrame:
        """Rows of ``dimension``, ``number``, ``level``, ``value``, ``low``, ``high``.

        ``number`` counts levels from 1. For the additive model, or a dimension alone.
        """
        fit, rows, start = self.models[model], [], 0
        for name, levels in self.levels.items():
            if model not in ("additive", name):
                continue
            rows.append((name, 1, str(levels[0]), 0.0, 0.0, 0.0))
            stop = start + len(levels) - 1
            rows += [
                (name, number, str(level), *values) for number, level, values in zip(
                    range(2, len(levels) + 1), levels[1:],
                    np.column_stack([fit.values, fit.low, fit.high])[start:stop].tolist(),
                    strict=True,
                )
            ]
            start = stop
        return pd.DataFrame(rows, columns=["dimension", "number", "level", "value", "low", "high"])

    @property
    def surface(self) -> pd.DataFrame:
        """Values of the saturated model: a row for each combination shown."""
        fit = self.models["saturated"]
        table = pd.DataFrame(self.combinations, columns=list(self.levels))
        for name, values in (("value", fit.values), ("low", fit.low), ("high", fit.high)):
            table[name] = np.append(0.0, values)
        return table


class ConjointComparisons:
    """Comparisons of two stimuli that vary in two or more dimensions.

    Parameters
    ----------
    table : DataFrame
        Column ``first``: 1 if the first stimulus was chosen, 0 if the second. For each dimension
        two columns with the levels of both, such as ``gloss1`` and ``gloss2``. Column
        ``participant``, if there are several.
    source : str
        File that they were read from.
    notes : sequence of str
        How it was read, as sentences.

    Attributes
    ----------
    first : ndarray of bool, shape (t,)
    levels : dict of str to list
        Levels of each dimension, ascending.
    codes : ndarray of int, shape (2, t, k)
        Positions of both stimuli's levels.
    who : ndarray of int, shape (t,)
        Participant of each answer, from 0; -1 if unknown.

    Raises
    ------
    DataError
        If there are fewer than two dimensions with two levels, more than 60 levels of one, or
        answers that are neither 0 nor 1.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> shown = pd.DataFrame({"a1": [1, 2], "a2": [2, 1], "b1": [1, 1], "b2": [2, 2]})
    >>> given = ts.ratings.ConjointComparisons(shown.assign(first=[0, 1]))
    >>> len(given), given.levels
    (2, {'a': [1, 2], 'b': [1, 2]})
    """

    #: No choices among several.
    are_choices = False

    def __init__(self, table: pd.DataFrame, source: str = "", notes: Sequence[str] = ()) -> None:
        self.source, names = source, _dimensions(table)
        first = pd.to_numeric(table["first"], errors="coerce").to_numpy()
        columns = [f"{name}{side}" for name in names for side in "12"]
        complete = table[columns].notna().all(axis=1).to_numpy()
        if not np.isin(first[complete], (0, 1)).all():
            row = int(np.argmax(complete & ~np.isin(first, (0, 1))))
            raise DataError(f"the answer {table['first'].iloc[row]!r} is neither 1 nor 0", row=row,
                            remedy="Write 1 where the first stimulus was chosen, else 0.")
        left = int((~complete).sum())
        self.notes = [*notes, *([f"{left:,} incomplete rows left out."] if left else [])]
        self.levels, codes = {}, []
        for name in names:
            both = [table[f"{name}{side}"].to_numpy()[complete] for side in "12"]
            values, code = np.unique(np.concatenate(both), return_inverse=True)
            if not 2 <= len(values) <= _MOST_LEVELS:
                raise DataError(f"{name} has {len(values):,} levels",
                                remedy=f"A dimension has 2 to {_MOST_LEVELS}.")
            self.levels[name] = values.tolist()
            codes.append(code.reshape(2, -1))
        self.first, self.codes = first[complete] == 1, np.stack(codes, axis=2)
        people = table.get("participant", pd.Series(np.nan, table.index))[complete]
        self.who = pd.factorize(people)[0].astype(np.int64)

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} of {', '.join(self.levels)}>"

    @property
    def n_people(self) -> int:
        return int(self.who.max(initial=-1)) + 1

    @property
    def combinations(self) -> list[tuple]:
        """Levels of each combination shown."""
        kinds = np.unique(self.codes.reshape(-1, len(self.levels)), axis=0)
        return [
            tuple(levels[k] for levels, k in zip(self.levels.values(), kind, strict=True))
            for kind in kinds.tolist()
        ]

    @property
    def table(self) -> pd.DataFrame:
        """The complete rows; participants are numbers."""
        columns = {
            f"{name}{side + 1}": np.array(levels)[self.codes[side, :, k]]
            for k, (name, levels) in enumerate(self.levels.items()) for side in range(2)
        }
        people = {"participant": self.who} if self.n_people else {}
        return pd.DataFrame({"first": self.first.astype(int), **people, **columns})

    def fingerprint_of(self, *columns: str, objects: tuple[str, ...] = ()) -> str:
        """Hash of the complete rows, as `tripletscope.Triplets` have one."""
        digest = hashlib.blake2b(repr(self.levels).encode(), digest_size=16)
        for array in (self.first, self.codes, self.who):
            digest.update(np.ascontiguousarray(array, dtype=np.int64))
        return digest.hexdigest()


@with_random_state
def conjoint_scales(
    table: Any, *, link: str = "probit", replicates: int = 1000, level: float = 0.95,
    seed: int = 0, progress: Progress = silent,
) -> ConjointScales:
    """Scales of two or more properties from comparisons of stimuli that vary in all of them.

    The first of two stimuli is chosen if its value, with noise, is larger. In the additive model a
    value is the sum of the contributions of each dimension's level; in the model of one dimension
    the others contribute nothing; in the saturated model each combination has a value.

    Parameters
    ----------
    table : DataFrame or ConjointComparisons
        See `ConjointComparisons`.
    link : {"probit", "logit", "cauchit"}
    replicates : int
        Of the parametric bootstrap.
    level : float
        Coverage of the intervals.
    seed : int
    progress : Progress

    Returns
    -------
    ConjointScales

    Raises
    ------
    DataError
        If there are fewer than two dimensions with two levels, more than 60 levels of one, or
        answers that are neither 0 nor 1.
    ValueError
        For another link.
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> rng = np.random.default_rng(0)
    >>> shown = pd.DataFrame(rng.integers(1, 4, (600, 4)), columns=["a1", "a2", "b1", "b2"])
    >>> lead = (shown.a1 - shown.a2) + (shown.b1 - shown.b2) / 2
    >>> shown["first"] = (lead + rng.normal(size=600) > 0).astype(int)
    >>> ts.ratings.conjoint_scales(shown, replicates=20).curves()["value"].round(1).tolist()
    [0.0, 0.9, 1.7, 0.0, 0.7, 1.0]
    """
    if link not in LINKS:
        raise ValueError(f"link is {link!r}; it must be one of {', '.join(LINKS)}.")
    given = table if isinstance(table, ConjointComparisons) else ConjointComparisons(table)
    first, levels, codes, notes = given.first, given.levels, given.codes, [*given.notes]
    names = list(levels)
    designs = _designs(codes, names)
    sequences = np.random.SeedSequence(seed).spawn(len(designs))
    models, n = {}, len(designs)
    with single_blas_thread():
        for number, (name, sequence) in enumerate(zip(designs, sequences, strict=True)):
            models[name] = _fitted(
                name, first, designs[name], link, replicates, level,
                np.random.default_rng(sequence), part(progress, number / n, (number + 1) / n),
            )
    notes += [
        f"Answers leave values of the model {name!r} infinite." for name, model in models.items()
        if not model.finite
    ]
    return ConjointScales(
        levels, given.combinations, models, tests_of(models), link, level, len(first),
        given.n_people, notes,
    )


def _dimensions(table: pd.DataFrame) -> list[str]:
    """Names with a column for each of both stimuli."""
    columns = [str(column) for column in table.columns]
    names = [one[:-1] for one in columns if one.endswith("1") and f"{one[:-1]}2" in columns]
    if len(names) < 2 or "first" not in columns or not len(table):
        raise DataError(
            "there are no comparisons of stimuli with two dimensions",
            remedy="Give columns such as gloss1, gloss2, bumps1, bumps2 and first.",
        )
    return names


def _designs(coded: np.ndarray, names: list[str]) -> dict[str, np.ndarray]:
    """(t, p) decision variables by model, first minus second; the lowest level has the value 0."""
    def difference(codes: np.ndarray) -> np.ndarray:
        one = np.eye(codes.max() + 1)[codes]
        return (one[0] - one[1])[:, 1:]

    parts = {name: difference(coded[:, :, k]) for k, name in enumerate(names)}
    _, kind = np.unique(coded.reshape(-1, len(names)), axis=0, return_inverse=True)
    return parts | {
        "additive": np.hstack([*parts.values()]), "saturated": difference(kind.reshape(2, -1)),
    }


def _fitted(
    name: str, first: np.ndarray, rows: np.ndarray, link: str, replicates: int, level: float,
    rng: np.random.Generator, progress: Progress,
) -> ConjointModel:
    """The most likely values, with their intervals."""
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    totals = np.bincount(which.ravel()).astype(float)
    wins = np.bincount(which.ravel(), first, len(totals))
    design = Design(kinds)
    fit = partial(fit_many, design, link=LINKS[link], settled=_SETTLED)
    # The ridge that keeps resamples solvable would move the fourth digit.
    finite, n = has_finite_optimum(kinds, wins, totals), kinds.shape[1]
    flat = Prior(np.zeros(n), np.zeros((n, n))) if finite else None
    values = fit(wins[None], totals, prior=flat).values[0]
    chance = design.probabilities(values, LINKS[link])
    drawn = []
    for start in range(0, replicates, TOGETHER):
        if progress(start / replicates):
            raise Stopped
        size = min(TOGETHER, replicates - start)
        drawn.append(fit(*simulated_counts(chance, totals, rng, size), start=values).values)
    tail = 50.0 * (1.0 - level)
    low, high = np.percentile(np.concatenate(drawn), [tail, 100.0 - tail], axis=0)
    # Of single answers, as in R's `glm`.
    worth = float(design.log_likelihoods(values, LINKS[link], wins, totals).sum())
    return ConjointModel(name, values, low, high, worth, finite)


def tests_of(models: Mapping[str, ConjointModel]) -> pd.DataFrame:
    """Each narrower model against the next wider one."""
    alone = [name for name in models if name not in ("additive", "saturated")]
    rows = []
    for name, wider in (*product(alone, ["additive"]), ("additive", "saturated")):
        statistic = 2.0 * (models[wider].log_likelihood - models[name].log_likelihood)
        degrees = len(models[wider].values) - len(models[name].values)
        rows.append((
            name, wider, max(statistic, 0.0), degrees,
            float(chi2.sf(max(statistic, 0.0), degrees)) if degrees > 0 else np.nan,
        ))
    return pd.DataFrame(rows, columns=["model", "against", "statistic", "degrees", "p"])
