"""Quality of the answers of each participant, also to questions with a right answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import chisquare

from tripletscope.core.data.columns import (
    codes_of,
    divided,
    independent_share,
    one_per_trial,
    sides_of,
    trials_of_people,
)
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import N_ASKED, N_UNANSWERED, UNANSWERED
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.ceiling import both_ways, pairs_of
from tripletscope.core.inference.held_out.score import mistakes_on
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import different_pairs
from tripletscope.core.studies.quality.consistency import ratios

#: Fewer catch and gold questions of a participant say little: one slip is a third of them.
FEWEST_CHECKS = 3


def participants(
    triplets: Answers, *, catch_trials: pd.DataFrame | None = None, gold: Any = None
) -> pd.DataFrame:
    """Answers of each participant; unknown values are NaN.

    catch_trials: ``participant`` and ``correct``, as of `tripletscope.core.reading.Imported`.
    gold (G, 3): See `gold_mistakes`.
    Columns: ``participant``, ``answers``, ``trials`` (of ratings, rated pairs), ``questions``
        (different ones; of comparisons of ratings the independent ones: see `independent_share`);
        ``repeats`` (pairs of own answers to one question) and ``consistent`` (share that agree);
        ``compared`` (answers to questions of others) and ``agrees`` (share on the side of the
        others' majority); ``checks`` (catch and gold questions) and ``failed`` (share); 95 %
        intervals of these shares, such as ``consistent_low`` and ``consistent_high`` (of the first
        two by question); where questions may have no answer, ``asked``, ``skipped`` and ``late``
        (shares of them); with response times ``mean_time``, ``median_time`` and ``fastest`` (5th
        percentile), in seconds; with sides ``favourite``, ``favourite_share``, ``bias_p`` (that all
        sides are equally likely) and ``runs_p`` (that they follow each other at random).
    """
    who, names = codes_of(triplets, "participant")
    n = len(names)
    table = pd.DataFrame({"participant": names})
    named = who >= 0
    table["answers"] = np.bincount(who[named], minlength=n)
    table["trials"] = trials_of_people(triplets, who, n)
    table["questions"] = np.rint(_independent(triplets, who, n)).astype(np.int64)
    for (cases, share), shares_of in (
        (("repeats", "consistent"), _own_repeats(triplets, who, n)),
        (("compared", "agrees"), _with_others(triplets, who, n)),
        (("checks", "failed"), _checks(triplets, who, names, catch_trials, gold)),
    ):
        total, *shares = shares_of
        table[cases] = np.rint(total).astype(np.int64)
        table[share], table[f"{share}_low"], table[f"{share}_high"] = shares
    answers = triplets.answers
    by_who = pd.Series(np.where(named, who, -1))
    if {N_ASKED, *N_UNANSWERED} <= {*answers}:
        asked = pd.DataFrame({
            name: pd.to_numeric(answers[name].astype("str"), errors="coerce").to_numpy()
            for name in (N_ASKED, *N_UNANSWERED)
        }).groupby(by_who).first().reindex(range(n))
        table["asked"] = asked[N_ASKED].to_numpy()
        for why, name in zip(UNANSWERED, N_UNANSWERED, strict=True):
            table[why] = (asked[name] / asked[N_ASKED]).to_numpy()
    if "response_time" in answers:
        times = answers["response_time"].groupby(by_who)
        for column, values in (
            ("mean_time", times.mean()), ("median_time", times.median()),
            ("fastest", times.quantile(0.05)),
        ):
            table[column] = values.reindex(range(n)).to_numpy()
    if "side" in answers:
        table = pd.concat([table, _sides(triplets, who, n)], axis=1)
    return table


def _independent(triplets: Answers, who: np.ndarray, n: int) -> np.ndarray:
    """(n,) different questions of each participant, as far as they are independent."""
    named = np.flatnonzero(who >= 0)
    person, question, group = different_pairs(who[named], triplets.questions[named])
    share = np.zeros(len(question))
    share[group] = independent_share(triplets)[named]
    return np.bincount(person, share, n)


def _most(triplets: Answers, who: np.ndarray, n: int, cases: np.ndarray) -> np.ndarray:
    """(n,) largest effective number of cases: that of raters is of their independent questions."""
    rates = np.bincount(who[who >= 0], triplets.held_together[who >= 0], n) > 0
    return np.where(rates, np.minimum(_independent(triplets, who, n), cases), cases)


#: Cases of each participant, and a share of them with the ends of its interval.
_Shares = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _own_repeats(triplets: Triplets, who: np.ndarray, n: int) -> _Shares:
    named = np.flatnonzero(who >= 0)
    person, _, group = different_pairs(who[named], triplets.questions[named])
    same, pairs = pairs_of(both_ways(triplets.take(named), group, len(person)))
    return ratios(same, pairs, person, n, _most(triplets, who, n, np.bincount(person, pairs, n)))


def _with_others(triplets: Triplets, who: np.ndarray, n: int) -> _Shares:
    """Answers to questions of others, and the share on the side of the others' majority."""
    question = triplets.questions
    all_counts = both_ways(triplets, question, int(question.max(initial=0)) + 1)
    person, _, group = different_pairs(who, question)
    mine = both_ways(triplets, group, len(person))
    # Differences of fractional weights are not exactly 0.
    others = np.round(all_counts[question] - mine[group], 9)
    t, verdicts = np.arange(len(triplets)), triplets.verdicts
    lead = others[t, verdicts] - others[t, 1 - verdicts]
    counted = (others.sum(axis=1) > 0) & (who >= 0)
    compared = np.bincount(group[counted], minlength=len(person))
    agree = np.bincount(group[counted], 0.5 + np.sign(lead[counted]) / 2, len(person))
    named = person >= 0
    cases = np.bincount(person[named], compared[named], n)
    return ratios(agree[named], compared[named], person[named], n, _most(triplets, who, n, cases))


def _checks(
    triplets: Triplets, who: np.ndarray, names: list[str], catch_trials: pd.DataFrame | None,
    gold: Any,
) -> _Shares:
    total, wrong = np.zeros(len(names)), np.zeros(len(names))
    if gold is not None:
        mistakes = gold_mistakes(triplets, gold)
        counted = np.isfinite(mistakes) & (who >= 0)
        total += np.bincount(who[counted], minlength=len(names))
        wrong += np.bincount(who[counted], mistakes[counted], len(names))
    if catch_trials is not None and len(catch_trials):
        place = {name: i for i, name in enumerate(names)}
        if "participant" in triplets.answers:
            named = catch_trials.reindex(columns=["participant"])["participant"]
            whose = named.astype("str").map(place)
        else:  # without names, all are one participant
            whose = pd.Series(0, catch_trials.index)
        counted = whose.notna().to_numpy()
        whose = whose[counted].to_numpy(dtype=np.int64)
        failed = ~catch_trials["correct"].to_numpy(dtype=bool)[counted]
        total += np.bincount(whose, minlength=len(names))
        wrong += np.bincount(whose, failed, len(names))
    failed = divided(wrong, total)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total, failed, *wilson(failed, total)


def _sides(triplets: Triplets, who: np.ndarray, n: int) -> pd.DataFrame:
    """Favourite side of each participant, and p values of chance."""
    side, names = sides_of(triplets)
    names = names or [""]
    counted = one_per_trial(triplets) & (side >= 0) & (who >= 0)
    counts = np.zeros((n, len(names)), dtype=np.int64)
    np.add.at(counts, (who[counted], side[counted]), 1)
    total, favourite = counts.sum(axis=1), counts.argmax(axis=1)
    sides = pd.DataFrame({
        "who": who, "side": side, "time": triplets.answers.get("time", 0.0)
    })[counted].sort_values("time", kind="stable")
    runs = sides.groupby("who")["side"].agg(runs_test).reindex(range(n)).to_numpy(dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = chisquare(counts, axis=1).pvalue
    return pd.DataFrame({
        "favourite": np.where(total > 0, np.array(names, dtype=object)[favourite], ""),
        "favourite_share": divided(counts.max(axis=1), total),
        "bias_p": np.where(total > 0, p, np.nan), "runs_p": runs,
    })


def runs_test(values: np.ndarray) -> float:
    """Two-sided p that the order of some categories is random, given how often each occurs.

    The number of runs is taken as normal, with mean (N (N + 1) - sum n_i^2) / N and the variance of
    Wald & Wolfowitz (1940) for two, of Mood (1940) for more categories. NaN for fewer than ten
    values, or one category.
    """
    values = np.asarray(values)
    counts = np.unique(values, return_counts=True)[1].astype(float)
    size = counts.sum()
    if size < 10 or len(counts) < 2:
        return np.nan
    runs = 1 + np.count_nonzero(values[1:] != values[:-1])
    squares, cubes = (counts**2).sum(), (counts**3).sum()
    mean = (size * (size + 1) - squares) / size
    variance = (
        squares * (squares + size * (size + 1)) - 2 * size * cubes - size**3
    ) / (size**2 * (size - 1))
    if variance <= 0:
        return np.nan
    return float(2 * ndtr(-abs(runs - mean) / np.sqrt(variance)))


@dataclass(frozen=True, eq=False)
class MapAgreement:
    """How well a map of the others' answers predicts each participant.

    Attributes
    ----------
    participants : ndarray of str, shape (P,)
    answers : ndarray of int, shape (P,)
    predicted : ndarray, shape (P,)
        Share of their answers; NaN for who has none.
    low, high : ndarray, shape (P,)
        95 %, by question.
    wrong : ndarray, shape (T,)
        How wrongly each answer was predicted, from 0 (right) to 1; NaN where nobody is named.
    """

    participants: np.ndarray
    answers: np.ndarray
    predicted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    wrong: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """``participant``, ``answers``, ``predicted``, ``low`` and ``high``."""
        return pd.DataFrame({
            "participant": self.participants, "answers": self.answers,
            "predicted": self.predicted, "low": self.low, "high": self.high,
        })


@task("Predicting each participant", columns=("participant",))
def agreement_with_map(
    method: Method, triplets: Answers, *,
    folds: Annotated[
        int, Number(2, 100, "Folds", "Largest number; with fewer participants, each is a fold.")
    ] = 10,
    seed: Seed = 0, progress: Progress = silent,
) -> MapAgreement:
    """How well a map of the others' answers predicts each participant, in folds of participants."""
    who, names = codes_of(triplets, "participant")
    if len(names) < 2:
        raise DataError(
            "there are fewer than two participants to compare", file=triplets.name,
            remedy="Choose the column that names the participant.",
        )
    folds = min(folds, len(names))
    fold = np.append(np.random.default_rng(seed).permutation(len(names)) % folds, -1)[who]
    jobs = [(method, triplets, fold != k, fold == k) for k in range(folds)]
    wrong = np.full(len(triplets), np.nan)
    for k, mistakes in enumerate(results_of(mistakes_on, jobs, progress)):
        wrong[fold == k] = mistakes
    places = np.flatnonzero(np.isfinite(wrong) & (triplets.weight > 0) & (who >= 0))
    answers = np.bincount(who[places], minlength=len(names))
    # Comparisons of a person's ratings are one group, in which nothing would vary.
    groups = np.where(triplets.held_together, triplets.questions, triplets.groups + len(triplets))
    person, _, group = different_pairs(who[places], groups[places])
    weight = triplets.weight[places]
    _, *right = ratios(
        np.bincount(group, weight * (1 - wrong[places])), np.bincount(group, weight),
        person, len(names), _most(triplets, who, len(names), answers),
    )
    return MapAgreement(np.array(names), answers, *right, wrong)


# Questions with a right answer ------------------------------------------------------------------


def obvious(fitted: Method, triplets: Triplets, least: float = 0.6) -> Triplets:
    """The map's answers to questions that it makes obvious, as gold questions.

    least: Smallest difference of their distances, as a share of the sum: with 0.6, far is four
        times as far as near.
    """
    first = np.unique(triplets.questions, return_index=True)[1]
    rows = triplets.rows[first].copy()
    distances = fitted.distances()
    near, far = distances[rows[:, 0], rows[:, 1]], distances[rows[:, 0], rows[:, 2]]
    with np.errstate(invalid="ignore"):
        contrast = (far - near) / (far + near)
    reverse = contrast < 0
    rows[reverse] = rows[reverse][:, [0, 2, 1]]
    clear = np.abs(contrast) >= least
    return Triplets(rows[clear], triplets.objects, name=f"obvious questions of {triplets.name}")


def gold_mistakes(triplets: Triplets, gold: Triplets) -> np.ndarray:
    """(T,) 1 where an answer contradicts a gold question, 0 where it agrees, NaN for no gold.

    gold (G, 3): Right answers about the same objects; triplets are matched by object ids.
    """
    rows = _gold_rows(triplets, gold)
    n = np.int64(triplets.n_objects)

    def codes(which: np.ndarray) -> np.ndarray:
        anchor, near, far = which.T.astype(np.int64)
        return (anchor * n + near) * n + far

    right, wrong = codes(rows), codes(rows[:, [0, 2, 1]])
    if np.isin(right, wrong).any():
        row = int(np.argmax(np.isin(right, wrong)))
        raise DataError(
            "a gold question has two different answers", row=row, remedy="Keep the right one.",
        )
    answers = codes(triplets.rows)
    mistakes = np.full(len(triplets), np.nan)
    mistakes[np.isin(answers, right)] = 0.0
    mistakes[np.isin(answers, wrong)] = 1.0
    return mistakes


def _gold_rows(triplets: Triplets, gold: Any) -> np.ndarray:
    if not isinstance(gold, Triplets):
        return Triplets(gold, triplets.objects).rows
    place = {name: i for i, name in enumerate(triplets.ids)}
    unknown = [name for name in gold.ids if name not in place]
    used = gold.answers_per_object > 0
    lacking = [name for name, is_used in zip(gold.ids, used, strict=True)
               if is_used and name in unknown]
    if lacking:
        raise DataError(
            f"the gold questions name {lacking[0]!r}, which is not an object of {triplets.name}",
            file=gold.name, remedy="Name the objects as the answers do.",
        )
    lookup = np.array([place.get(name, -1) for name in gold.ids], dtype=np.int64)
    return lookup[gold.rows]
