"""Neighbours, classes and values by comparisons: searches in trees, and forests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.run import Run
from tripletscope.core.tree.coordinates import TREES, CoordinateTree
from tripletscope.core.tree.nodes import halved
from tripletscope.core.tree.prediction import ColumnErrors
from tripletscope.dashboard.figures.cells import Region, divided_map, window
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.prediction import error_curves, predicted_against_true
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.wording import Words, plain

_FLAT, _SQUARE, _MAP = 0.5, 0.75, 0.58
#: Most objects that are drawn as pictures.
_PICTURED = 60
#: Most features in the words of a division.
_NAMED = 3
#: Curves of searches: their columns, across and up.
_CURVES = {
    "size": ("leaf size", "miss rate"), "distance": ("leaf size", "distance error"),
    "asked": ("questions per search", "miss rate"),
}


def _source(shown: ShownResults, run: Run) -> str:
    """The source of answers that people did not give."""
    return shown.words(f"sees {run.kind}", method=run.fresh())


@presents("search_curve", told_in="trees")
def search_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often trees miss the nearest neighbour, by the size of their leaves or by questions."""
    result, words = run.result(), shown.words
    table, n_searched = result.table(), result.missed.shape[1]
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


@presents("predict_column", told_in="trees")
def forest_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Predictions of a column by comparison forests and their peers, and errors."""
    result, words, column = run.result(), shown.words, run.options["column"]
    if result.best is None:
        yield from _without_forest(shown, run)
        return
    a, b = shown.forest or result.best
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
    if shown.predictor:
        predicted = result.peer_predicted[result.peers.tolist().index(shown.predictor)]
        whose = shown.predictor
    yield from _outcome(shown, run, predicted, f"{plain(whose)}. {about}")


def _without_forest(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The error of the only method that was asked for, and its predictions."""
    result, words, options = run.result(), shown.words, run.options
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
    result, words = run.result(), shown.words
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
    words, column = shown.words, run.options["column"]
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


