"""Who answered what, how good the answers are, and what was computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.data.columns import one_per_trial
from tripletscope.core.data.landmarks import recognise
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.inference.evaluation.units import participants_of
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard.figures.answers import histogram
from tripletscope.dashboard.report.document import Block, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.report.references import SOURCES
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.results.quality import ceiling_said, of_choices
from tripletscope.dashboard.wording import Words, plain
from tripletscope.dashboard.wording.axes import localised

#: Of fewer triads the share of circular ones says nothing.
_ENOUGH_TRIADS = 30
#: Of fewer objects nobody needs a histogram.
_ENOUGH_OBJECTS = 30


def share_in(words: Words, key: str, share: Share) -> str:
    """A sentence about a share of some cases, with its interval."""
    over = words.over("participants" if share.n_units else "answers", share.n_units)
    return words(
        key, share=words.share(share.value), pairs=words.whole(share.n),
        interval=f"{words.interval(share.low, share.high)}{over}",
    )


def trials_of(words: Words, answers: Judgements) -> str:
    """How much was collected, and from how many people."""
    once = one_per_trial(answers)
    n, people = int(once.sum()), participants_of(answers)[1]
    text = words.count(n, "trial")
    if n < len(answers):
        text += f" ({words.count(len(answers), 'answer')})"
    if people:
        text += words("from people", people=words.count(people, "participant"))
        who, _ = participants_of(answers)
        each = np.bincount(who[once & (who >= 0)], minlength=people)
        least, most = int(each.min()), int(each.max())
        text += words("each", number=words.whole(least)) if least == most else words(
            "each in the median", median=words.whole(int(np.median(each) + 0.5)),
            least=words.whole(least), most=words.whole(most),
        )
    return text


@part("data", "method", 1)
def data(material: Material) -> Iterator[Block]:
    """What was collected, and what of it was left out."""
    words, cleaning = material.words, material.cleaning
    raw, kept = cleaning.raw, cleaning.triplets
    sentences = [_derived(material) if material.measured else words(
        "collected", objects=words.count(raw.n_objects, "object"), trials=trials_of(words, raw),
    )]
    if material.asked:
        sentences.append(words("asked", task=plain(material.asked).rstrip(".?! ")))
    catch = cleaning.catch_trials
    if catch is not None and len(catch):
        sentences.append(words(
            "catch", trials=words.count(len(catch), "catch trial"),
            share=words.share(catch["correct"].mean()),
        ))
    if not cleaning.exclusions:
        yield joined(*sentences, words("no exclusions"))
        return
    weighted = [step for step in cleaning.exclusions if step.rule == WEIGHTS]
    if len(weighted) < len(cleaning.exclusions):
        sentences.append(words(
            "excluded", number=words.count(len(cleaning.exclusions), "step"),
            left=trials_of(words, kept)
        ))
    for step in weighted:
        weights = step.parameters["weights"]
        sentences.append(words(
            "weighted", people=words.count(len(weights), "participant"),
            median=words.number(float(np.median(weights)), 2), least=words.number(min(weights), 2),
            effective=words.whole(round(cleaning.effective)),
        ))
    yield joined(*sentences)
    yield _flow(material)


def _derived(material: Material) -> str:
    """What was collected where answers were not, and how these came of it."""
    words, raw = material.words, material.cleaning.raw
    people = participants_of(raw)[1]
    # A matrix of nobody in particular may hold anything.
    kind = "values" if material.measured == "ratings" and not people else material.measured
    return words(
        "derived", kind=words(f"measured {kind}"),
        objects=words.count(raw.n_objects, "object"),
        whose=words("from people", people=words.count(people, "participant")) if people else "",
        answers=words.count(len(raw), "comparison"), effective=words.whole(round(raw.weight.sum())),
    )


def _flow(material: Material) -> TextTable:
    """What every exclusion took, and what it left."""
    words, cleaning, raw = material.words, material.cleaning, material.cleaning.raw
    once, who = one_per_trial(raw), participants_of(raw)[0]
    kept = np.ones(len(raw), dtype=bool)

    def left() -> tuple[str, str]:
        people = len(np.unique(who[kept & (who >= 0)]))
        return words.whole(int((once & kept).sum())), words.whole(people) if people else "–"

    rows = [(words("collected row"), "–", "–", *left())]
    for exclusion, removed in zip(cleaning.exclusions, cleaning.previews, strict=True):
        kept &= ~removed.mask
        reason = f" ({plain(exclusion.reason)})" if exclusion.reason else ""
        rows.append((
            f"{exclusion.title}{reason}", words.whole(removed.n_trials),
            words.whole(len(removed.participants)), *left(),
        ))
    columns = tuple(words(f"flow {name}") for name in (
        "step", "trials", "people", "trials left", "people left"
    ))
    return TextTable("flow", words("flow caption"), columns, tuple(rows), words("flow note"))


@part("design", "method", 2)
def design(material: Material) -> Iterator[Block]:
    """Which questions were asked, and how many answers there are about an object."""
    words, answers = material.words, material.answers
    found, each = material.quality, answers.answers_per_object
    sentences = [
        # Of values of all pairs follow all comparisons: nobody asked for them one by one.
        "" if material.measured else
        words("questions" if found.repeats.repeated else "questions asked once",
              asked=words.count(found.repeats.questions, "question"),
              possible=words.whole(found.coverage.possible),
              repeated=words.whole(found.repeats.repeated)),
        words("all per object", number=words.whole(int(each.min()))) if np.ptp(each) == 0 else
        words("per object", median=words.whole(int(np.median(each) + 0.5)),
              least=words.whole(int(each.min())), most=words.whole(int(each.max()))),
    ]
    samplers = answers.take(one_per_trial(answers)).answers.get("sampler")
    if samplers is not None:
        shares = samplers.value_counts(normalize=True)
        sentences.append(words("samplers", names=words.listing([
            f"{plain(str(name))} ({words.percent(share)})" for name, share in shares.items()
            if share > 0
        ])))
    if isinstance(answers, Triplets):
        for one in recognise(answers):
            sentences.append(words(
                "landmarks", kernel=one.kernel, number=words.count(len(one.landmarks), "landmark"),
                asked=words.whole(one.n_asked), possible=words.whole(one.n_possible),
            ))
    d = material.dimensions if material.map else 0
    if d in found.coverage.needed:
        times = len(answers) / found.coverage.needed[d]
        sentences.append(words("rule of thumb", times=words.number(times, 2), d=d))
    drawn = len(each) >= _ENOUGH_OBJECTS and np.ptp(each) > 0
    yield joined(*sentences, words("see per object") if drawn else "")
    if not drawn:
        return
    caption = words("per object caption")
    yield Drawing(
        "answers-per-object", words("title per object"), caption,
        words("alt per object", least=int(each.min()), most=int(each.max())), 0.45,
        lambda canvas: localised(histogram(
            each, title="answers per object", of="objects", caption=caption, canvas=canvas
        ), words.language),
        lambda: answers.objects[["id", "label"]].assign(answers=each),
    )


@part("quality", "method", 3)
def quality(material: Material) -> Iterator[Block]:
    """How far people agree with themselves and each other."""
    words, found = material.words, material.quality
    again, sentences = found.repeats, []
    for name, share in (("within", again.within), ("between", again.between)):
        if share.n:
            sentences.append(share_in(words, f"{name} people", share))
    sentences.append(ceiling_said(words, found.ceiling))
    sentences += [of_choices(words, choice) for choice in found.choices]
    if found.checks.n:
        sentences.append(share_in(words, "checks", found.checks))
    if found.circular.n >= _ENOUGH_TRIADS:
        sentences.append(words("circular", share=words.share(found.circular.value),
                               triads=words.count(found.circular.n, "triad")))
    once = material.answers.take(one_per_trial(material.answers))
    times = once.answers.get("response_time")
    if times is not None and times.notna().any():
        low, middle, high = times.quantile([0.25, 0.5, 0.75])
        sentences.append(words("times", middle=f"{middle:.2f}", low=f"{low:.2f}",
                               high=f"{high:.2f}"))
    if "participant" in material.answers.answers:
        told = verdict(found.participants)
        if told.guessing:
            sentences.append(words(
                "all guess", people=words.count(told.n_participants, "participant"),
            ))
        if told.reasons or (told.looked_at and not told.guessing):
            sentences.append(words(
                "stand out", number=words.whole(len(told.reasons)),
                people=words.count(told.n_participants, "participant"),
            ))
    yield joined(*sentences)


@part("analysis", "method", 4)
def analysis(material: Material) -> Iterator[Block]:
    """Which methods were used, with which settings."""
    words, fit = material.words, material.map
    if fit is not None:
        n_starts, averaged = len(fit.arrays["losses_"]), fit.parameters.get("average")
        kept = "one start" if n_starts == 1 else "averaged" if averaged else "lowest loss"
        sentences = [words(
            "embedded", method=words.method(fit.fresh()), source=SOURCES[fit.method],
            kept=words(kept, restarts=words.count(n_starts, "restart")),
        )]
        if fit.parameters.get("prior"):
            sentences.append(words("prior", prior=f"{fit.parameters['prior']:g}"))
        yield joined(*sentences)
    tests = list(material.compared.values()) or material.alike
    if tests:
        first = tests[0]
        estimate = first.result()
        sentences = [words("held out", folds=first.options["folds"],
                           repeats=_repeated(words, first.options["repeats"]))]
        if material.suggestion is not None or len(material.alike) > 1:
            sentences.append(words("paired"))
        sentences.append(words("intervals", over=words.over(estimate.unit, estimate.n_units)))
        yield joined(*sentences)
    if material.of_map("split_error"):
        yield joined(words("split"))
    yield from _uncertainty(material)
    others = [
        (run.fresh(), SOURCES[run.method]) for run in material.runs
        if run.task == "fit" and run.kind in ("kernel", "cluster", "scale")
    ]
    if others:
        names = dict.fromkeys(f"{method.title} [@{source}]" for method, source in others)
        yield joined(words("also used" if fit else "used", methods=words.listing(list(names))))


def _repeated(words: Words, repeats: int) -> str:
    return "" if repeats == 1 else words("repeated", number=repeats)


def _uncertainty(material: Material) -> Iterator[Block]:
    words, run = material.words, material.uncertainty
    if run is None:
        return
    found = run.samples()
    number = words.whole(len(found.embeddings))
    if found.source == "bootstrap":
        yield joined(words(f"resampled {found.unit}", number=number))
    else:
        yield joined(words(f"sampled {found.source}", number=number))
