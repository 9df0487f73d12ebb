"""Curves of errors and of what is lost or gained by more dimensions and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.ceiling import Ceiling
from tripletscope.core.inference.evaluation.compare import LearningCurve, Suggestion
from tripletscope.core.inference.evaluation.paired import PairedDifference
from tripletscope.core.inference.evaluation.score import CHANCE, ErrorEstimate, has_split
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.curves import dimension_curves, learning_figure
from tripletscope.dashboard.figures.scales import group_errors
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.people import silence_said
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.wording import Words

_FLAT = 0.5
#: A gain of held-out error below this is next to nothing.
_NEXT_TO_NOTHING = 0.005


def errors_by_dimension(shown: ShownResults, task: str = "cross_validate") -> pd.DataFrame:
    """Held-out errors of embeddings, with their intervals, by method and dimensions."""
    rows = []
    for run in shown.all_of(task):
        if run.kind == "embedding":
            found = run.result()
            rows.append({
                "method": run.fresh().title, "dimensions": run.parameters["n_components"],
                "held-out error": found.error, "low": found.low, "high": found.high,
                "unit": found.unit, "units": found.n_units, "key": run.key,
            })
    columns = ["method", "dimensions", "held-out error", "low", "high", "unit", "units", "key"]
    table = pd.DataFrame(rows, columns=columns)
    return table.drop_duplicates(["method", "dimensions"]).sort_values(["method", "dimensions"])


@presents("cross_validate")
def dimensions_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Held-out error by the number of dimensions, once for all results that have one."""
    table, words = errors_by_dimension(shown), shown.words
    if run.kind != "embedding" or table["dimensions"].nunique() < 2 or run is not _first(shown):
        return
    unit, number = table[["unit", "units"]].iloc[0]
    text = words("dimensions of", methods=words.listing(sorted(set(table["method"]))),
                 over=words.over(unit, None if pd.isna(number) else int(number)))
    if shown.ceiling.is_precise:
        text += f" {words('ceiling band')}"

    def draw(canvas: Canvas) -> go.Figure:
        return dimension_curves(table, ceiling=shown.ceiling, caption=text, canvas=canvas)

    best = table.loc[table["held-out error"].idxmin()]
    yield Drawing(
        "dimensions", words("title dimensions"), text,
        words("alt dimensions", d=int(best["dimensions"]),
              error=words.share(best["held-out error"])),
        _FLAT, draw, lambda: table.drop(columns="key"), tuple(table["key"]),
    )


def dimensions_said(
    words: Words, name: str, found: Suggestion, best: ErrorEstimate, scheme: str = ""
) -> Iterator[str]:
    """What held-out errors can decide about the number of dimensions.

    Silent on: few answers, chance (tests/dashboard/views/test_compare.py::test_few_answers).

    name: Of the method.
    best: Of the number of dimensions with the lowest error.
    scheme: How errors were estimated, where that is not told elsewhere.
    """
    yield words(
        "lowest with", name=name, least=found.tried[0], most=found.tried[-1], best=found.best,
        error=(best.error, best.low, best.high), over=(best.unit, best.n_units),
        scheme=f"; {scheme}" if scheme else "",
    )
    if found.is_chance:
        yield words("no number at chance")
        return
    alike, chosen = found.undecided, found.n_components
    if not found.is_decided and len(alike) > 1:
        yield words(
            "cannot decide", number=words.count(found.n_answers, "answer"),
            numbers=", ".join(map(str, alike)),
        )
    fewer = max((d for d in found.behind if d < alike[0]), default=None)
    if fewer is not None:
        more = found.behind[fewer]
        yield words("worse with fewer", d=fewer, p=more.p,
                    more=(more.difference, more.low, more.high))
    if found.is_decided and found.tried[-1] > chosen:
        yield words("little with more", d=chosen, gain=words.share(max(found.most_gain, 0.0)))
    if found.is_at_the_edge:
        yield words("at the edge", best=found.best)


