"""Participants, quality of the answers, and methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tripletscope.core.data.columns import one_per_trial
from tripletscope.core.inference.held_out.units import participants_of
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.studies.experiment.experiment import LANGUAGES
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard.report.document import Block, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.report.references import SOURCES
from tripletscope.dashboard.words import unmarked, words


@part("data", "method", 1)
def data(material: Material) -> Iterator[Block]:
    cleaning = material.cleaning
    flow = [words("see flow")] if cleaning.exclusions else []
    yield from material.blocks_of(cleaning, also=[*_collected(material.collected), *flow])
    if flow:
        yield _flow(material)


#: Numbers of an experiment of this program that its data set keeps.
_COLLECTED = ("began", "finished", "stopped", "unanswered", "practice", "repeats", "checks",
              "fails")


def _collected(known: Mapping[str, Any]) -> Iterator[str]:
    """How many people began an experiment of this program and finished it, and what they did."""
    numbers = {name: known.get(name, 0) for name in _COLLECTED}
    if not all(isinstance(one, int | float) and one >= 0 for one in numbers.values()):
        return  # a foreign file
    began, finished, stopped, unanswered = (int(numbers[name]) for name in _COLLECTED[:4])
    left = began - finished - stopped - unanswered
    if not began or left < 0:
        return
    yield words(
        "collected people", began=began, finished=finished,
        left=words("collected left", number=left) if left else "",
        stopped=words("collected stopped", number=stopped) if stopped else "",
        unanswered=words("collected unanswered", number=unanswered) if unanswered else "",
    )
    if left or stopped:
        yield words("collected included")
    practice, repeats, checks, fails = (numbers[name] for name in _COLLECTED[4:])
    language = known.get("language")
    yield words(
        "collected how",
        language=words(f"in {language}") if language in LANGUAGES else "",
        practice=words("collected practice", number=int(practice)) if practice else "",
        repeats=words("collected repeats", share=repeats) if repeats else "",
        checks=words("collected checks", share=checks) if checks else "",
        fails=words("collected fails", number=int(fails)) if checks and fails else "",
    )


def _flow(material: Material) -> TextTable:
    """Numbers of trials and people that each exclusion removed and left.

    Of ratings, of the comparisons that are derived from them.
    """
    cleaning, raw = material.cleaning, material.cleaning.raw
    unit, rated = ("comparisons", " rated") if raw.are_rated else ("trials", "")
    once, who = raw.are_rated | one_per_trial(raw), participants_of(raw)[0]
    kept = np.ones(len(raw), dtype=bool)

    def left() -> tuple[str, str]:
        people = len(np.unique(who[kept & (who >= 0)]))
        return words.whole(int((once & kept).sum())), words.whole(people) if people else "–"

    rows = [(words("collected row"), "–", "–", *left())]
    for exclusion, removed in zip(cleaning.exclusions, cleaning.previews, strict=True):
        kept &= ~removed.mask
        reason = f" ({unmarked(exclusion.reason)})" if exclusion.reason else ""
        rows.append((
            f"{exclusion.title}{reason}",
            words.whole(removed.n_answers if rated else removed.n_trials),
            words.whole(len(removed.participants)), *left(),
        ))
    columns = tuple(words(f"flow {name}") for name in (
        "step", unit, "people", f"{unit} left", "people left"
    ))
    note = words("flow note") if not rated else ""
    return TextTable("flow", words(f"flow caption{rated}"), columns, tuple(rows), note)


@part("design", "method", 2)
def design(material: Material) -> Iterator[Block]:
    coverage = material.quality.coverage
    d = material.dimensions if material.map else 0
    times = coverage.independent / coverage.needed[d] if d in coverage.needed else None
    rule = f"rule of thumb{' rated' * material.answers.are_rated}"
    yield from material.blocks_of(coverage, also=(
        [words(rule, times=words.number(times, 2), d=d)] if times else []
    ))


@part("quality", "method", 3)
def quality(material: Material) -> Iterator[Block]:
    report = material.quality
    named = "participant" in material.answers.answers
    yield from material.blocks_of(report, *([verdict(report.participants)] if named else []))


@part("analysis", "method", 4)
def analysis(material: Material) -> Iterator[Block]:
    fit = material.map
    if fit is not None:
        n_starts, averaged = len(fit.arrays["losses_"]), fit.parameters.get("average")
        kept = "one start" if n_starts == 1 else "averaged" if averaged else "lowest loss"
        sentences = [words(
            "embedded", method=words.method(fit.fresh()), source=SOURCES[fit.method],
            kept=words(kept, restarts=words.count(n_starts, "restart")),
        )]
        if fit.method == DEFAULT_EMBEDDING.name:
            sentences.append(words("by default", title=DEFAULT_EMBEDDING.title))
        if fit.parameters.get("prior"):
            sentences.append(words("prior", prior=f"{fit.parameters['prior']:g}"))
        yield joined(*sentences)
    tests = list(material.compared.values()) or material.alike
    if tests:
        first = tests[0]
        estimate = first.result()
        sentences = [words("held out", folds=first.options["folds"],
                           repeats=_repeated(first.options["repeats"]))]
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


def _repeated(repeats: int) -> str:
    return "" if repeats == 1 else words("repeated", number=repeats)


def _uncertainty(material: Material) -> Iterator[Block]:
    run = material.uncertainty
    if run is None:
        return
    samples = run.samples()
    number = words.whole(len(samples.embeddings))
    if samples.source == "bootstrap":
        is_rated = samples.unit == "answers" and material.answers.are_rated
        of = "ratings" if is_rated else samples.unit
        yield joined(words(f"resampled {of}", number=number))
    else:
        yield joined(words(f"sampled {samples.source}", number=number))
