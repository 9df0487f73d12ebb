"""The collected answers, exclusions and weights, and their effects on prediction."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import one_per_trial
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.inference.held_out.units import participants_of
from tripletscope.core.people.treatments import TREATMENTS, Treatments
from tripletscope.core.run import Run
from tripletscope.core.studies.quality.exclusion import (
    MANUAL,
    WEIGHTS,
    Cleaning,
    Preview,
)
from tripletscope.core.studies.quality.people import FEWEST_CHECKS
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words

#: Most names in a sentence, and examples of gold questions.
_NAMED, _EXAMPLES = 12, 5


# What was collected ------------------------------------------------------------------------------


@presents(Cleaning)
def cleaning_of(shown: ShownResults, cleaning: Cleaning) -> Iterator[Statement]:
    """The collected answers, and exclusions or weights step by step."""
    raw, kept = cleaning.raw, cleaning.triplets
    yield Statement(_derived(raw, shown.measured) if shown.measured else words(
        "collected", objects=raw.n_objects, trials=trials_of(raw),
    ))
    if shown.asked:
        yield Statement(words("asked", task=unmarked(shown.asked).rstrip(".?! ")))
    catch = cleaning.catch_trials
    if catch is not None and len(catch):
        yield Statement(words("catch", number=len(catch), share=catch["correct"].mean()))
    if not cleaning.exclusions:
        yield Statement(words("no exclusions"))
        return
    yield Statement(words(
        "excluded", steps="; ".join(steps_said(cleaning)), left=trials_of(kept),
        objects=int((kept.answers_per_object > 0).sum()),
    ))


def steps_said(cleaning: Cleaning, *, named: bool = False) -> Iterator[str]:
    """What each exclusion left out.

    named: Whether also who was left out by a rule, for the page alone.
    """
    for step, removed in zip(cleaning.exclusions, cleaning.previews, strict=True):
        title = step.title[:1].lower() + step.title[1:]
        reason = f" ({unmarked(step.reason)})" if step.reason else ""
        if step.rule == WEIGHTS:
            weights = step.parameters["weights"]
            yield words(
                "weighted", title=title, reason=reason, people=len(weights),
                median=float(np.median(weights)), least=min(weights),
                effective=round(cleaning.effective),
            )
            continue
        people = removed.participants
        entirely = words("entirely", people=len(people)) if people else ""
        if people and (named or step.rule == MANUAL):  # no rule says who these are
            names = [unmarked(name) for name in short_people(people).values()]
            entirely += words("named people", names=words.first(names, _NAMED))
        yield words(
            "exclusion", title=title, reason=reason, entirely=entirely,
            trials=_size(removed.n_trials, removed.n_answers, cleaning.raw),
        )


def _size(n_trials: int, n_answers: int, among: Answers) -> str:
    """Trials, and their answers where these are more; nobody was asked comparisons of ratings."""
    if among.are_rated:
        return words.count(n_answers, "derived comparison")
    text = words.count(n_trials, "trial")
    return text if n_trials == n_answers else f"{text} ({words.count(n_answers, 'answer')})"


def trials_of(answers: Answers) -> str:
    once = one_per_trial(answers)
    who, people = participants_of(answers)
    text = _size(int(once.sum()), len(answers), answers)
    if people and answers.are_rated:
        text += words("from people", people=words.count(people, "participant"))
    elif people:
        each = np.bincount(who[once & (who >= 0)], minlength=people)
        least, most = int(each.min()), int(each.max())
        text += words("from people", people=words.count(people, "participant"))
        text += words("each", number=words.whole(least)) if least == most else words(
            "each in the median", median=words.whole(int(np.median(each) + 0.5)),
            least=words.whole(least), most=words.whole(most),
        )
    return text


def _derived(raw: Answers, measured: str) -> str:
    """Measured values, and the answers derived from them."""
    people = participants_of(raw)[1]
    # A matrix without participants may hold anything.
    kind = "values" if measured == "ratings" and not people else measured
    return words(
        "derived", kind=words(f"measured {kind}"), objects=raw.n_objects, answers=len(raw),
        whose=words("from people", people=words.count(people, "participant")) if people else "",
        effective=round(raw.weight.sum()),
    )


# The next exclusion ------------------------------------------------------------------------------


@presents(Preview)
def preview_of(shown: ShownResults, preview: Preview) -> Iterator[Element]:
    """What an exclusion would remove, and whose answers these are."""
    gone, touched = preview.participants, preview.touched
    short = short_people(list(touched))
    yield Statement(words(
        "removes", trials=_size(preview.n_trials, preview.n_answers, shown.answers),
        share=preview.n_answers / len(shown.answers),
    ))
    if gone:
        names = words.first([unmarked(short[who]) for who in gone], _NAMED)
        yield Statement(words("removes people", people=len(gone), names=names))
    if preview.few_checks:
        names = words.first([unmarked(short[who]) for who in preview.few_checks], _NAMED)
        yield Statement(words("removes few checks", least=FEWEST_CHECKS, names=names))
    if len(touched) > len(gone):
        key = "removes some more" if gone else "removes some"
        yield Statement(words(key, people=len(touched) - len(gone)))
    if touched:
        yield Numbers(words("removed from each"), partial(_removed, short, preview))


def _removed(short: dict[str, str], preview: Preview) -> pd.DataFrame:
    return pd.DataFrame({
        "participant": list(short.values()),
        "answers removed": list(preview.touched.values()),
        "all data": pd.Index(short).isin(preview.participants),
    }).sort_values("answers removed", ascending=False)


# Effects -----------------------------------------------------------------------------------------


@presents("compare_treatments", told_in="groups")
def treatments_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Effects of exclusion and weights, and which predicts better."""
    result = run.result()
    tried = Statement(words(
        "exclusion tried", method=words.method(run.fresh()), removed=int((~result.marks).sum()),
        entirely=words("entirely", people=result.n_excluded) if result.n_excluded else "",
    ))
    if result.apart is None:
        before, after = result.error
        change = result.difference[1], result.low[1], result.high[1]
        yield Statement(words("effect", before=before, after=after, change=change,
                              over=(result.unit, result.n_units)))
        yield tried
        return
    changes = np.transpose([result.difference, result.low, result.high])
    for name, change in zip(TREATMENTS[1:], changes[1:], strict=True):
        yield Statement(words(
            f"{name} {_sign(change)}", change=tuple(change), over=(result.unit, result.n_units),
        ))
    yield Statement(words(f"weights beside exclusion {_sign(result.apart)}",
                          change=tuple(result.apart)))
    yield tried
    yield Advice(words("treatments", excluded=result.n_excluded, number=result.n_predicted))
    yield Numbers(words("numbers"), partial(_treatment_numbers, result))


