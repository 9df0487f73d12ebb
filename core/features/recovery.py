"""Recovery of the right feature space: answers simulated from each, predicted by all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.explain import SCHEMES, ObjectFolds, TrialFolds
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.models import MODELS
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.features.splits import (
    ChoiceSets,
    Division,
    averaged,
    divisions_of,
    fitted_to,
    predict,
    prepared,
)

#: Share of simulations in which a recovered space wins.
RECOVERED = 0.95
#: Normal quantile of that.
_QUANTILE = 1.645


@dataclass(frozen=True)
class Recovered:
    """Which of s feature spaces predicts answers that were simulated from each of them best.

    Rows of arrays (s, s) are the simulated space, columns the predicting one.

    Attributes
    ----------
    spaces : list of str
    model : {"raw", "weighted", "linear"}
    scheme : {"objects", "trials"}
        Held-out units.
    best : ndarray, shape (s, s)
        Share of simulations in which a space predicts best; a tie is divided.
    wins : ndarray, shape (s, s)
        Share of simulations in which the simulated space predicts better than another; a tie (and
        the diagonal) is one half.
    accuracy : ndarray, shape (s, s)
        Mean accuracy on held-out choices.
    ahead, spread : ndarray, shape (s, s)
        Accuracy of the simulated space minus that of another: mean and standard deviation over
        simulations.
    n_choices, n_predicted : int
        Choices, and held-out choices, of each simulation.
    repeats : int
    not_held_out : dict
        Why objects were not held out: a ``code`` and its numbers; empty where they were.
    """

    spaces: list[str]
    model: str
    scheme: str
    best: np.ndarray
    wins: np.ndarray
    accuracy: np.ndarray
    ahead: np.ndarray
    spread: np.ndarray
    n_choices: int
    n_predicted: int
    repeats: int
    not_held_out: dict = field(default_factory=dict)

    @property
    def confused(self) -> list[tuple[int, int]]:
        """Pairs of spaces of which one predicts the other's answers as well or better too often.

        The larger share of errors first. Spaces that predict nothing are among them.
        """
        least = np.minimum(self.wins, self.wins.T)
        pairs = [(i, j) for i, j in zip(*np.triu_indices(len(least), 1), strict=True)
                 if least[i, j] < RECOVERED]
        return sorted(((int(i), int(j)) for i, j in pairs), key=lambda pair: least[pair])

    @property
    def needed(self) -> np.ndarray:
        """(s, s) number of such choices that would suffice; NaN where the lead is not clear.

        The lead of the right space grows with the number of choices, its standard deviation with
        the root of it. A lead within two standard errors of 0 is not clear.
        """
        sure = self.ahead * np.sqrt(self.repeats) > 2 * self.spread
        with np.errstate(divide="ignore", invalid="ignore"):
            times = (_QUANTILE * self.spread / self.ahead) ** 2
        return np.where(sure, self.n_choices * times, np.nan)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each simulated and each predicting space."""
        i, j = np.indices(self.best.shape).reshape(2, -1)
        names = np.array(self.spaces, dtype=object)
        return pd.DataFrame({
            "simulated": names[i], "predicts": names[j], "best": self.best[i, j],
            "wins": self.wins[i, j], "accuracy": self.accuracy[i, j],
            "ahead": self.ahead[i, j], "needed": self.needed[i, j],
        })