def dimensions_advised(words: Words, found: Suggestion) -> Iterator[str]:
    """Which number of dimensions to take, and whether there are answers enough for it."""
    if found.is_chance:
        return
    chosen, alike = found.n_components, found.undecided
    if not found.is_decided and 2 in alike and chosen != 2:
        yield words("take for a picture", d=chosen)
    elif found.is_decided or len(alike) > 1:
        yield words("take dimensions", d=chosen)
    if found.needed > found.n_answers:
        yield words("dimensions need", d=chosen, needed=round(found.needed), number=found.n_answers)


def methods_said(
    words: Words, best: str, behind: Mapping[str, PairedDifference]
) -> Iterator[str]:
    """Whether the method with the lowest error beats each other one.

    Silent on: equal methods
    (tests/core/inference/evaluation/test_paired.py::test_the_lowest_beats_no_equal).
    """
    for name, more in behind.items():
        yield words(
            "beats" if more.p < Suggestion.level else "differs little", best=best, name=name,
            more=(more.difference, more.low, more.high), p=more.p,
        )


def _first(shown: ShownResults) -> Run:
    return next(run for run in shown.all_of("cross_validate") if run.kind == "embedding")


@presents("uncertainty_by_dimension")
def uncertainty_by_dimension_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Average uncertainty by the number of dimensions, once for all methods."""
    runs, words = shown.all_of("uncertainty_by_dimension"), shown.words
    if run is not runs[0]:
        return
    table = pd.concat([
        pd.DataFrame({
            "method": one.fresh().title, "dimensions": one.result().n_components,
            "average uncertainty": one.result().uncertainty,
        }) for one in runs
    ], ignore_index=True)
    methods = list(dict.fromkeys(table["method"]))
    sources = dict.fromkeys(words(f"maps from {one.options['source']}") for one in runs)
    text = words("uncertainty by dimension of", method=words.listing(methods),
                 source=words.listing(list(sources)))
    yield Drawing(
        "uncertainty-by-dimension", words("title uncertainty by dimension"), text,
        words("alt curve"), _FLAT,
        lambda canvas: dimension_curves(
            table, value="average uncertainty", caption=text, canvas=canvas
        ), lambda: table, tuple(one.key for one in runs),
    )


@presents("tune", told_in="comparison")
def tuning_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Cross-validated error by the strength of the prior."""
    found, words = run.result(), shown.words
    errors, best = found.errors.mean(axis=1), found.setting()
    yield Statement(words(
        "best setting", dimensions=words.count(best["n_components"], "dimension"),
        prior=best["prior"], error=errors.min(), number=len(errors),
    ))
    if has_split(shown.answers):
        yield Statement(words("split not used"))
    table = pd.DataFrame({
        "method": [f"prior {prior:g}" for prior in found.prior],
        "dimensions": found.n_components, "held-out error": errors,
    })
    text = words("tuning of", method=run.fresh().title, about=shown.about)
    yield Drawing(
        "tuning", words("title tuning"), text, words("alt curve"), _FLAT,
        lambda canvas: dimension_curves(table, caption=text, canvas=canvas), lambda: table,
        (run.key,),
    )


