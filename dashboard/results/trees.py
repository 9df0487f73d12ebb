"""Neighbours, classes and values by comparisons: searches in trees, and forests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.run import Run
from tripletscope.core.trees.prediction import ColumnErrors
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.prediction import error_curves, predicted_against_true
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.look import OneOf
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.words import unmarked, words

_FLAT, _SQUARE = 0.5, 0.75
#: Curves of searches: their columns, across and up.
_CURVES = {
    "size": ("leaf size", "miss rate"), "distance": ("leaf size", "distance error"),
    "asked": ("questions per search", "miss rate"),
}


def _source(shown: ShownResults, run: Run) -> str:
    """The source of answers that people did not give."""
    return words(f"sees {run.kind}", method=run.fresh())


@dataclass(frozen=True)
class SearchLook:
    """Which errors of a search are shown."""

    place: ClassVar[str] = "trees"

    curve: Annotated[str, OneOf({
        "size": "Misses by leaf size", "distance": "Distance error by leaf size",
        "asked": "Misses by questions",
    }, "Show")] = "size"


@presents("search_curve", told_in="trees", look=SearchLook)
def search_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often trees miss the nearest neighbour, by the size of their leaves or by questions."""
    result = run.result()
    table, n_searched = result.table(), result.missed.shape[1]
    curve = shown.look_of(run, SearchLook).curve
    x, value = _CURVES[curve]
    yield Statement(words("searched", number=n_searched))
    text = words(
        f"search by {curve}", number=n_searched, folds=min(run.options["folds"], n_searched),
        source=_source(shown, run), about=shown.about,
    )
    lines = table.rename(columns={"size": "leaf size"})
    if value != "miss rate":
        lines = lines.drop(columns=["low", "high"])
    yield Drawing(
        "search", words("title search"), text, words("alt curve"), _FLAT,
        lambda canvas: error_curves(lines, line="tree", x=x, value=value, caption=text,
                                    canvas=canvas),
        lambda: table, (run.key,),
    )


def _leaf_sizes(run: Run) -> dict[int, str]:
    sizes = [] if run.result().best is None else run.result().leaf_sizes.tolist()
    return {size: str(size) for size in sizes}


def _numbers_of_trees(run: Run) -> dict[int, str]:
    numbers = [] if run.result().best is None else run.result().n_trees.tolist()
    return {number: str(number) for number in numbers}


def _predictors(run: Run) -> dict[str, str]:
    peers = [] if run.result().best is None else run.result().peers.tolist()
    return {"": "Comparison forest", **{name: name for name in peers}}


@dataclass(frozen=True)
class ForestLook:
    """Which forest is shown; by default the one that errs least.

    predictor: A method beside it, whose predictions are shown; empty for the forest.
    """

    place: ClassVar[str] = "trees"

    leaf_size: Annotated[int | None, OneOf(
        _leaf_sizes, "Leaf size", "Cells of at most this many objects are not divided.",
        usual=lambda run: int(run.result().leaf_sizes[run.result().best[0]]), in_order=True,
    )] = None
    n_trees: Annotated[int | None, OneOf(
        _numbers_of_trees, "Trees", "More trees reduce the error, slowly beyond a hundred.",
        usual=lambda run: int(run.result().n_trees[run.result().best[1]]), in_order=True,
    )] = None
    predictor: Annotated[str, OneOf(_predictors, "Predicted by")] = ""

    def of(self, errors: ColumnErrors) -> tuple[int, int]:
        """Positions of leaf size and number of trees; those of the best where there are none."""
        sizes, numbers = errors.leaf_sizes.tolist(), errors.n_trees.tolist()
        return (
            sizes.index(self.leaf_size) if self.leaf_size in sizes else errors.best[0],
            numbers.index(self.n_trees) if self.n_trees in numbers else errors.best[1],
        )


