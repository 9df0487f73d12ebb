"""Neighbours, classes and values from comparisons alone: searches in trees, and forests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.run import Run
from tripletscope.core.tree.prediction import ForestErrors
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.prediction import error_curves, predicted_against_true
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.wording import plain

_FLAT, _SQUARE = 0.5, 0.75
#: What a curve of searches may show: its columns, across and up.
_CURVES = {
    "size": ("leaf size", "miss rate"), "distance": ("leaf size", "distance error"),
    "asked": ("questions per search", "miss rate"),
}


def _source(shown: ShownResults, run: Run) -> str:
    """What answers where people have not."""
    return shown.words(f"sees {run.kind}", method=run.fresh())


@presents("search_curve", told_in="trees")
def search_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often trees miss the nearest neighbour, by the size of their leaves or by questions."""
    found, words = run.result(), shown.words
    table, n_searched = found.table(), found.missed.shape[1]
    x, value = _CURVES[shown.curve]
    yield Statement(words("searched", number=n_searched))
    text = words(
        f"search by {shown.curve}", number=n_searched, folds=min(run.options["folds"], n_searched),
        source=_source(shown, run), about=shown.about,
    )
    lines = table.rename(columns={"size": "leaf size"})
    if x == "leaf size":
        lines = lines[lines["tree"] != "Rank cover tree"]
    if value != "miss rate":
        lines = lines.drop(columns=["low", "high"])
    yield Drawing(
        "search", words("title search"), text, words("alt curve"), _FLAT,
        lambda canvas: error_curves(lines, line="tree", x=x, value=value, caption=text,
                                    canvas=canvas),
        lambda: table, (run.key,),
    )


@presents("forest_errors", told_in="trees")
def forest_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How well a column is predicted by comparison forests and their peers, and what is wrong."""
    found, words, column = run.result(), shown.words, run.options["column"]
    a, b = shown.forest or found.best
    table, size, trees = found.table(), int(found.leaf_sizes[a]), int(found.n_trees[b])
    yield from map(Statement, _forest_said(shown, run, table, a, b))
    about = words(
        f"forest answered {run.options['answers']}", column=column, source=_source(shown, run),
        number=int(np.isfinite(found.truth).sum()), folds=len(found.errors),
        share=run.options["max_samples"], about=shown.about,
    )
    text = words("forest of", source=_source(shown, run), size=size, about=about)
    value = "share of wrong classes" if len(found.classes) else "root mean square error"
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
    predicted, whose = found.predicted[a, b], words("this forest", size=size, trees=trees)
    if shown.predictor:
        predicted = found.peer_predicted[found.peers.tolist().index(shown.predictor)]
        whose = shown.predictor
    yield from _outcome(shown, run, predicted, f"{plain(whose)}. {about}")


def _forest_said(
    shown: ShownResults, run: Run, table: pd.DataFrame, a: int, b: int
) -> Iterator[str]:
    """The error of a forest, beside the lowest and that of always predicting the same."""
    found, words = run.result(), shown.words
    show = words.share if len(found.classes) else words.number
    constant = words("most frequent class" if len(found.classes) else "the mean")
    this = table[(table["leaf size"] == found.leaf_sizes[a]) & (table["trees"] == found.n_trees[b])]
    lowest = table.loc[table["error"].idxmin()]
    error, low, high = (show(float(this[name].iloc[0])) for name in ("error", "low", "high"))
    if not found.is_better(a, b):  # first of all, so that nobody reads an error as a success
        gain, reach, chosen, chosen_reach = map(show, (*found.gain(a, b), *found.chosen_gain))
        yield words("no gain", constant=constant, gain=gain, reach=reach, chosen=chosen,
                    chosen_reach=chosen_reach)
    yield words(
        "forest predicts" if len(found.classes) else "forest predicts values",
        column=run.options["column"], number=int(np.isfinite(found.truth).sum()),
        size=int(found.leaf_sizes[a]), trees=int(found.n_trees[b]), error=error, low=low,
        high=high, constant=constant, chance=show(found.chance), lowest=show(lowest["error"]),
        method=lowest["method"],
    )
    if (a, b) == found.best:
        yield words("optimistic")


def _outcome(
    shown: ShownResults, run: Run, predicted: np.ndarray, text: str
) -> Iterator[Element]:
    """Predicted and true values, or which classes are taken for which, and whose are wrong.

    Shapes: predicted (n,), in the manner of `ForestErrors.truth`.
    """
    found: ForestErrors = run.result()
    words, column = shown.words, run.options["column"]
    labels, names = shown.answers.labels, found.classes.tolist()
    known = np.flatnonzero(np.isfinite(found.truth))

    def named(values: np.ndarray) -> list:
        return [names[int(k)] for k in values] if names else values.tolist()

    def table() -> pd.DataFrame:
        return pd.DataFrame({
            "id": [shown.answers.ids[i] for i in known], "true": named(found.truth[known]),
            "predicted": named(predicted[known]),
        })

    if not names:
        yield Drawing(
            f"predicted-{column}", words("title predicted", column=column), text,
            words("alt predicted"), _SQUARE,
            lambda canvas: predicted_against_true(
                found.truth, predicted, labels, name=column, caption=text,
                selected=shown.selected, canvas=canvas,
            ), table, (run.key,), picks=True,
        )
        return
    counts, text = found.confusion(predicted), f"{words('rows true')} {text}"
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
    wrong = known[predicted[known] != found.truth[known]]
    if len(wrong):
        yield Numbers(
            words("predicted wrongly", number=words.count(len(wrong), "object")),
            table_of(object=[labels[i] for i in wrong], true=named(found.truth[wrong]),
                     predicted=named(predicted[wrong])),
            tuple(wrong.tolist()),
        )