def _sign(change: np.ndarray) -> str:
    """Direction of a change of error, if its interval excludes 0."""
    _, low, high = change
    return "fewer" if high < 0 else "more" if low > 0 else "alike"


def _treatment_numbers(result: Treatments) -> pd.DataFrame:
    table = result.table
    return pd.DataFrame({
        "answers": table["treatment"], "held-out error": table["error"],
        "change (points)": ["", *(
            words.points(row.difference, row.low, row.high) for row in table.iloc[1:].itertuples()
        )],
        "error, everybody": table["everybody"], "map moved": table["moved"],
        "effective answers": table["effective"].round().astype(int),
    })


# Gold questions ----------------------------------------------------------------------------------


class GoldQuestions(NamedTuple):
    """Questions with a correct answer, and mistakes in them.

    mistakes (T,): As of `tripletscope.core.studies.quality.gold_mistakes`.
    """

    questions: Triplets
    mistakes: np.ndarray

    @property
    def n_answers(self) -> int:
        return int(np.isfinite(self.mistakes).sum())


@presents(GoldQuestions)
def gold_of(shown: ShownResults, gold: GoldQuestions) -> Iterator[Element]:
    questions = gold.questions
    wrong = int(np.nansum(gold.mistakes))
    yield Statement(words(
        "gold", number=len(questions), answers=gold.n_answers, wrong=wrong,
        share=wrong / max(gold.n_answers, 1),
    ))
    labels = np.array(questions.labels, dtype=object)[questions.rows[:_EXAMPLES]]
    for anchor, near, far in labels.tolist():
        yield Statement(words("gold example", anchor=anchor, near=near, far=far))
    if len(questions) > _EXAMPLES:
        yield Advice(words("more examples", number=len(questions) - _EXAMPLES))
