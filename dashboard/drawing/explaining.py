"""How well features explain answers, for pages, scripts and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.embedding import STE
from tripletscope.core.evaluation.choosing import ChoiceAccuracy, choice_accuracies
from tripletscope.core.explaining.correlation import MapCorrelation
from tripletscope.core.explaining.explain import Explained
from tripletscope.core.explaining.left_over import LeftOver
from tripletscope.core.explaining.unique import UniqueParts
from tripletscope.core.explaining.weights import FeatureWeights
from tripletscope.core.method import unfitted
from tripletscope.core.run import Run
from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.shown import ShownResults, figure_of
from tripletscope.dashboard.figures.explaining import (
    accuracy_bars,
    accuracy_height,
    interval_rows,
    rows_height,
)
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface.theme import Canvas

#: Bounds of a ceiling whose intervals are wider say little.
_VAGUE = 0.1
_WIDTH = 900.0
#: Up to so many objects have their names in a map.
_NAMED = 150


def measured_as(found: Explained, *, as_asked: bool = True) -> pd.DataFrame:
    """The table of accuracies, of choices as they were asked or of two at a time."""
    table = found.table
    if as_asked:
        return table
    places = ["accuracy", "low", "high", "p"]
    table[places] = table[
        ["triplet_accuracy", "triplet_low", "triplet_high", "triplet_p"]
    ].to_numpy()
    answers = dict(zip(found.schemes, found.n_answers, strict=True))
    return table.assign(chance=0.5, choices=table["held_out"].map(answers)).drop(
        columns=["behind", "behind_low", "behind_high", "gain", "gain_low", "gain_high"]
    )


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """The space that predicts held-out objects best first; of trials, where there are no others."""
    scheme = "objects" if (table["held_out"] == "objects").any() else "trials"
    best = table[table["held_out"] == scheme].groupby("space")["accuracy"].max()
    order = best.sort_values(ascending=False, kind="stable").index.tolist()
    return table.sort_values(
        "space", key=lambda names: names.map({name: k for k, name in enumerate(order)}),
        kind="stable", ignore_index=True,
    )


def ceilings_of(
    found: Explained, choices: Sequence[ChoiceAccuracy], *, as_asked: bool = True
) -> dict[str, tuple[float, float]]:
    """Bounds of the noise ceiling by what was held out; empty where they are not known well.

    choices: Of the same answers; empty where all are choices between two.
    as_asked: As of `measured_as`. Of several kinds of choice together no ceiling is known.
    """
    bounds = [tuple(found.ceiling_lower), tuple(found.ceiling_upper)]
    if as_asked and choices:
        chances = {round(one.chance, 9) for one in choices}
        lower, upper = choices[0].ceiling.lower, choices[0].ceiling.upper
        mixed = len(choices) > 1 or any(abs(found.chance - min(chances)) > 1e-6)
        if mixed or lower is None or upper is None:
            return {}
        bounds = [(bound.value, bound.low, bound.high) for bound in (lower, upper)]
    known = all(np.isfinite(b).all() and b[2] - b[1] < _VAGUE for b in bounds)
    return dict.fromkeys(found.schemes, (bounds[0][0], bounds[1][0])) if known else {}


@figure_of("explain")
def accuracy_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Accuracy of every feature space on held-out choices."""
    found, words = run.result(), shown.words
    table = in_order(measured_as(found))
    ceilings = ceilings_of(found, choice_accuracies(shown.answers))
    spaces, models = table["space"].nunique(), table["model"].nunique()
    text = words("features of", over=words.over(found.unit, found.n_units), about=shown.about)
    if ceilings:
        text += f" {words('ceiling band')}"
    best = table.iloc[0]
    yield Drawing(
        "features-accuracy", words("title features"), text,
        words("alt features", number=words.count(spaces, "feature space"), best=best["space"]),
        accuracy_height(spaces, models) / _WIDTH,
        lambda canvas: _bars(table, ceilings, text, canvas), lambda: table, (run.key,),
    )


def _bars(
    table: pd.DataFrame, ceilings: dict[str, tuple[float, float]], text: str, canvas: Canvas
) -> go.Figure:
    return accuracy_bars(table, ceilings=ceilings, caption=text, canvas=canvas)


def shares_of(found: FeatureWeights) -> pd.DataFrame:
    """The shares of features, the largest first, for `interval_rows`."""
    several = len(set(found.spaces)) > 1
    twice = pd.Series(found.features).duplicated(keep=False)
    names = [
        f"{feature} ({space})" if several and again else feature
        for space, feature, again in zip(found.spaces, found.features, twice, strict=True)
    ]
    table = pd.DataFrame({
        "name": names, "value": found.share, "low": found.share_low, "high": found.share_high,
        "weight": found.weight, "weight_low": found.weight_low, "weight_high": found.weight_high,
    })
    return table.sort_values("value", ascending=False, kind="stable", ignore_index=True)


