"""Quality of the answers, participants to look at, and the reading of a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import one_per_trial
from tripletscope.core.data.landmarks import recognise
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, ChoiceKind
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import known_people, participants_of
from tripletscope.core.studies.quality.consistency import Coverage
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.core.studies.quality.exclusion import Exclusion
from tripletscope.core.studies.quality.report import QualityReport
from tripletscope.core.studies.quality.verdict import Verdict
from tripletscope.dashboard.figures.answers import histogram
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.quality import shares, stretches
from tripletscope.dashboard.results.doubts import doubts_of, doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words

#: Least triads for a share of circular ones.
_ENOUGH_TRIADS = 30
#: Least objects for a histogram.
_ENOUGH_OBJECTS = 30
#: Most names of participants with a side bias.
_NAMED = 5
_FLAT = 0.4
#: Measures over time.
STRETCHED = ("predicted", "median_time", "favourite_share")
_SAMPLERS = {
    "questions": "different questions", "repeated": "asked more than once",
    "contradicted": "contradictory answers", "agree": "agreement of two answers", "low": "from",
    "high": "to", **{
        f"{bound}{end}": f"noise ceiling, {bound} bound{title}" for bound in ("lower", "upper")
        for end, title in (("", ""), ("_low", ", from"), ("_high", ", to"))
    }, "participants": "intervals over participants", "median_time": "median response time (s)",
}


# What was asked ----------------------------------------------------------------------------------


@presents(Coverage)
def design_of(shown: ShownResults, coverage: Coverage) -> Iterator[Element]:
    """Questions, and numbers of answers about an object."""
    answers, each = shown.answers, shown.answers.answers_per_object
    if not shown.measured:  # comparisons of measured values were not asked for one by one
        yield Statement(words(
            "questions", number=coverage.answers, asked=coverage.questions,
            possible=coverage.possible,
        ))
    least, most = (int(each.min()), int(each.max())) if len(each) else (0, 0)
    yield Statement(words(
        "all per object" if least == most else "per object", least=least, most=most,
        median=int(np.median(each) + 0.5) if len(each) else 0,
    ))
    trials = answers.take(one_per_trial(answers)).answers
    for column in ("sampler", "split"):
        if column in trials:
            shares = trials[column].value_counts(normalize=True)
            yield Statement(words(f"by {column}", names=[
                f"{name} ({words.percent(share)})" for name, share in shares.items() if share > 0
            ]))
    for one in recognise(answers) if isinstance(answers, Triplets) else ():
        yield Statement(words(
            "landmarks", kernel=one.kernel, number=len(one.landmarks), asked=one.n_asked,
            possible=one.n_possible,
        ))
    if coverage.needed and not coverage.dimensions:
        rated = " rated" * answers.are_rated
        yield Advice(words(f"too few for a line{rated}", needed=round(coverage.needed[1])))
    yield from map(Advice, doubts_said(doubts_of(shown, None)))
    if len(each) >= _ENOUGH_OBJECTS and least < most:
        text = words("per object caption")
        yield Drawing(
            "answers-per-object", words("title per object"), text,
            words("alt per object", least=least, most=most), 0.45,
            lambda canvas: histogram(
                each, title="answers per object", of="objects", caption=text, canvas=canvas
            ),
            lambda: answers.objects[["id", "label"]].assign(answers=each),
        )


# How good the answers are ------------------------------------------------------------------------


@presents(QualityReport)
def quality_of(shown: ShownResults, report: QualityReport) -> Iterator[Element]:
    """Agreement of people with themselves and each other, and the ceiling."""
    again = report.repeats
    if again.repeated:
        yield Statement(words(
            "asked again", repeated=again.repeated, questions=again.questions,
            contradicted=again.contradicted,
        ))
    between = "between people" if participants_of(shown.answers)[1] else "between unnamed"
    for name, share in (("within people", again.within), (between, again.between)):
        if share.n:
            yield Statement(_share_said(name, share))
    yield Statement(ceiling_said(report.ceiling))
    for choice in report.choices:
        yield Statement(of_choices(choice))
    if report.checks.n:
        yield Statement(_share_said("checks", report.checks))
    for why, share in report.unanswered.items():
        if share.value:
            yield Statement(words(f"unanswered {why}", number=round(share.value * share.n),
                                  asked=round(share.n), share=share.value))
    if report.circular.n >= _ENOUGH_TRIADS:
        yield Statement(words(
            "circular", share=report.circular.value, triads=report.circular.n,
        ))
    once = shown.answers.take(one_per_trial(shown.answers)).answers
    if "response_time" in once and once["response_time"].notna().any():
        low, middle, high = once["response_time"].quantile([0.25, 0.5, 0.75])
        yield Statement(words("times", middle=middle, low=low, high=high))
    yield from _sides_said(report)
    yield Numbers(words("shares and intervals"), partial(_numbers, report))


def _share_said(key: str, share: Share) -> str:
    return words(
        key, share=share.value, pairs=share.n, interval=(share.low, share.high),
        over=("participants" if share.n_units else "answers", share.n_units),
    )


def _sides_said(report: QualityReport) -> Iterator[Element]:
    """Side biases; names, and that nothing is known, are for the page alone."""
    sides, who = report.sides, report.sides.participants
    kind = Advice if sides.code == "unknown" else Statement
    yield kind(words(f"sides {sides.code}", **sides.values))
    if who:
        names = [unmarked(name) for name in short_people(who).values()]
        yield Advice(words("sides of", names=words.first(names, _NAMED)))


def _numbers(report: QualityReport) -> pd.DataFrame:
    shares = {
        "ceiling lower": report.ceiling.lower, "ceiling upper": report.ceiling.upper,
        "within": report.repeats.within, "between": report.repeats.between,
        "failed": report.checks, "circles": report.circular,
    }
    return pd.DataFrame([
        {"share": words(f"share {name}"), "value": share.value, "from": share.low,
         "to": share.high, "cases": share.n}
        for name, share in shares.items() if share is not None and share.n
    ])


def samplers_of(shown: ShownResults, report: QualityReport) -> Iterator[Element]:
    """Agreement and noise ceilings of questions that were selected in several ways."""
    table = report.samplers
    rows = pd.concat([
        pd.DataFrame({"name": table["sampler"], "series": words(f"sampler {key}"),
                      "value": table[value], "low": table[low], "high": table[high]})
        for key, value, low, high in (
            ("agreement", "agree", "low", "high"),
            ("lower", "lower", "lower_low", "lower_high"),
            ("upper", "upper", "upper_low", "upper_high"),
        )
    ])
    if rows["value"].notna().any():
        text = words("samplers of", over=words.over_each(table["participants"]), about=shown.about)
        yield Drawing(
            "samplers", words("title samplers"), text, words("alt rows"), _FLAT,
            lambda canvas: shares(rows, title="share", chance=0.5, caption=text, canvas=canvas),
            lambda: table,
        )
    else:
        yield Statement(words("no repeats by sampler"))
    named = table.rename(columns=_SAMPLERS).dropna(axis=1, how="all")
    yield Numbers(words("numbers"), lambda: named)


def over_time_of(
    shown: ShownResults, report: QualityReport, *, name: str = "predicted"
) -> Iterator[Element]:
    """One of `STRETCHED` over the parts of a session."""
    table = report.over_time
    timed = "time" in shown.answers.answers
    text = words("over time of" if timed else "in order of", parts=len(table), about=shown.about)
    if name == "predicted":
        people = known_people(shown.answers, "auto")
        number = None if people is None else people.number
        text += words("over time intervals", over=("participants", number))
    yield Drawing(
        "over-time", words("title over time"), text, words("alt curve"), _FLAT,
        lambda canvas: stretches(
            table, name, title=words(f"stretch {name}"), caption=text, canvas=canvas
        ), lambda: table,
    )
    titles = {one: words(f"stretch {one}") for one in STRETCHED}
    yield Numbers(words("numbers"), lambda: table.rename(columns={
        "stretch": "part", "low": "predicted, from", "high": "predicted, to", **titles,
    }))


# Whom to look at ---------------------------------------------------------------------------------


@presents(Verdict)
def verdict_of(shown: ShownResults, verdict: Verdict) -> Iterator[Statement | Advice]:
    """Participants to look at, without names, and the measures behind it."""
    people = verdict.n_participants
    if not people or not verdict.looked_at:
        yield Statement(words("verdict nothing known" if people else "verdict nobody"))
        return
    if verdict.reasons:
        yield Statement(words("verdict look", number=len(verdict.reasons), people=people))
    if verdict.guessing:
        yield Statement(words("verdict guessing", people=people))
    elif not verdict.reasons:
        key = "verdict none" if verdict.guessing is False else "verdict unknown"
        yield Statement(words(key if people > 1 else "verdict one", people=people))
    looked, left = (
        [words(f"measure {code}") for code in codes]
        for codes in (verdict.looked_at, verdict.not_looked_at)
    )
    yield Statement(words("looked at", names=looked))
    if left:
        yield Advice(words("not looked at", names=left))


def reasons_said(verdict: Verdict, who: str) -> str:
    return "; ".join(words(f"reason {one.code}", **one.values) for one in verdict.reasons[who])


def reason_for(verdict: Verdict, exclusion: Exclusion) -> str:
    """By what all participants of an exclusion by hand stand out; else empty."""
    who = exclusion.participants
    if not who or exclusion.answers or not verdict.reasons.keys() >= {*who}:
        return ""
    codes = dict.fromkeys(one.code for name in who for one in verdict.reasons[name])
    return words("stand out by", names=[words(f"standing {code}") for code in codes])


# What can be reached -----------------------------------------------------------------------------


def ceiling_said(ceiling: Ceiling) -> str:
    """Both bounds of the accuracy that noise allows, and what they do not mean."""
    return " ".join(ceiling_sentences(ceiling))


def ceiling_sentences(ceiling: Ceiling) -> list[str]:
    """The same, one by one: first whether the bounds are known well enough."""
    if ceiling.lower is None or ceiling.upper is None:
        return [words("no ceiling")]
    bounds = words(
        "ceiling" if ceiling.among == "people" else "ceiling of one",
        questions=words.count(ceiling.questions, "question"),
        lower=_bound(ceiling.lower), upper=_bound(ceiling.upper),
        over=words.over(ceiling.unit, ceiling.n_units),
    )
    vague = [] if ceiling.is_precise else [words("ceiling vague")]
    return [*vague, bounds, *([words("people differ")] if ceiling.differ else [])]


def ceiling_in_short(ceiling: Ceiling) -> str:
    """The bounds, or that they are not known well enough; empty where nothing was repeated."""
    if ceiling.lower is None or ceiling.upper is None:
        return ""
    if not ceiling.is_precise:
        return words("ceiling vague, in short")
    return words("ceiling in short", lower=ceiling.lower.value, upper=ceiling.upper.value)


def kind_of(kind: ChoiceKind) -> str:
    name = "two" if kind.shown == 2 else kind.name
    return words(f"choice {name}", shown=kind.shown, chosen=kind.chosen, steps=kind.steps)


def predicted_said(choice: ChoiceAccuracy) -> Iterator[str]:
    """Share of whole choices that were predicted, and the people that it holds for."""
    share = choice.accuracy
    if share is None:
        return
    yield words(
        "choices predicted", kind=kind_of(choice.kind), number=choice.n_trials,
        share=share.value, interval=(share.low, share.high), chance=choice.chance,
        over=(choice.unit, choice.n_units),
    )
    if choice.is_of_the_learned:
        yield words("choices of the learned")


def of_choices(choice: ChoiceAccuracy) -> str:
    """Chance and noise ceiling of choices among more than two."""
    ceiling = choice.ceiling
    fields = {"kind": kind_of(choice.kind), "number": choice.n_trials, "chance": choice.chance}
    if ceiling.lower is None or ceiling.upper is None:
        key = "choices without ceiling" if choice.kind.steps == 1 else "rankings without ceiling"
        return words(key, **fields)
    said = words(
        "choices", questions=ceiling.questions, lower=_bound(ceiling.lower),
        upper=_bound(ceiling.upper), **fields,
    )
    return said if ceiling.is_precise else f"{said} {words('choices vague')}"


def agreement_said(choice: ChoiceAccuracy, observer: str) -> Iterator[str]:
    """Agreement of people with a model, an additional observer, in one kind of question."""
    share, ceiling = choice.accuracy, choice.ceiling
    yield words(
        "answers as", observer=observer, share=share.value, number=choice.n_trials,
        kind=kind_of(choice.kind), interval=(share.low, share.high), chance=choice.chance,
        over=(choice.unit, choice.n_units),
    )
    if choice.is_chance:
        yield words("answers like guesses")
    if ceiling.lower is None or ceiling.upper is None:
        yield words("people never repeat")
        return
    if not ceiling.is_precise:
        yield words("ceiling vague")
        return
    yield words(
        "people predict each other", questions=ceiling.questions, lower=_bound(ceiling.lower),
        upper=_bound(ceiling.upper),
    )


def _bound(bound: Share) -> str:
    if not np.isfinite(bound.value):
        return words("bound unknown")
    return f"{words.share(bound.value)}, {words.interval(bound.low, bound.high)}"


# How a file is read ------------------------------------------------------------------------------


def direction_said(test: DirectionTest) -> str:
    """Whether a file is read the right way round, by a map's predictions under each reading."""
    best = test.best or test.next_best
    return words(
        f"direction {test.judgement}", title=test.readings[best].title, chosen=test.accuracy[0],
        other=test.accuracy[best], beyond=100 * test.over_popularity[0],
        there=100 * test.over_popularity[best],
    )