@presents("coordinate_tree", told_in="trees")
def coordinate_tree_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Divisions of a tree by coordinates, and its search for neighbours."""
    tree, words = run.result(), shown.words
    kind, fitted = run.options["tree"], _fitted(shown, run)
    yield from map(Statement, _neighbours_said(words, run, tree))
    if kind == "cover":
        highest = tree.level[tree.nearest >= 0]
        levels = np.arange(highest.max() + 1)[::-1]
        yield Numbers(words("levels"), table_of(
            level=levels, objects=[int((highest >= level).sum()) for level in levels]
        ))
    elif fitted is not None:
        if fitted.embedding_.shape[1] == 2:
            yield _cells(shown, run, tree, fitted)
        else:
            yield Advice(words("cells need a plane"))
        if kind != "kd":
            standardised = isinstance(fitted, ColumnMap) and fitted.standardise
            yield Advice(words("standardised weights" if standardised else "weights of divisions"))
        yield Numbers(
            words("nodes"), lambda: _nodes(shown, tree, fitted),
            of_rows=lambda rows: np.flatnonzero((tree.leaf >= 0) & np.isin(tree.leaf, rows)),
        )
    yield Numbers(words("nearest neighbours"), lambda: _neighbours(shown, tree))


def _fitted(shown: ShownResults, run: Run) -> Embedding | None:
    """The fit with the coordinates: features are read again, a map is shown, too."""
    if run.kind == ColumnMap.kind:
        return run.fresh().fit(shown.answers)
    fit = shown.of(run, "fit")
    return fit.fitted() if fit else None


def _neighbours_said(words: Words, run: Run, tree: CoordinateTree) -> Iterator[str]:
    this, other = tree.errors().to_dict("records")
    searched = tree.nearest >= 0
    here, there = tree.missed[searched], tree.missed_by_comparisons[searched]
    shape = {"levels": int(tree.level.max()) + 1} if run.options["tree"] == "cover" else {
        "height": int(tree.depth.max()), "leaves": int((tree.child < 0).sum()),
    }
    key = "cover tree misses" if "levels" in shape else "tree misses"
    yield words(
        key, tree=TREES[run.options["tree"]], number=int(searched.sum()), asked=this["asked"],
        missed=(this["miss rate"], this["low"], this["high"]), **shape,
    )
    yield words(
        "comparison trees miss", size=run.options["leaf_size"], asked=other["asked"],
        missed=(other["miss rate"], other["low"], other["high"]),
        here=int((here & ~there).sum()), there=int((there & ~here).sum()),
    )


def _cells(shown: ShownResults, run: Run, tree: CoordinateTree, fitted: Embedding) -> Drawing:
    words, objects = shown.words, shown.answers.objects
    positions = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    outlines = halved(tree.child, tree.direction, tree.threshold, *window(positions))
    regions = [Region(outlines[leaf], width=1.2) for leaf in np.flatnonzero(tree.child < 0)]
    pictured = (shown.addresses or shown.pictures) and len(objects) <= _PICTURED
    text = words(
        "cells of", tree=TREES[run.options["tree"]], number=int((tree.nearest >= 0).sum()),
        size=run.options["leaf_size"], method=run.fresh(), about=shown.about,
    )
    return Drawing(
        "cells", words("title cells"), text, words("alt cells", number=len(regions)), _MAP,
        lambda canvas: divided_map(
            MapData(positions, objects, None, shown.pictures_on(canvas), list(shown.selected)),
            MapStyle("pictures" if pictured else "points", shown.colour), regions, caption=text,
            revision=run.key, canvas=canvas,
        ),
        lambda: objects.drop(columns="image", errors="ignore").assign(leaf=tree.leaf)[
            tree.leaf >= 0
        ], (run.key,), picks=True,
    )


def _nodes(shown: ShownResults, tree: CoordinateTree, fitted: Embedding) -> pd.DataFrame:
    d = fitted.embedding_.shape[1]
    names, middle, spread = [f"x{k + 1}" for k in range(d)], np.zeros(d), np.ones(d)
    if isinstance(fitted, ColumnMap):
        names = list(fitted.columns)
        if fitted.standardise:
            values = shown.answers.objects[names].to_numpy(dtype=float)[fitted.placed_]
            middle, deviation = values.mean(axis=0), values.std(axis=0)
            spread = np.where(deviation > 0, deviation, 1.0)
    labels = np.array(shown.answers.labels, dtype=object)
    nodes, is_leaf = np.arange(len(tree.child)), tree.child < 0
    return pd.DataFrame({
        "node": nodes, "below": pd.Series(tree.parent).astype("Int64").where(tree.parent >= 0),
        "depth": tree.depth, "objects": tree.size,
        "divided by": [
            "" if is_leaf[node] else division(
                shown.words, names, tree.direction[node], tree.threshold[node], middle, spread
            ) for node in nodes
        ],
        "members": [
            labels[tree.leaf == node].tolist() if is_leaf[node] else [] for node in nodes
        ],
    })


def division(
    words: Words, names: Sequence[str], direction: np.ndarray, threshold: float,
    middle: np.ndarray, spread: np.ndarray,
) -> str:
    """Condition of the first child, in words: in the features' units where there is one.

    Shapes: names length d, direction, middle, spread (d,).
    direction: Weights of the features.
    middle, spread: Subtracted from the features, and their divisor.
    """
    weighted = np.flatnonzero(direction)
    if len(weighted) == 1:
        (axis,) = weighted
        bound = threshold / direction[axis] * spread[axis] + middle[axis]
        return f"{names[axis]} {'≤' if direction[axis] > 0 else '≥'} {bound:.4g}"
    length = float(np.linalg.norm(direction))
    parts = " ".join(
        f"{'−' if direction[axis] < 0 else '+'} {abs(direction[axis]) / length:.2f} {names[axis]}"
        for axis in np.argsort(-np.abs(direction), kind="stable")[:_NAMED]
    ).removeprefix("+ ")
    if len(weighted) > _NAMED:
        parts = words("and more", names=parts, number=len(weighted) - _NAMED)
    return f"{parts} ≤ {f'{threshold / length:.3g}'.replace('-', '−')}"


def _neighbours(shown: ShownResults, tree: CoordinateTree) -> pd.DataFrame:
    searched = np.flatnonzero(tree.nearest >= 0)
    labels = np.array([*shown.answers.labels, "—"], dtype=object)
    return pd.DataFrame({
        "id": np.array(shown.answers.ids, dtype=object)[searched], "object": labels[searched],
        "found": labels[tree.found[searched]], "nearest": labels[tree.nearest[searched]],
        "missed": tree.missed[searched],
        "missed by comparisons": tree.missed_by_comparisons[searched],
        "steps": tree.asked[searched],
    })
