"""Quality by object, by sampler and over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import codes_of
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.inference.held_out.ceiling import both_ways, noise_ceiling, pairs_of
from tripletscope.core.inference.held_out.score import mean_over
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import known_people
from tripletscope.core.studies.quality.consistency import ratios, repeats, transitivity

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