@presents("predict_column", told_in="trees", look=ForestLook)
def forest_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Predictions of a column by comparison forests and their peers, and errors."""
    result, column = run.result(), run.options["column"]
    if result.best is None:
        yield from _without_forest(shown, run)
        return
    look = shown.look_of(run, ForestLook)
    a, b = look.of(result)
    table, size, trees = result.table(), int(result.leaf_sizes[a]), int(result.n_trees[b])
    yield from map(Statement, _forest_said(shown, run, table, a, b))
    about = words(
        f"forest answered {run.options['answers']}", column=column, source=_source(shown, run),
        number=int(np.isfinite(result.truth).sum()), folds=len(result.errors),
        share=run.options["max_samples"], about=shown.about,
    )
    text = words("forest of", source=_source(shown, run), size=size, about=about)
    value = "share of wrong classes" if len(result.classes) else "root mean square error"
    lines = table.rename(columns={"error": value, "trees": "number of trees"})
    lines["line"] = lines["method"]
    lines = lines[lines["number of trees"].isna() | (lines["leaf size"] == size)]
    yield Drawing(
        f"forest-{column}", words("title forest", column=column), text, words("alt curve"), _FLAT,
        lambda canvas: error_curves(
            lines, line="line", x="number of trees", value=value, mark=float(trees), caption=text,
            canvas=canvas,
        ), lambda: table, (run.key,),
    )
    yield Numbers(words("all forests"), lambda: table)
    predicted, whose = result.predicted[a, b], words("this forest", size=size, trees=trees)
    if look.predictor in result.peers.tolist():
        predicted = result.peer_predicted[result.peers.tolist().index(look.predictor)]
        whose = look.predictor
    yield from _outcome(shown, run, predicted, f"{unmarked(whose)}. {about}")


def _without_forest(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The error of the only method that was asked for, and its predictions."""
    result, options = run.result(), run.options
    show = words.share if len(result.classes) else words.number
    (row,) = result.table().to_dict("records")
    number = int(np.isfinite(result.truth).sum())
    yield Statement(words(
        "column predicted" if len(result.classes) else "numbers predicted",
        column=options["column"], number=number, method=row["method"],
        **{name: show(row[name]) for name in ("error", "low", "high")},
        constant=words("most frequent class" if len(result.classes) else "the mean"),
        chance=show(result.chance),
    ))
    text = words(
        "predicted by", method=row["method"], column=options["column"], number=number,
        folds=len(result.errors), source=_source(shown, run), about=shown.about,
    )
    yield from _outcome(shown, run, result.peer_predicted[0], text)


def _forest_said(
    shown: ShownResults, run: Run, table: pd.DataFrame, a: int, b: int
) -> Iterator[str]:
    result = run.result()
    show = words.share if len(result.classes) else words.number
    constant = words("most frequent class" if len(result.classes) else "the mean")
    size, trees = int(result.leaf_sizes[a]), int(result.n_trees[b])
    this = table[(table["leaf size"] == size) & (table["trees"] == trees)]
    lowest = table.loc[table["error"].idxmin()]
    error, low, high = (show(float(this[name].iloc[0])) for name in ("error", "low", "high"))
    if not result.is_better(a, b):  # first of all, so that nobody reads an error as a success
        gain, reach, chosen, chosen_reach = map(show, (*result.gain(a, b), *result.chosen_gain))
        yield words("no gain", constant=constant, gain=gain, reach=reach, chosen=chosen,
                    chosen_reach=chosen_reach)
    yield words(
        "forest predicts" if len(result.classes) else "forest predicts values",
        column=run.options["column"], number=int(np.isfinite(result.truth).sum()),
        size=size, trees=trees, error=error, low=low, high=high, constant=constant,
        chance=show(result.chance), lowest=show(lowest["error"]), method=lowest["method"],
    )
    if (a, b) == result.best:
        yield words("optimistic")


def _outcome(
    shown: ShownResults, run: Run, predicted: np.ndarray, text: str
) -> Iterator[Element]:
    """Predicted and true values, or confusions of classes, and wrong objects.

    Shapes: predicted (n,), in the manner of `ColumnErrors.truth`.
    """
    result: ColumnErrors = run.result()
    column = run.options["column"]
    labels, names = shown.answers.labels, result.classes.tolist()
    valid = np.flatnonzero(np.isfinite(result.truth))

    def named(values: np.ndarray) -> list:
        return [names[int(k)] for k in values] if names else values.tolist()

    def table() -> pd.DataFrame:
        return pd.DataFrame({
            "id": [shown.answers.ids[i] for i in valid], "true": named(result.truth[valid]),
            "predicted": named(predicted[valid]),
        })

    if not names:
        yield Drawing(
            f"predicted-{column}", words("title predicted", column=column), text,
            words("alt predicted"), _SQUARE,
            lambda canvas: predicted_against_true(
                result.truth, predicted, labels, name=column, caption=text,
                selected=shown.selected, canvas=canvas,
            ), table, (run.key,), picks=True,
        )
        return
    counts, text = result.confusion(predicted), f"{words('rows true')} {text}"
    sizes = counts.sum(axis=1)

    def draw(canvas: Canvas) -> go.Figure:
        return square_matrix(
            counts / np.maximum(sizes, 1)[:, None], names, title="proportion of the row",
            across="predicted", down="true", limits=(0.0, 1.0), caption=text, canvas=canvas,
        )

    yield Drawing(
        f"predicted-{column}", words("title confusions", column=column), text,
        words("alt confusions"), _SQUARE, draw, table, (run.key,),
    )
    yield Numbers(words("errors of classes"), table_of(**{
        "class": names, "objects": sizes, "error": 1 - counts.diagonal() / np.maximum(sizes, 1),
    }))
    wrong = valid[predicted[valid] != result.truth[valid]]
    if len(wrong):
        yield Numbers(
            words("predicted wrongly", number=words.count(len(wrong), "object")),
            table_of(object=[labels[i] for i in wrong], true=named(result.truth[wrong]),
                     predicted=named(predicted[wrong])),
            tuple(wrong.tolist()),
        )