@presents("learning_curve", told_in="comparison")
def learning_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Held-out error against the number of answers."""
    curve, words, n = run.result(), shown.words, shown.answers.n_objects
    mark = run.parameters.get("n_components", np.nan) * n * np.log(n)
    ceiling = shown.ceiling
    yield Statement(enough_said(words, curve, ceiling))
    last = (curve.mean[-1], curve.mean[-1] - curve.reach[-1], curve.mean[-1] + curve.reach[-1])
    yield Statement(words(
        "learned", method=words.method(run.fresh()), first=curve.mean[0], last=last,
        few=int(curve.n_answers[0]), many=int(curve.n_answers[-1]),
        unit=(curve.unit, curve.n_units),
    ))
    yield Statement(words("rule of thumb takes", times=len(shown.answers) / mark))
    text = words("learning of", method=words.method(run.fresh()), about=shown.about,
                 number=words.whole(len(curve.errors)), over=words.over(curve.unit, curve.n_units))
    if ceiling.is_precise:
        text += f" {words('ceiling band')}"
    yield Drawing(
        "learning-curve", words("title learning"), text,
        words("alt learning", first=words.share(curve.mean[0]), last=words.share(curve.mean[-1])),
        _FLAT, lambda canvas: learning_figure(
            curve, mark=mark, ceiling=ceiling, caption=text, canvas=canvas
        ),
        table_of(answers=curve.n_answers, error=curve.mean, low=curve.mean - curve.reach,
                 high=curve.mean + curve.reach),
        (run.key,),
    )


def enough_said(words: Words, curve: LearningCurve, ceiling: Ceiling) -> str:
    """Whether more answers would help: not where the noise ceiling leaves nothing to gain.

    Silent on: answers by chance
    (tests/dashboard/results/test_curves.py::test_answers_by_chance_are_not_called_enough).
    """
    gain, low, high = curve.gain()
    error, reach = float(curve.mean[-1]), float(curve.reach[-1])
    if error + reach >= CHANCE:
        return words("curve at chance")
    if ceiling.is_reached(error, error - reach):
        return words("curve at ceiling", upper=1 - ceiling.upper.value)
    key = "more hardly help" if high < _NEXT_TO_NOTHING else "more help" if low > 0 else (
        "more may help"
    )
    return words(key, gain=(gain, low, high))


@presents("errors_by_group")
def group_errors_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How well the answers of every group are predicted by its other answers, by all methods."""
    words, by = shown.words, run.options["by"]
    runs = [one for one in shown.all_of(run.task) if one.options == run.options]
    if run is not runs[0]:
        return
    tables = {words.method(one.fresh()): one.result().table for one in runs}
    table = pd.concat([
        one.dropna(subset="error").assign(method=name) for name, one in tables.items()
    ], ignore_index=True)
    if not any(one.options["by"] == by for one in shown.all_of("scales_by")):
        for one in runs:
            if said := silence_said(shown, one, by):
                yield Advice(f"{words.method(one.fresh())}: {said[0].lower()}{said[1:]}")
    number = table["name"].nunique()
    if not number:  # nobody gave answers enough
        return
    for name, one in tables.items():
        if one["error"].count() > 1:
            yield Statement(words("by group", by=by, method=name, least=one["error"].min(),
                                  most=one["error"].max()))
    text = words("group errors of", by=by, methods="; ".join(tables), about=shown.about,
                 folds=run.options["folds"], over=_over_each(words, table["participants"]))
    yield Drawing(
        f"errors-by-{by}", words("title group errors", by=by), text, words("alt rows"),
        (130.0 + 26.0 * number) / 900.0,
        lambda canvas: group_errors(table, caption=text, canvas=canvas), lambda: table,
        tuple(one.key for one in runs),
    )
    yield Numbers(words("numbers"), lambda: _beside(tables))


def _over_each(words: Words, participants: pd.Series) -> str:
    """What several intervals are over; those of 0 participants are over answers."""
    people = [int(number) for number in participants if number]
    if not people:
        return words("over answers")
    text = words.over("participants", max(people))
    if min(people) < max(people):
        text = words("over from to", low=min(people), high=max(people))
    return text if len(people) == len(participants) else text + words("or over answers")


def _beside(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Errors of groups by several methods, side by side."""
    titles = {"error": "error", "low": "from", "high": "to", "spread": "s.d. over folds"}
    first = next(iter(tables.values()))[["name", "answers", "participants"]]
    return first.rename(columns={"participants": "intervals over participants"}).join([
        table[list(titles)].rename(columns={c: f"{name}: {t}" for c, t in titles.items()})
        for name, table in tables.items()
    ])
