"""Scales of conjoint measurement."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from tripletscope.core.run import Run
from tripletscope.core.scales import ConjointScales
from tripletscope.core.scales.binomial import LINKS
from tripletscope.core.scales.conjoint import ENOUGH
from tripletscope.dashboard.figures.scale_curves import conjoint_curves, conjoint_surface
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

_FLAT = 0.5


@presents("fit", "conjoint", told_in="scales")
def joint_scales_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The contribution of each property, and whether contributions add up."""
    scales = run.fitted().scales
    yield from map(Statement, conjoint_said(scales))
    text = words(
        "conjoint of", number=scales.n_answers, file=run.table, level=scales.level,
        link=LINKS[scales.link].title,
    )
    curves = scales.curves()
    yield Drawing(
        "conjoint-scales", words("title conjoint"), text, words("alt curve"), _FLAT,
        lambda canvas: conjoint_curves(curves, caption=text, canvas=canvas), lambda: curves,
        (run.key,), saved_as=f"{run.table}-conjoint",
    )
    if len(scales.levels) == 2:
        along, by = scales.levels
        surface = scales.surface
        surface["number"] = surface[along].map(
            {level: k for k, level in enumerate(scales.levels[along], 1)}
        )
        about = words("conjoint surface", along=unmarked(along), by=unmarked(by))
        yield Drawing(
            "conjoint-surface", words("title saturated"), about, words("alt curve"), _FLAT,
            lambda canvas: conjoint_surface(surface, along, by, caption=about, canvas=canvas),
            lambda: surface, (run.key,), is_folded=True, saved_as=f"{run.table}-saturated",
        )
    yield Numbers(words("title nested"), lambda: _tests(scales), about=words("nested about"))
    yield from map(Advice, scales.notes)


def conjoint_said(scales: ConjointScales) -> Iterator[str]:
    """Which properties count, and whether their contributions add up."""
    if not scales.is_enough:
        yield words("conjoint few", number=scales.n_answers,
                    least=ENOUGH * len(scales.models["saturated"].values))
        return
    if scales.n_people > 1:
        yield words("conjoint people", number=scales.n_people)
        return
    for name in scales.levels:
        if (p := scales.contributes(name)) is not None:
            yield words("conjoint contributes", name=unmarked(name), p=p)
    if scales.interaction is not None:
        yield words("conjoint interaction", p=scales.interaction)


def _tests(scales: ConjointScales) -> pd.DataFrame:
    table = scales.tests.assign(aic=[scales.models[name].aic for name in scales.tests["model"]])
    if not scales.is_enough or scales.n_people > 1:
        table = table.drop(columns="p")
    return table