def parts_of(found: UniqueParts) -> tuple[str, pd.DataFrame]:
    """What was held out, objects if that was possible, and the parts for `interval_rows`."""
    k = 0 if found.n_choices[0] else 1
    parts = [
        pd.DataFrame({
            "name": found.predictors, "kind": kind, "value": getattr(found, name)[:, k],
            "low": getattr(found, f"{name}_low")[:, k],
            "high": getattr(found, f"{name}_high")[:, k],
        })
        for name, kind in (("alone", "alone"), ("unique", "beyond all others"))
    ]
    together = pd.DataFrame({
        "name": ["all together"], "kind": ["alone"], "value": found.total[[k]],
        "low": found.total_low[[k]], "high": found.total_high[[k]],
    })
    return found.schemes[k], pd.concat([*parts, together], ignore_index=True)


@figure_of("feature_weights")
def weights_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """What each feature counts."""
    found, words = run.result(), shown.words
    table = shares_of(found)
    text = words("feature weights of", number=words.whole(len(found.samples)),
                 over=words.over(found.unit, found.n_units), about=shown.about)
    yield Drawing(
        "features-weights", words("title feature weights"), text,
        words("alt feature weights", first=table["name"][0]), rows_height(len(table)) / _WIDTH,
        lambda canvas: interval_rows(
            table, value="share of the weights", caption=text, canvas=canvas
        ), lambda: table, (run.key,),
    )


@figure_of("unique_parts")
def unique_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """What each predictor explains alone, and beyond all others."""
    found, words = run.result(), shown.words
    scheme, table = parts_of(found)
    text = words(f"unique of {scheme}", over=words.over(found.unit, found.n_units),
                 about=shown.about)
    yield Drawing(
        "features-unique", words("title unique"), text,
        words("alt unique", number=len(found.predictors)),
        rows_height(1.5 * len(found.predictors) + 1) / _WIDTH,
        lambda canvas: interval_rows(
            table, value="deviance explained", caption=text, canvas=canvas
        ), lambda: table, (run.key,),
    )


def correlations_of(found: MapCorrelation) -> tuple[pd.DataFrame, tuple[float, float] | None]:
    """Rank correlations, the highest first, for `interval_rows`, and the bounds of noise."""
    table = found.table.rename(columns={"space": "name", "correlation": "value"})
    known = found.ceiling_lower > 0
    return (
        table.sort_values("value", ascending=False, kind="stable", ignore_index=True),
        (found.ceiling_lower, found.ceiling_upper) if known else None,
    )


@figure_of("map_correlation")
def map_correlation_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Rank correlation of every feature space with the map."""
    found, words = run.result(), shown.words
    table, bounds = correlations_of(found)
    method = unfitted(run.options["embedding"]) if run.options["embedding"] else STE()
    text = words("map correlation of", map=words.method(method),
                 over=words.over(found.unit, found.n_units), about=shown.about)
    if bounds is not None:
        text += f" {words('halves band')}"
    yield Drawing(
        "features-map", words("title map correlation"), text,
        words("alt map correlation", number=words.count(len(table), "feature space"),
              best=table["name"][0]), rows_height(len(table)) / _WIDTH,
        lambda canvas: interval_rows(
            table, value="rank correlation", band=bounds, caption=text, canvas=canvas
        ), lambda: table, (run.key,),
    )


def rest_of(found: LeftOver) -> pd.DataFrame:
    """What features, a map beside them, and a map alone explain, for `interval_rows`."""
    return pd.DataFrame({
        "name": found.parts, "value": found.explained, "low": found.explained_low,
        "high": found.explained_high,
    })


@figure_of("left_over")
def left_over_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """The map of what features leave over, and what it explains."""
    found, words = run.result(), shown.words
    objects, table = shown.answers.objects, rest_of(found)
    positions = np.where(found.placed[:, None], found.embedding, np.nan)
    names = words.method(run.fresh())
    text = words("left over of", features=names, about=shown.about)
    if not found.is_something:
        text += f" {words('left over noise')}"
    data = MapData(positions, objects, None, shown.pictures)
    style = MapStyle("labels" if len(objects) <= _NAMED else "points")
    axes = [f"x{c + 1}" for c in range(positions.shape[1])]
    yield Drawing(
        "features-left-over", words("title left over"), text,
        words("alt left over", objects=words.count(int(found.placed.sum()), "object")), 0.62,
        lambda canvas: embedding_map(data, style, caption=text, canvas=canvas),
        lambda: pd.concat([objects, pd.DataFrame(positions, columns=axes)], axis=1), (run.key,),
    )
    parts = words("left over parts of", over=words.over(found.unit, found.n_units),
                  about=shown.about)
    yield Drawing(
        "features-left-over-parts", words("title left over parts"), parts, words("alt rows"),
        rows_height(len(table)) / _WIDTH,
        lambda canvas: interval_rows(
            table, value="deviance explained", caption=parts, canvas=canvas
        ), lambda: table, (run.key,),
    )
