"""Curves of errors and uncertainty, by dimensions, priors, answers and groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.compare import LearningCurve
from tripletscope.core.inference.held_out.score import CHANCE, has_split
from tripletscope.core.run import Run
from tripletscope.core.studies.quality.consistency import rule_of_thumb
from tripletscope.dashboard.figures.curves import dimension_curves, learning_figure
from tripletscope.dashboard.figures.scale_curves import group_errors
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.people import silence_said
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.words import words

_FLAT = 0.5
#: A gain of held-out error below this is next to nothing.
_NEXT_TO_NOTHING = 0.005


@presents("uncertainty_by_dimension", told_in="dimension")
def uncertainty_by_dimension_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Average uncertainty by the number of dimensions, once for all methods."""
    runs = shown.all_of("uncertainty_by_dimension")
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
    tuning = run.result()
    errors, best = tuning.errors.mean(axis=1), tuning.setting()
    yield Statement(words(
        "best setting", dimensions=words.count(best["n_components"], "dimension"),
        prior=best["prior"], error=errors.min(), number=len(errors),
    ))
    if has_split(shown.answers):
        yield Statement(words("split not used"))
    table = pd.DataFrame({
        "method": [f"prior {prior:g}" for prior in tuning.prior],
        "dimensions": tuning.n_components, "held-out error": errors,
    })
    text = words("tuning of", method=run.fresh().title, about=shown.about)
    yield Drawing(
        "tuning", words("title tuning"), text, words("alt curve"), _FLAT,
        lambda canvas: dimension_curves(table, caption=text, canvas=canvas), lambda: table,
        (run.key,),
    )


@presents("learning_curve", told_in="comparison")
def learning_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    curve, d = run.result(), run.parameters.get("n_components")
    rule = rule_of_thumb(shown.answers, d) if d else None
    asked = rule is not None and rule.of == "questions"
    mark = (rule.needed or np.nan) if asked else np.nan
    ceiling = shown.limits.ceiling
    yield Statement(enough_said(curve, ceiling))
    mean, half_width = curve.mean[-1], curve.half_width[-1]
    last = (mean, mean - half_width, mean + half_width)
    yield Statement(words(
        "learned", method=words.method(run.fresh()), first=curve.mean[0], last=last,
        few=int(curve.n_answers[0]), many=int(curve.n_answers[-1]),
        unit=(curve.unit, curve.n_units),
    ))
    if rule is not None and rule.needed:
        rated = " rated" * (rule.of == "pairs")
        yield Statement(words(f"rule of thumb takes{rated}", times=rule.number / rule.needed))
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
        table_of(answers=curve.n_answers, error=curve.mean, low=curve.mean - curve.half_width,
                 high=curve.mean + curve.half_width),
        (run.key,),
    )


def enough_said(curve: LearningCurve, ceiling: Ceiling) -> str:
    """Whether more answers would help: not where the noise ceiling leaves nothing to gain."""
    gain, low, high = curve.gain()
    error, reach = float(curve.mean[-1]), float(curve.half_width[-1])
    if error + reach >= CHANCE:
        return words("curve at chance")
    if ceiling.is_reached(error, error - reach):
        return words("curve at ceiling", upper=1 - ceiling.upper.value)
    key = "more hardly help" if high < _NEXT_TO_NOTHING else "more help" if low > 0 else (
        "more may help"
    )
    return words(key, gain=(gain, low, high))


@presents("errors_by_group", told_in="groups")
def group_errors_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How well the answers of every group are predicted by its other answers, by all methods."""
    by = run.options["by"]
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
    if number < 2 and (shown.cautious or not number):  # answers enough for no single group
        return
    for name, one in tables.items():
        each = one["error"].iloc[1:]  # the first is of all together
        if each.count() > 1:
            yield Statement(words("by group", by=by, method=name, least=each.min(),
                                  most=each.max()))
    text = words("group errors of", by=by, methods="; ".join(tables), about=shown.about,
                 folds=run.options["folds"], over=words.over_each(table["participants"]))
    yield Drawing(
        f"errors-by-{by}", words("title group errors", by=by), text, words("alt rows"),
        (130.0 + 26.0 * number) / SCREEN.width,
        lambda canvas: group_errors(table, caption=text, canvas=canvas), lambda: table,
        tuple(one.key for one in runs),
    )
    yield Numbers(words("numbers"), lambda: _beside(tables))


def _beside(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    titles = {"error": "error", "low": "from", "high": "to", "spread": "s.d. over folds"}
    first = next(iter(tables.values()))[["name", "answers", "participants"]]
    return first.rename(columns={"participants": "intervals over participants"}).join([
        table[list(titles)].rename(columns={c: f"{name}: {t}" for c, t in titles.items()})
        for name, table in tables.items()
    ])
