"""Maximum likelihood conjoint measurement as a method, whose results are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.method import Method, register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.scales.binomial import LINKS
from tripletscope.core.scales.conjoint import (
    ConjointComparisons,
    ConjointModel,
    ConjointScales,
    conjoint_scales,
    tests_of,
)


@register("conjoint")
@dataclass(kw_only=True, eq=False, repr=False)
class MLCM(Method):
    """Maximum likelihood conjoint measurement: contributions of several dimensions to a judgement.

    Attributes
    ----------
    names_ : list of str, length k
        Dimensions.
    levels_ : ndarray of str, shape (l,)
        Levels of all dimensions, ascending, as JSON.
    n_levels_ : ndarray of int, shape (k,)
    first_ : ndarray of bool, shape (t,)
        Whether the first stimulus was chosen.
    codes_ : ndarray of int, shape (2, t, k)
        Positions of both stimuli's levels.
    who_ : ndarray of int, shape (t,)
        Participant of each answer; -1 if unknown.
    models_ : list of str, length m
    n_values_ : ndarray of int, shape (m,)
    values_, low_, high_ : ndarray, shape (p,)
        Of all models.
    log_likelihood_ : ndarray, shape (m,)
    finite_ : ndarray of bool, shape (m,)
    notes_, notes_read_ : list of str
        All; those on the comparisons alone.
    table_ : str
        File of the comparisons.
    stopped_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> rng = np.random.default_rng(0)
    >>> shown = pd.DataFrame(rng.integers(1, 4, (600, 4)), columns=["a1", "a2", "b1", "b2"])
    >>> lead = (shown.a1 - shown.a2) + (shown.b1 - shown.b2) / 2
    >>> shown["first"] = (lead + rng.normal(size=600) > 0).astype(int)
    >>> fitted = ts.ratings.MLCM(replicates=20).fit(ts.ratings.ConjointComparisons(shown))
    >>> fitted.scales.curves()["value"].round(1).tolist()
    [0.0, 0.9, 1.7, 0.0, 0.7, 1.0]
    """

    name = "mlcm"
    title = "MLCM"
    holds_data = True

    link: Annotated[str, Choice(
        {name: link.title for name, link in LINKS.items()}, "Link", "Distribution of the noise.",
    )] = "probit"
    replicates: Annotated[int, Number(
        2, 100_000, "Replicates", "Of the parametric bootstrap.", advanced=True,
    )] = 1000
    level: Annotated[float, Number(
        0.5, 0.999, "Coverage", "Of the intervals.", advanced=True,
    )] = 0.95
    seed: Seed = 0

    def fit(
        self, triplets: ConjointComparisons, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Scale every dimension.

        Parameters
        ----------
        triplets : ConjointComparisons
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        """
        self._check_parameters()
        given = triplets
        scales = conjoint_scales(
            given, link=self.link, replicates=self.replicates, level=self.level, seed=self.seed,
            progress=progress,
        )
        self.names_, levels = list(given.levels), list(given.levels.values())
        self.levels_ = np.array([json.dumps(one) for each in levels for one in each])
        self.n_levels_ = np.array([len(each) for each in levels])
        self.first_, self.codes_, self.who_ = given.first, given.codes, given.who
        models = list(scales.models.values())
        self.models_ = list(scales.models)
        self.n_values_ = np.array([len(model.values) for model in models])
        for part in ("values", "low", "high"):
            setattr(self, f"{part}_", np.concatenate([getattr(model, part) for model in models]))
        self.log_likelihood_ = np.array([model.log_likelihood for model in models])
        self.finite_ = np.array([model.finite for model in models])
        self.notes_, self.notes_read_ = scales.notes, [*given.notes]
        self.table_, self.stopped_ = given.source, False
        return self

    @property
    def comparisons(self) -> ConjointComparisons:
        """What it learned from."""
        result = ConjointComparisons.__new__(ConjointComparisons)
        result.source, result.notes = self.table_, [*self.notes_read_]
        ends = np.cumsum(self.n_levels_)[:-1]
        levels = np.split(np.array([json.loads(one) for one in self.levels_], dtype=object), ends)
        result.levels = {
            name: each.tolist() for name, each in zip(self.names_, levels, strict=True)
        }
        result.first, result.codes, result.who = self.first_, self.codes_, self.who_
        return result

    @property
    def scales(self) -> ConjointScales:
        """Scales and tests."""
        given, ends = self.comparisons, np.cumsum(self.n_values_)[:-1]
        parts = [np.split(values, ends) for values in (self.values_, self.low_, self.high_)]
        models = {
            name: ConjointModel(name, *each, log_likelihood, finite)
            for name, *each, log_likelihood, finite in zip(
                self.models_, *parts, self.log_likelihood_.tolist(), self.finite_.tolist(),
                strict=True,
            )
        }
        return ConjointScales(
            given.levels, given.combinations, models, tests_of(models), self.link, self.level,
            len(given), given.n_people, [*self.notes_],
        )