@task("Recovering feature spaces", "spaces")
def recover_spaces(
    spaces: FeatureModel, answers: Answers, *,
    model: Annotated[str, Choice(
        {"raw": "As they are", "weighted": "Weighted dimensions", "linear": "Linear transform"},
        "Model", "Parameters learned for a space. More of them make it harder to identify the "
        "space behind the answers."
    )] = "linear",
    repeats: Annotated[int, Number(
        5, 1000, "Simulations", "Number of simulated data sets for each space.",
    )] = 20,
    object_folds: ObjectFolds = 3, folds: TrialFolds = 5,
    components: Annotated[int, Number(
        2, 200, "Components", "Features beyond this number are transformed by their principal "
        "components.", advanced=True,
    )] = 50,
    seed: Seed = 0, progress: Progress = silent,
) -> Recovered:
    """Whether the space behind simulated answers predicts them best.

    Each space is fitted to the people's answers, and gives answers to the same questions, as
    noisy as theirs. Every space is fitted to these and predicts held-out ones.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
        At least two.
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    model : str
        "raw" for a space that it does not suit.

    Raises
    ------
    DataError
        If there is one space, or too few choices are about objects of all spaces.

    Notes
    -----
    Objects are held out where there are enough, else trials. Each space keeps the penalty of its
    fit to the people's answers. Later choices of a ranking are drawn among the options that people
    had left.

    References
    ----------
    Avitan, I., & Golan, T. (2025). Model recovery from similarity judgments. arXiv:2510.23321.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> x = np.random.default_rng(0).normal(size=(30, 2))
    >>> answers = ts.simulate(x, 600, noise="logistic", seed=0)
    >>> one, other = (ts.features.FeatureSpace(name=str(k), values=x[:, [k]]) for k in range(2))
    >>> ts.features.recover_spaces([one, other], answers, model="raw", repeats=5).confused
    []
    """
    answers = as_answers(answers)
    tables, has_features, data = prepared(spaces, answers)
    if len(tables) < 2:
        raise DataError(
            "there is only one feature space, and recovery compares several",
            file=answers.name, remedy="Give at least two.",
        )
    divided, refused = divisions_of(answers, has_features, data, object_folds, folds, seed)
    scheme = next(name for name in SCHEMES if divided[name])
    no_fold = np.ones(len(answers)) if scheme == "trials" else None
    whole = Division(has_features, np.zeros_like(has_features), no_fold)
    candidates, dissimilarities = _candidates(
        tables, model, data, whole, components, seed, part(progress, high=0.2)
    )
    seeds = np.random.SeedSequence(seed).spawn(repeats)
    pieces = [
        (candidates, dissimilarity, data, divided[scheme], components, one)
        for dissimilarity in dissimilarities for one in seeds
    ]
    rates = np.array(list(results_of(_simulate, pieces, part(progress, low=0.2))))
    s = len(tables)
    rates = np.round(rates.reshape(s, repeats, s), 12)  # equal accuracies tie
    top = rates == rates.max(axis=2, keepdims=True)
    mine = rates[np.arange(s), :, np.arange(s)][:, :, None]
    lead = mine - rates
    predicted = np.logical_or.reduce([one.predicted(data.choices) for one in divided[scheme]])
    progress(1.0)
    return Recovered(
        [space.name for space in tables], model, scheme,
        (top / top.sum(axis=2, keepdims=True)).mean(axis=1),
        (0.5 * (lead > 0) + 0.5 * (lead >= 0)).mean(axis=1), rates.mean(axis=1),
        lead.mean(axis=1), lead.std(axis=1, ddof=1),
        len(data.choices), int(predicted.sum()), repeats, refused,
    )


def _candidates(
    tables: list[FeatureSpace], model: str, data: ChoiceSets, whole: Division, components: int,
    seed: int, progress: Progress,
) -> tuple[list[tuple[FeatureSpace, str, float]], list[np.ndarray]]:
    """Spaces with the model that suits each and its penalty, and the fitted dissimilarities."""
    names = [model if MODELS[model].fits(space) else "raw" for space in tables]
    pieces = [
        (space, name, data, whole, components, seed)
        for space, name in zip(tables, names, strict=True)
    ]
    strengths, dissimilarities = zip(*results_of(fitted_to, pieces, progress), strict=True)
    return list(zip(tables, names, strengths, strict=True)), list(dissimilarities)


def drawn_choices(choices: Choices, dissimilarity: np.ndarray, rng: np.random.Generator) -> Choices:
    """The same choices as drawn by dissimilarities (u,) of the different pairs, as log-odds."""
    # Gumbel noise makes an order a draw by Plackett and Luce.
    liking = -choices.sign[choices.stage] * dissimilarity[choices.place]
    order = np.lexsort((-(liking + rng.gumbel(size=len(liking))), choices.stage))
    return replace(choices, pairs=choices.pairs[order])


def _simulate(
    candidates: list[tuple[FeatureSpace, str, float]], dissimilarity: np.ndarray, data: ChoiceSets,
    divisions: list[Division], components: int, seed: np.random.SeedSequence, halt: CancelToken,
) -> list[float]:
    """(s,) accuracy of every space on answers that were drawn from one."""
    choices = drawn_choices(data.choices, dissimilarity, np.random.default_rng(seed))
    drawn = ChoiceSets(choices, choices, data.groups, data.company)
    result = []
    for space, name, strength in candidates:
        parts = [
            predict(space, name, drawn, division, components, 0, halt, strength).right
            for division in divisions
        ]
        right = averaged(parts, divisions, choices)
        there = np.isfinite(right)
        result.append(float(np.average(right[there], weights=choices.weight[there])))
    return result
