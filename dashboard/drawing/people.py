"""People as individuals: their weights, what predicts them, groups and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.individuals import LatentClassMap, WeightedEuclidean
from tripletscope.core.run import Run
from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.maps import colour_of
from tripletscope.dashboard.drawing.shown import ShownResults, figure_of
from tripletscope.dashboard.figures.observers import grid_height, map_grid
from tripletscope.dashboard.figures.people import (
    gain_dots,
    membership_bars,
    most_different,
    weights_figure,
)

_WIDTH = 900.0


def weights_table(fitted: WeightedEuclidean) -> pd.DataFrame:
    """One row per person, the most different first.

    ``person``, ``answers``, and of every axis ``weight``, ``low``, ``high``; with two axes
    ``axis 1 / axis 2`` with its interval, which is attention without consistency.
    """
    table = pd.DataFrame({"person": fitted.people_, "answers": fitted.n_answers_})
    logs, covariance = np.log(fitted.weights_), fitted.log_covariance_
    if fitted.n_components == 2:
        ratio = logs[:, 0] - logs[:, 1]
        spread = np.sqrt(np.maximum(
            covariance[:, 0, 0] + covariance[:, 1, 1] - 2 * covariance[:, 0, 1], 0.0
        ))
        table["axis 1 / axis 2"] = np.exp(ratio)
        table["ratio low"] = np.exp(ratio - 1.96 * spread)
        table["ratio high"] = np.exp(ratio + 1.96 * spread)
    for k in range(fitted.n_components):
        table[f"weight {k + 1}"] = fitted.weights_[:, k]
        table[f"low {k + 1}"], table[f"high {k + 1}"] = fitted.low_[:, k], fitted.high_[:, k]
    return table.iloc[most_different(fitted.weights_)].reset_index(drop=True)


@figure_of("fit", "individuals")
def individuals_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Weights, or groups."""
    fitted = run.fitted()
    if isinstance(fitted, LatentClassMap):
        yield from _groups(shown, run, fitted)
        return
    words, d = shown.words, fitted.n_components
    text = words(
        "weights of", people=words.whole(len(fitted.people_)), by=fitted.by,
        method=words.method(run.fresh()),
    )
    text = f"{text} {words({2: 'weights read', 3: 'weights triangle'}.get(d, 'weights strips'))}"
    yield Drawing(
        f"weights-{fitted.by}", words("title weights", by=fitted.by), text, words("alt weights"),
        0.75 if d in (2, 3) else 0.5,
        lambda canvas: weights_figure(
            fitted.people_, fitted.weights_, fitted.low_, fitted.high_, caption=text,
            canvas=canvas,
        ), partial(weights_table, fitted), (run.key,),
    )


def _groups(shown: ShownResults, run: Run, fitted: LatentClassMap) -> Iterator[Drawing]:
    words = shown.words
    text = words(
        "membership of", people=words.whole(len(fitted.people_)), by=fitted.by,
        groups=words.whole(fitted.n_groups), method=words.method(run.fresh()),
    )
    table = pd.DataFrame({
        "person": fitted.people_, "answers": fitted.n_answers_, "group": fitted.group_ + 1,
        **{f"group {g + 1}": column for g, column in enumerate(fitted.membership_.T)},
    })
    yield Drawing(
        "membership", words("title membership"), text, words("alt membership"), 0.42,
        lambda canvas: membership_bars(
            fitted.people_, fitted.membership_, caption=text, canvas=canvas
        ), lambda: table, (run.key,),
    )
    about = words("group maps of", groups=words.whole(fitted.n_groups),
                  method=words.method(run.fresh()))
    maps = np.concatenate([fitted.embedding_[None], fitted.maps_])
    maps = np.where(fitted.placed_[None, :, None], maps, np.nan)
    titles = [words("map of all"), *(
        words("map of group", number=str(g + 1), share=words.percent(share, 0))
        for g, share in enumerate(fitted.shares_)
    )]

    def positions() -> pd.DataFrame:
        return pd.concat([
            pd.DataFrame({
                "map": title, "object": shown.answers.labels,
                **{f"x{k + 1}": axis for k, axis in enumerate(x.T)},
            }) for title, x in zip(titles, maps, strict=True)
        ], ignore_index=True)

    yield Drawing(
        "group-maps", words("title group maps"), about, words("alt group maps"),
        max(grid_height(maps) / _WIDTH, 0.25),
        lambda canvas: map_grid(
            maps, titles, shown.answers.objects, colour=colour_of(shown.answers.objects),
            caption=about, canvas=canvas,
        ), positions, (run.key,),
    )


def _gains(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """What views of people, or of conditions, add to one map."""
    words, found = shown.words, run.result()
    table, by = found.table, run.parameters["by"]
    number = len(found.log_share)
    over = words.over("participants", number) if run.task == "compare_people" or \
        found.unit == "participants" else words.over("answers", None)
    text = words("people gains of", by=by, folds=words.whole(run.options["folds"]), over=over,
                 method=words.method(run.fresh()))
    yield Drawing(
        f"gains-{by}", words("title people gains", by=by), text, words("alt rows"),
        (110.0 + 40.0 * len(table)) / _WIDTH,
        lambda canvas: gain_dots(table, caption=text, canvas=canvas), lambda: table, (run.key,),
    )


for _task in ("compare_people", "compare_conditions"):
    figure_of(_task)(_gains)
