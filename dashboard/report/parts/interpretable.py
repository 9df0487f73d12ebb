"""Dimensions of objects that people can name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.inference.evaluation.choosing import choice_accuracies
from tripletscope.core.inference.evaluation.compare import is_chance
from tripletscope.core.inference.evaluation.score import ErrorEstimate
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.dimensions import DimensionData
from tripletscope.dashboard.report.document import Block, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.report.parts.results import error_of
from tripletscope.dashboard.results.dimensions import data_of, fitted_again, number_said
from tripletscope.dashboard.results.quality import of_choices, predicted_said
from tripletscope.dashboard.wording import Words, plain

#: Highest objects of a dimension that are told.
_HIGHEST = 5


@part("interpretable", "results", 2.5)
def interpretable(material: Material) -> Iterator[Block]:
    """How many there are, what they predict, which are found again, and what they are called."""
    words = material.words
    for number, fit in enumerate(material.all_of("fit", "dimensions"), 1):
        data = data_of(material.shown(), fit)
        if not data.n_dimensions:
            yield joined(words("no dimension left", method=words.method(fit.fresh())))
            continue
        again = fitted_again(material.shown(), fit)
        penalty = [
            run for run in material.all_of("penalty_curve")
            if run.complete and (run.method, run.parameters) == (fit.method, fit.parameters)
        ]
        figures = list(material.drawn(fit))
        yield joined(*number_said(words, fit), words("see figure", place=words.listing(
            [f"@fig-{figure.name}" for figure in figures]
        )))
        yield from figures
        yield joined(*_of_accuracy(material, fit), "" if again else words(
            "dimensions not repeated"
        ))
        for run in (*again[:1], *penalty):
            yield from material.told(run)
        table = _table(words, fit, data, number, again)
        yield joined(words(
            "dimensions named" if data.names else "dimensions unnamed", place=f"@tab-{table.name}",
            named=words.whole(len(data.names)), number=words.count(data.n_dimensions, "dimension"),
        ))
        yield table


def _of_accuracy(material: Material, fit: Run) -> Iterator[str]:
    """How well trials are predicted, beside chance and the noise ceiling.

    Silent on: choices that are predicted
    (tests/dashboard/report/test_interpretable.py::test_only_noise_must_not_be_interpreted).
    """
    words, run = material.words, material.shown().of(fit, "split_error", "cross_validate")
    if run is None:
        yield words("dimensions not tested")
        return
    found = [one for one in choice_accuracies(material.answers, run.result()) if one.accuracy]
    if not found:  # no choices among three
        yield from _of_error(words, run.result())
    for choice in found:
        yield from predicted_said(words, choice)
        if choice.accuracy.low <= choice.chance:
            yield words("dimensions guess")
        yield of_choices(words, choice)


def _of_error(words: Words, error: ErrorEstimate) -> Iterator[str]:
    yield words("dimensions predict answers", error=error_of(words, error))
    if is_chance(error):
        yield words("dimensions guess")


def _table(
    words: Words, fit: Run, data: DimensionData, number: int, again: list[Run]
) -> TextTable:
    """A row for each dimension: its name, its highest objects, its share, and how sure it is."""
    share = data.weights.sum(axis=0) / data.weights.sum()
    repeated = again[0].result().mean if again else np.full(len(share), np.nan)
    rows = tuple((
        words.whole(k + 1), plain(data.names.get(k, "")),
        plain(", ".join(data.labels[i] for i in data.highest(k, _HIGHEST))),
        words.share(share[k]), words.share(repeated[k]),
    ) for k in range(data.n_dimensions))
    kept = [0, *([1] if data.names else []), 2, 3, *([4] if again else [])]
    titles = [words(f"dimensions {name}") for name in (
        "position", "name", "highest", "share", "again"
    )]
    halves = "halves" if again and again[0].result().halves else "starts"
    return TextTable(
        f"dimensions-{number}", words("dimensions caption", method=words.method(fit.fresh())),
        tuple(titles[k] for k in kept), tuple(tuple(row[k] for k in kept) for row in rows),
        words("dimensions note", against=words(halves)) if again else "",
    )
