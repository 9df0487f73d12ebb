"""All results about answers that need no fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import codes_of
from tripletscope.core.data.question_kinds import N_SILENT, UNANSWERED
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.ceiling import (
    Ceiling,
    both_ways,
    noise_ceiling,
    pairs_of,
    people_differ,
)
from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, choice_accuracies
from tripletscope.core.inference.held_out.score import mean_over
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import ENOUGH, known_people
from tripletscope.core.inference.validity import Doubt, doubts
from tripletscope.core.studies.quality.consistency import (
    Coverage,
    Repeats,
    coverage,
    ratios,
    repeats,
    transitivity,
)
from tripletscope.core.studies.quality.people import participants
from tripletscope.core.studies.quality.verdict import Finding


@short_repr
@dataclass(frozen=True, eq=False)
class QualityReport:
    """Quality of answers; see the functions of the same names.

    Attributes
    ----------
    repeats : Repeats
    ceiling : Ceiling
    coverage : Coverage
    participants, objects, samplers, over_time : DataFrame
    checks : Share
        Of catch and gold questions that were answered wrong.
    circular : Share
        Of triples of options that are circular; unknown for comparisons of pairs.
    sides : Finding
        Preference for a side: "unknown", "of all" taken together, "of all none", "of some"
        participants, who are named, or "of none".
    choices : list of ChoiceAccuracy
        Chance and noise ceiling of every kind of choice among more than two.
    unanswered : dict of str to Share
        Of the questions asked, also of people who answered nothing and of whom nothing else is
        known, those that were ``skipped`` and those that were ``late``; empty where none can be.
    doubts : tuple of Doubt
        What these answers do not say; see `tripletscope.doubts`.
    """

    repeats: Repeats
    ceiling: Ceiling
    coverage: Coverage
    participants: pd.DataFrame
    objects: pd.DataFrame
    samplers: pd.DataFrame
    over_time: pd.DataFrame
    checks: Share
    circular: Share
    sides: Finding
    choices: list[ChoiceAccuracy]
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)
    unanswered: dict[str, Share] = field(default_factory=dict)

    @property
    def doubted(self) -> tuple[str, ...]:
        """Codes of the doubts."""
        return tuple(doubt.code for doubt in self.doubts)


def quality(
    triplets: Answers, *, catch_trials: pd.DataFrame | None = None, gold: Any = None,
    wrong: np.ndarray | None = None,
) -> QualityReport:
    """All results about answers that need no fit.

    Parameters
    ----------
    triplets : Triplets or Quadruples
    catch_trials : DataFrame, optional
        As `tripletscope.core.reading.Imported.catch_trials`.
    gold : Triplets or array-like, shape (G, 3), optional
        Right answers to some questions, see `gold_mistakes` and `obvious`.
    wrong : ndarray, shape (T,), optional
        Held-out error of each answer's prediction by a map.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> report = ts.quality(answers)
    >>> report.circular.n, round(float(report.circular.value), 3)
    (563, 0.004)
    """
    people = participants(triplets, catch_trials=catch_trials, gold=gold)
    things = objects(triplets)
    n_checks = people["checks"].to_numpy(dtype=float)
    failed = np.nan_to_num(people["failed"].to_numpy(dtype=float)) * n_checks
    checks = Share.of(failed.sum(), n_checks.sum())
    if np.count_nonzero(n_checks) >= ENOUGH:
        checks = Share.over_people(failed, n_checks)
    circular = Share.of(0, 0)
    if "circular" in things:
        circular = Share.of(things["circular"].sum(), things["triples"].sum())
    return QualityReport(
        repeats(triplets), replace(noise_ceiling(triplets), differ=people_differ(triplets)),
        coverage(triplets), people, things,
        samplers(triplets), over_time(triplets, wrong), checks, circular,
        _side_bias(people, "participant" in triplets.answers), choice_accuracies(triplets),
        tuple(doubts(triplets)), _unanswered(people, triplets),
    )


def _unanswered(people: pd.DataFrame, triplets: Answers) -> dict[str, Share]:
    """Over all people, also those who answered nothing."""
    if "asked" not in people:
        return {}
    asked = people["asked"].fillna(0).to_numpy()
    silent = [
        0.0 if name not in triplets.answers or not len(triplets)
        else float(triplets.answers[name].iloc[0]) for name in N_SILENT
    ]
    return {
        why: Share.of(float(np.rint((people[why].fillna(0).to_numpy() * asked).sum())) + more,
                      float(asked.sum()) + sum(silent))
        for why, more in zip(UNANSWERED, silent, strict=True)
    }


def _side_bias(people: pd.DataFrame, named: bool) -> Finding:
    """Participants who prefer a side, or all taken together where none are named."""
    if "favourite_share" not in people:
        return Finding("unknown")
    # Bonferroni: one in a hundred people without a preference has p < 0.01.
    tested = int(people["bias_p"].notna().sum())
    biased = people[people["bias_p"] * max(tested, 1) < 0.01]
    if not named:
        return Finding("of all" if len(biased) else "of all none")
    who = tuple(biased.sort_values("bias_p", kind="stable")["participant"].astype(str))
    values = {"number": len(who), "people": len(people), "tested": tested}
    return Finding("of some" if who else "of none", values, who)


#: Parts of the answers of each participant.
STRETCHES = 5


def objects(triplets: Answers) -> pd.DataFrame:
    """Answers about each object.

    Columns: ``id``, ``label``, ``answers``; ``repeats`` (pairs of answers to one of its questions),
    ``consistent`` (share that agree) with ``consistent_low`` and ``consistent_high``; for triplets
    also ``as_anchor``, ``as_near``, ``as_far``, and ``triples`` and ``circular`` of `transitivity`.
    """
    n, rows = triplets.n_objects, triplets.rows
    table = pd.DataFrame({"id": triplets.ids, "label": triplets.labels})
    table["answers"] = triplets.answers_per_object
    are_triplets = isinstance(triplets, Triplets)
    if are_triplets:
        for role, column in enumerate(("as_anchor", "as_near", "as_far")):
            table[column] = np.bincount(rows[:, role], minlength=n)
    question = triplets.questions
    first = np.unique(question, return_index=True)[1]
    same, pairs = pairs_of(both_ways(triplets, question, len(first)))
    of, place = np.nonzero(triplets.is_first_mention[first])
    total, *shares = ratios(same[of], pairs[of], rows[first][of, place], n)
    table["repeats"] = np.rint(total).astype(np.int64)
    table["consistent"], table["consistent_low"], table["consistent_high"] = shares
    if not are_triplets:
        return table
    circles = transitivity(triplets)
    return table.assign(triples=circles["triples"], circular=circles["circular"])


def samplers(triplets: Answers) -> pd.DataFrame:
    """Answers and their consistency by sampler: active sampling picks harder questions.

    Columns: ``sampler``, ``answers``, ``questions``, ``repeated``, ``contradicted``; ``agree`` of
    two answers to a question, ``low``, ``high``; bounds of `noise_ceiling` ``lower``,
    ``lower_low``, ``lower_high``, ``upper``, ``upper_low``, ``upper_high``; ``participants`` of the
    intervals, 0 for answers; with times ``median_time``.
    """
    codes, names = codes_of(triplets, "sampler")
    rows = []
    for i, name in enumerate(names):
        answers = triplets.take(codes == i)
        pairs, ceiling = repeats(answers), noise_ceiling(answers)
        both = pairs.between if pairs.between.n else pairs.within
        bounds = (bound or Share.of(0, 0) for bound in (ceiling.lower, ceiling.upper))
        reach = [end for b in bounds for end in (b.value, b.low, b.high)]
        times, people = answers.answers.get("response_time"), known_people(answers, "auto")
        rows.append((
            name, len(answers), pairs.questions, pairs.repeated, pairs.contradicted, both.value,
            both.low, both.high, *reach, 0 if people is None else people.number,
            np.nan if times is None else times.median(),
        ))
    return pd.DataFrame(rows, columns=[
        "sampler", "answers", "questions", "repeated", "contradicted", "agree", "low", "high",
        "lower", "lower_low", "lower_high", "upper", "upper_low", "upper_high", "participants",
        "median_time",
    ])


def over_time(triplets: Answers, wrong: np.ndarray | None = None) -> pd.DataFrame:
    """Answers in equal stretches of each participant's, by time or else order in the file.

    wrong (T,): As `tripletscope.core.inference.held_out.score.ErrorEstimate.wrong`.
    Columns: ``stretch`` (from 1), ``answers``; with times ``median_time``; with sides
        ``favourite_share``; with `wrong` ``predicted``, ``low`` and ``high``.
    """
    stretch = _stretches(triplets)
    answers = triplets.answers
    rows = []
    for k in range(STRETCHES):
        places = np.flatnonzero(stretch == k)
        row: dict[str, Any] = {"stretch": k + 1, "answers": len(places)}
        if "response_time" in answers:
            row["median_time"] = answers["response_time"].iloc[places].median()
        if "side" in answers:
            shares = answers["side"].iloc[places].value_counts(normalize=True)
            row["favourite_share"] = shares.max() if len(shares) else np.nan
        if wrong is not None:
            some = places[np.isfinite(wrong[places]) & (triplets.weight[places] > 0)]
            interval = (np.nan,) * 3 if not len(some) else mean_over(
                known_people(triplets.take(some), "auto"), wrong[some], triplets.weight[some],
                triplets.groups[some],
            )
            row |= {"predicted": 1 - interval[0], "low": 1 - interval[2], "high": 1 - interval[1]}
        rows.append(row)
    return pd.DataFrame(rows)


def _stretches(triplets: Answers) -> np.ndarray:
    """(T,) stretch of each answer among its participant's."""
    table = pd.DataFrame({
        "who": codes_of(triplets, "participant")[0], "time": triplets.answers.get("time", 0.0),
    })
    each = table.sort_values("time", kind="stable").groupby("who")["who"]
    return (each.cumcount() * STRETCHES // each.transform("size")).sort_index().to_numpy()
