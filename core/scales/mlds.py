"""Maximum likelihood difference scaling."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import chi2

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Switch
from tripletscope.core.engine.method import Method, register
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.scales.binomial import (
    LAPSES,
    LINKS,
    MOST_STEPS,
    ObserverComparisons,
    Prior,
    compared,
    fit_lapses,
    has_finite_optimum,
    rate_intervals,
)
from tripletscope.core.scales.scale_trials import (
    Recorded,
    ScaleTrials,
    Stimulus,
    answers_of,
    as_trials,
    recorded,
)

#: Range of a scale, in units of the noise, by the prior for answers without a finite scale.
_USUAL_RANGE = 5.0
#: R's package settles the deviance to all digits that rounding leaves: with more, rounding would
#: decide on the last step.
_SETTLED = 1e-12
#: Level of the test against guesses.
_SIGNIFICANT = 0.05


@register("scale")
@dataclass(kw_only=True, eq=False, repr=False)
class MLDS(Method):
    """Maximum likelihood difference scaling: a scale along one ordered physical stimulus.

    Of two intervals, the one with the larger difference of scale values, plus noise, is judged to
    be larger. As the order of the levels is known, this is a generalised linear model. The fit does
    not force the scale to rise, but the model is valid only if it does: intervals of a scale that
    falls and rises again are no distances.

    Attributes
    ----------
    scale_ : ndarray, shape (m,)
        Scale value of every level: 0 at the lowest, 1 at the highest.
    sigma_ : float
        Standard deviation (probit) or scale parameter of the noise, in units of `scale_`.
    unconstrained_ : ndarray, shape (m,)
        The scale in units of the noise: ``scale_ / sigma_``.
    standard_errors_ : ndarray, shape (m,)
        Of `unconstrained_`; 0 at the lowest level.
    scale_errors_ : ndarray, shape (m,)
        Of `scale_`, by the delta method; 0 at both ends.
    covariance_ : ndarray, shape (m, m)
        Of `unconstrained_`.
    levels_ : ndarray, shape (m,)
        Physical values, ascending; means of binned ones.
    level_of_ : ndarray of int, shape (n,)
        Position among the levels of every object.
    log_likelihood_, deviance_, null_deviance_, aic_ : float
        Of single answers, as in R's `glm`; the null model guesses.
    daf_ : float
        Deviance accounted for: 1 - deviance / null deviance.
    finite_ : bool
        False if the answers separate or leave levels open, so that no single finite scale is the
        most likely one. A normal prior then makes the scale finite: equal differences of
        neighbouring levels, with standard deviations of their own size, that add up to five times
        the noise. `sigma_` is then largely the prior's.
    lapse_, lapse_low_, lapse_high_ : ndarray, shape (k,), optional
        With `lapses`: rates of `observers_`, with 95 % profile-likelihood intervals.
    preference_, preference_errors_ : ndarray, shape (k,), optional
        With `order`: preferences of `observers_` for the second interval, in units of the noise.
    observers_ : ndarray of str, shape (k,), optional
        With either; one empty name for a shared rate.
    values_ : ndarray, shape (p,), optional
        With either: all estimates: the scale in units of the noise without its lowest level,
        preferences, and log odds of the rates.
    n_answers_ : int
        Answers used; the others compare no intervals.
    n_iter_ : int
    converged_, stopped_ : bool
    triplet_error_ : float
        Share of all answers that the scale contradicts.
    n_objects_ : int

    References
    ----------
    Maloney, L. T., & Yang, J. N. (2003). Maximum likelihood difference scaling. Journal of
    Vision, 3, 573-585.
    Knoblauch, K., & Maloney, L. T. (2008). MLDS: Maximum likelihood difference scaling in R.
    Journal of Statistical Software, 25(2).
    Wichmann, F. A., & Hill, N. J. (2001). The psychometric function: I. Fitting, sampling, and
    goodness of fit. Perception & Psychophysics, 63, 1293-1313: rates of lapses.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> brightness = np.linspace(0, 1, 6)[:, None] ** 0.5
    >>> answers = ts.simulate(brightness, 500, noise="positions", level=0.1)
    >>> fitted = ts.MLDS().fit(answers)
    >>> fitted.scale_.round(1).tolist()
    [0.0, 0.4, 0.6, 0.8, 0.8, 1.0]
    >>> len(fitted.scale_errors_)
    6
    """

    name = "mlds"
    title = "MLDS"

    stimulus: Stimulus = None
    most_levels: Annotated[int | None, Number(
        3, 1000, "Max. levels",
        "If there are more, neighbouring stimulus values are binned into this many levels and "
        "treated as equal.", automatic="one for every value"
    )] = None
    link: Annotated[str, Choice(
        {name: link.title for name, link in LINKS.items()}, "Link",
        "Distribution of the decision noise."
    )] = "probit"
    outside: Annotated[bool, Switch(
        "Use answers whose anchor lies at one end",
        "On a monotonic scale, their correct answer is certain beforehand, so the published method "
        "omits them.", advanced=True
    )] = False
    lapses: Annotated[str, Choice(
        LAPSES, "Lapses",
        "Proportion of trials in which an observer guesses, whatever was shown; estimated with the "
        "scale. Without it, a few errors in clear cases make all answers look noisy.",
        advanced=True, later=True
    )] = "none"
    order: Annotated[bool, Switch(
        "Preference for first or second",
        "Lets every observer prefer the first or the second interval, if the file records their "
        "order.", advanced=True, later=True
    )] = False

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """Columns of the answers that the fit reads beside those named by parameters."""
        of_lapses = ("participant",) if self.lapses == "each" else ()
        return (*of_lapses, "side") if self.order else of_lapses

    def fit(
        self, triplets: Any, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Estimate the most likely scale.

        Parameters
        ----------
        triplets : Triplets, Quadruples, Recorded, DataFrame or array-like of int
            See `tripletscope.core.scales.as_trials`.
        progress : Progress
            Called once; the fit takes milliseconds.

        Raises
        ------
        DataError
            If no answer compares two intervals of the stimulus.
        ValueError
            If a parameter is out of range.
        """
        if isinstance(triplets, pd.DataFrame):
            triplets = recorded(triplets)
        answers = self._to_learn(triplets, y, sample_weight, answers_of)
        is_recorded = isinstance(triplets, Recorded)
        triplets = replace(triplets, answers=answers) if is_recorded else answers
        trials = self.trials(triplets)
        plain = compared(trials, answers)
        self.finite_ = has_finite_optimum(plain.rows, plain.successes, plain.totals)
        with single_blas_thread():
            n, link = plain.n_coefficients, LINKS[self.link]
            flat = Prior(np.zeros(n), np.zeros((n, n)))
            fit = fit_lapses(
                plain, link, np.zeros(n), self._prior(trials) or flat, settled=_SETTLED
            )
            self.converged_, self.n_iter_ = fit.n_steps < MOST_STEPS, fit.n_steps
            self._keep(fit.values, fit.covariance)
            data = plain
            if self.lapses != "none" or self.order:
                data = self._comparisons(trials, triplets)
                self._fit_lapses(trials, data)
        self.levels_, self.level_of_ = trials.levels, trials.level_of
        self.n_objects_ = len(trials.level_of)
        self.n_answers_ = len(trials)
        self._summarise(trials, data)
        self.stopped_ = False
        self.triplet_error_ = 1.0 - self.score(answers)
        progress(1.0, loss=-self.log_likelihood_, snapshot=self.scale_[self.level_of_, None])
        return self

    def _to_predict(self, triplets: Any, y: Any = None, convert: Callable = answers_of) -> Any:
        """As in the fit, a table holds recorded trials."""
        is_table = isinstance(triplets, pd.DataFrame | Recorded)
        return super()._to_predict(triplets, y, answers_of if is_table else convert)

    def trials(self, data: Any) -> ScaleTrials:
        """Answers as trials of this method."""
        return as_trials(data, self.stimulus, outside=self.outside, most_levels=self.most_levels)

    def informing(self, triplets: Answers) -> np.ndarray:
        """(T,) bool: answers that compare intervals of the stimulus."""
        informs = np.zeros(len(triplets), dtype=bool)
        with suppress(DataError):  # no answer does
            informs[self.trials(triplets).answer] = True
        return informs & (triplets.weight > 0)

    def _comparisons(self, trials: ScaleTrials, data: Any) -> ObserverComparisons:
        """The observers' comparisons, by `lapses` and `order`."""
        return compared(trials, answers_of(data), self.lapses, self.order)

    @property
    def _estimated(self) -> np.ndarray:
        """(s,) all estimates: the values of `_comparisons`."""
        return self.values_ if self.lapses != "none" or self.order else self.unconstrained_[1:]

    def _fit_lapses(self, trials: ScaleTrials, data: ObserverComparisons) -> None:
        """Add lapses and preferences to the scale."""
        link, start = LINKS[self.link], self.unconstrained_[1:]
        fit = fit_lapses(data, link, start, self._prior(trials))
        if self.finite_ and not fit.identified:  # lapses may explain all errors
            self.finite_ = False
            fit = fit_lapses(data, link, start, self._prior(trials))
        n, p = len(start), data.n_coefficients
        self._keep(fit.values[:n], fit.covariance[:n, :n])
        self.values_, self.observers_ = fit.values, data.names
        if self.lapses != "none":
            self.lapse_ = expit(fit.values[p:])
            self.lapse_low_, self.lapse_high_ = rate_intervals(data, fit, link, self._prior(trials))
        if self.order:
            self.preference_ = fit.values[n:p]
            self.preference_errors_ = np.sqrt(np.diag(fit.covariance)[n:p])

    def _prior(self, trials: ScaleTrials) -> Prior | None:
        """The prior on all levels but the lowest, if no finite scale is most likely."""
        if self.finite_:
            return None
        n_levels = len(trials.levels)
        steps = np.diff(np.eye(n_levels), axis=0)[:, 1:]
        step = _USUAL_RANGE / (n_levels - 1)
        return Prior(step * np.arange(1, n_levels), steps.T @ steps / step**2)

    def _keep(self, values: np.ndarray, covariance: np.ndarray) -> None:
        self.unconstrained_ = np.concatenate([[0.0], values])
        self.covariance_ = np.pad(covariance, ((1, 0), (1, 0)))
        self.standard_errors_ = np.sqrt(np.diag(self.covariance_))
        highest = self.unconstrained_[-1]
        self.scale_ = standardised(self.unconstrained_)
        self.sigma_ = float(1.0 / highest) if highest else np.inf
        slopes = np.eye(len(self.scale_))
        slopes[:, -1] -= self.scale_
        with np.errstate(divide="ignore", invalid="ignore"):
            variances = np.einsum("ij,jk,ik->i", slopes, self.covariance_, slopes)
            self.scale_errors_ = np.sqrt(np.maximum(variances, 0.0)) / abs(highest)

    def _summarise(self, trials: ScaleTrials, data: ObserverComparisons) -> None:
        values = self._estimated
        each = data.log_likelihoods(values, LINKS[self.link], data.successes, data.totals)
        self.log_likelihood_ = float(each.sum())
        self.deviance_ = -2.0 * self.log_likelihood_
        self.null_deviance_ = float(2.0 * np.log(2.0) * trials.weight.sum())
        self.aic_ = self.deviance_ + 2.0 * len(values)
        self.daf_ = 1.0 - self.deviance_ / self.null_deviance_

    def predict_proba(self, triplets: Answers) -> np.ndarray:
        """Probability that each answer is another one, and that it is given.

        Preferences for the first or the second interval do not count; of lapses, the mean over
        observers does.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (T, 2)
        """
        lapse = float(np.mean(self.lapse_)) if self.lapses != "none" else 0.0
        given = lapse / 2 + (1 - lapse) * LINKS[self.link].tail(self.margins(triplets))
        return np.column_stack([1.0 - given, given])

    @property
    def explains(self) -> bool:
        """Whether the answers are more likely than guesses, by the likelihood-ratio test at 5 %."""
        self._require_fit()
        gained = max(self.null_deviance_ - self.deviance_, 0.0)
        return bool(chi2.sf(gained, len(self._estimated)) < _SIGNIFICANT)

    def distances(self) -> np.ndarray:
        """(n, n) absolute differences of the objects' scale values, in units of the noise."""
        self._require_fit()
        values = self.unconstrained_[self.level_of_]
        return np.abs(values[:, None] - values)


def standardised(unconstrained: np.ndarray) -> np.ndarray:
    """(..., m) scales from 0 at the lowest level to 1 at the highest; NaN if these are equal."""
    highest = unconstrained[..., -1:]
    return unconstrained / np.where(highest == 0, np.nan, highest)
