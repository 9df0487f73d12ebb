"""How heavy the tails of a map's response are: chosen by answers that were held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import in_parallel, single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import n_groups, question_folds
from tripletscope.core.models.embedding.tste import TSTE
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import map_losses, margins

#: Degrees of freedom, from Cauchy's tails to about STE's. The coarse ones are tried first; the
#: others only where the heaviest of these does not win.
_COARSE, _BETWEEN = (1.0, 5.0, 30.0), (2.0, 10.0, 100.0)
#: Answers, and answers for each coordinate, from which on a part of them decides.
_ENOUGH, _ENOUGH_PER_COORDINATE = 20_000, 60
#: Standard errors within which an error may be the lowest. With one, chance decides about few
#: answers more often; with two, people who differ look like light tails.
_NEAR = 1.5
#: Maps of folds need not be exact: their errors are compared.
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class TailChoice:
    """Degrees of freedom of t-STE that predict held-out answers best.

    Attributes
    ----------
    alpha : float or None
        None where there are too few questions to hold any out: then as `TSTE` without `alpha`.
    n_answers : int
        Answers that decided.
    alphas : ndarray, shape (k,)
        What was tried, ascending.
    errors : ndarray, shape (k,)
        Error on held-out answers.
    behind, spread : ndarray, shape (k,)
        Difference to the lowest error, and its standard error over questions and trials.
    log_likelihood : ndarray, shape (k,)
        Of held-out choices, their mean.
    """

    alpha: float | None
    n_answers: int
    alphas: np.ndarray
    errors: np.ndarray
    behind: np.ndarray
    spread: np.ndarray
    log_likelihood: np.ndarray

    @property
    def is_near(self) -> np.ndarray:
        """(k,) bool: whose error may be the lowest."""
        return self.behind <= _NEAR * self.spread

    @property
    def table(self) -> pd.DataFrame:
        """One row for each that was tried; ``near`` where the error may be the lowest."""
        columns = ("errors", "behind", "spread", "log_likelihood")
        return pd.DataFrame({
            "alpha": self.alphas, **{name: getattr(self, name) for name in columns},
            "near": self.is_near,
        }).rename(columns={"errors": "error"})

    def method(self, n_components: int = 2) -> TSTE:
        """t-STE with these tails, not fitted."""
        return TSTE(n_components=n_components, alpha=self.alpha)


@task("Choosing the tails of the response", "embedding")
def choose_tail(
    method: Method, triplets: Answers, *,
    folds: Annotated[int, Number(
        2, 20, "Folds", "Answers are split into this many folds; each is predicted from the others."
    )] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> TailChoice:
    """Choose the degrees of freedom of t-STE by answers that are held out.

    Among those whose held-out error is within 1.5 standard errors of the lowest (paired, by
    questions and trials), the one with the highest held-out likelihood. The likelihood alone
    would take people who differ for other tails, and the error alone decides little.

    Parameters
    ----------
    method : TSTE
        Not fitted; its `alpha` does not matter.
    triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        Of many, a part decides.
    progress : Progress
        Called after every number of degrees of freedom.

    Raises
    ------
    Stopped
        If `progress` asks to stop.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> chosen = ts.choose_tail(ts.TSTE(), answers)
    >>> ts.TSTE(alpha=chosen.alpha).fit(answers).embedding_.shape
    (14, 2)
    """
    triplets = _part_of(as_answers(triplets), method.n_components, seed)
    if n_groups(triplets) < folds:
        return _chosen({}, triplets)
    with single_blas_thread():
        trial = _Trial.of(triplets, method, folds, seed)
        found: dict[float, _Predictions] = {}
        for alphas in (_COARSE, _BETWEEN):
            for alpha in alphas:
                found[alpha] = trial.predictions(alpha)
                if progress(len(found) / (len(_COARSE) + len(_BETWEEN))):
                    raise Stopped
            choice = _chosen(found, triplets)
            if choice.alpha == _COARSE[0]:
                break
    return choice


@dataclass(frozen=True)
class _Predictions:
    """Of every answer whether it was predicted wrongly, and of every choice its logarithm."""

    wrong: np.ndarray
    log_likelihood: float


@dataclass(frozen=True)
class _Trial:
    """Answers in folds: those of a fold, and the others as they are learned from."""

    method: TSTE
    answers: Answers
    layout: AnswerLayout
    held_out: list[np.ndarray]
    tested: list[tuple[np.ndarray, Choices]]
    learned: list[AnswerLayout]

    @classmethod
    def of(cls, answers: Answers, method: Method, folds: int, seed: int) -> _Trial:
        fold = question_folds(answers, folds, np.random.default_rng(seed))
        held_out = [np.flatnonzero(fold == k) for k in range(folds)]
        # Once for all tails: taking answers with their columns takes as long as a fold's map.
        tested = [(of_fold.rows, of_fold.choices) for of_fold in map(answers.take, held_out)]
        learned = [AnswerLayout.of(answers.take(fold != k), True) for k in range(folds)]
        return cls(method, answers, AnswerLayout.of(answers, True), held_out, tested, learned)

    def predictions(self, alpha: float) -> _Predictions:
        """Of all folds, each begun at the map of all answers."""
        method = TSTE(**{**self.method.get_params(deep=False), "alpha": alpha})
        method.set_params(tol=_TOLERANCE)
        start = method.refitted(self.layout)
        wrong, total, number = np.empty(len(self.answers)), 0.0, 0.0
        each = in_parallel(
            lambda k, halt: self._of_fold(method, start, k),
            [(k,) for k in range(len(self.learned))], shared=True,
        )
        for which, (_, choices), (of_fold, losses) in zip(
            self.held_out, self.tested, each, strict=True
        ):
            wrong[which] = of_fold
            weight = choices.weight
            total, number = total - weight @ losses, number + weight.sum()
        return _Predictions(wrong, total / number)

    def _of_fold(self, method: TSTE, start: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Mistakes about the answers of a fold, and the losses of its choices."""
        positions = method.refitted(self.learned[k], start)
        rows, choices = self.tested[k]
        wrong = 0.5 - np.sign(margins(positions, rows)) / 2
        return wrong, map_losses(method._loss(), positions, choices)


def _chosen(found: Mapping[float, _Predictions], answers: Answers) -> TailChoice:
    """The most likely of those whose error may be the lowest."""
    alphas = sorted(found)
    if not found:
        return TailChoice(None, len(answers), *np.zeros((5, 0)))
    wrong = np.stack([found[alpha].wrong for alpha in alphas])
    likelihood = np.array([found[alpha].log_likelihood for alpha in alphas])
    weight = answers.weight / answers.weight.sum()
    errors = wrong @ weight
    differences = wrong - wrong[errors.argmin()]
    behind = differences @ weight
    spread = np.array([
        np.linalg.norm(np.bincount(answers.groups, weight * (each - mean)))
        for each, mean in zip(differences, behind, strict=True)
    ])
    tried = TailChoice(None, len(answers), np.array(alphas), errors, behind, spread, likelihood)
    return replace(tried, alpha=alphas[np.where(tried.is_near, likelihood, -np.inf).argmax()])


def _part_of(answers: Answers, n_components: int, seed: int) -> Answers:
    """The answers of positive weight, or of many a part: whole questions and trials."""
    weight = answers.weight
    if not weight.all():
        answers = answers.take(np.flatnonzero(weight))
    enough = max(_ENOUGH, _ENOUGH_PER_COORDINATE * n_components * answers.n_objects)
    parts = len(answers) // enough
    if parts < 2:
        return answers
    return answers.take(question_folds(answers, parts, np.random.default_rng(seed)) == 0)
