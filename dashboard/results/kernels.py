"""Kernels: their matrix, their components, a map of these, and the labels that they tell apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.cluster import Agglomerative
from tripletscope.core.kernel.classification import Classification
from tripletscope.core.kernel.kernel import MOST_IN_A_MATRIX
from tripletscope.core.kernel.space import space_of
from tripletscope.core.kernel.spectrum import KernelMap, Spectrum
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.matrix import similarity_matrix, spectrum_figure
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import coordinates
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.wording import Words

#: Of held-out error; a smaller difference is of no account.
_POINT = 0.01
#: Shares of the variance that are told.
_AXES = 3


@presents("fit", "kernel")
def matrix_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """The matrix of similarities, in the order of its average-linkage tree."""
    kernel, words = run.fitted(), shown.words
    if shown.answers.n_objects > MOST_IN_A_MATRIX or kernel.placed_.sum() < 2:
        return
    tree = Agglomerative().tree(space_of(kernel))
    text = words("matrix of", method=words.method(run.fresh()), about=shown.about)

    def draw(canvas: Canvas) -> go.Figure:
        return similarity_matrix(
            kernel.kernel_, tree.order, shown.answers.objects, tree=tree, caption=text,
            canvas=canvas,
        )

    def table() -> pd.DataFrame:
        ids = shown.answers.ids
        return pd.DataFrame(kernel.kernel_, index=ids, columns=ids).rename_axis("id").reset_index()

    yield Drawing(
        f"matrix-{run.method}", words("title matrix", method=kernel.title), text,
        words("alt matrix", objects=words.count(len(kernel.kernel_), "object")), 1.05, draw, table,
        (run.key,),
    )


@presents("spectrum", told_in="similarities")
def spectrum_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Eigenvalues beside those of permuted answers."""
    found, words = run.result(), shown.words
    yield from map(Statement, components_said(words, found))
    text = words(
        "spectrum of", method=words.method(run.fresh()), number=words.whole(len(found.shuffled)),
        share=words.percent(2 * found.level - 1, 0), about=shown.about,
    )
    yield Drawing(
        f"spectrum-{run.method}", words("title spectrum"), text,
        words("alt spectrum", number=words.count(found.n_signal, "component")), 0.5,
        lambda canvas: spectrum_figure(found, caption=text, canvas=canvas),
        lambda: pd.DataFrame({
            "component": np.arange(1, len(found.eigenvalues) + 1),
            "eigenvalue": found.eigenvalues, "chance": found.threshold,
            "held-out error": pd.Series(found.errors).reindex(range(len(found.eigenvalues))),
        }), (run.key,),
    )
    yield Advice(words("ask compare"))


def components_said(words: Words, found: Spectrum) -> Iterator[str]:
    """Components above chance, which are no dimensions, and what the leading ones predict.

    Another number is named only where it predicts better by a point at least.

    Silent on: alike (tests/dashboard/results/test_kernels.py::test_no_number_by_less_than_a_point).
    """
    yield words("components", number=found.n_signal)
    if np.isnan(found.errors).any():
        return
    best = int(np.argmax(found.errors <= found.errors.min() + _POINT))
    yield words("components predict" if best else "one component predicts", best=best + 1,
                first=found.errors[0], lowest=found.errors[best])


@presents("kernel_map")
def kernel_map_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Kernel PCA or UMAP."""
    found, words = run.result(), shown.words
    objects = shown.answers.objects
    text = words("kernel map of", method=words.method(run.fresh()), how=_how(words, found),
                 about=shown.about)
    yield Drawing(
        f"kernel-map-{run.method}", words("title kernel map"), text,
        words("alt kernel map", objects=words.count(len(objects), "object")), 0.69,
        lambda canvas: embedding_map(
            MapData(found.coordinates, objects, None, shown.pictures_on(canvas),
                    list(shown.selected)),
            MapStyle(shown.marks or "labels", shown.colour, uncertainty=False), caption=text,
            revision=run.key, canvas=canvas,
        ), lambda: coordinates(objects, found.coordinates), (run.key,), picks=True,
    )


def _how(words: Words, found: KernelMap) -> str:
    if not len(found.shares):
        return "UMAP"

    def listed(shares: np.ndarray) -> str:
        return words.listing([words.percent(share, 0) for share in shares[:_AXES]])

    reduced = not np.allclose(found.shares, found.whole_shares)
    return words("kernel pca reduced" if reduced else "kernel pca", shares=listed(found.shares),
                 before=listed(found.whole_shares))


@presents("classify", told_in="similarities")
def classes_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often held-out labels are predicted wrongly, and as what."""
    found: Classification = run.result()
    words, options = shown.words, run.options
    names = [str(name) for name in found.classes]
    counts = found.confusion
    repeats, folds = found.fold_errors.shape
    yield Statement(words(
        "labels predicted", column=options["labels"], error=found.error, folds=folds,
        spread=found.standard_error, repeats=words.count(repeats, "repeat"), chance=found.chance,
    ))
    text = words(
        "confusions of", method=words.method(run.fresh()), column=options["labels"],
        number=words.count(int((found.truth >= 0).sum()), "object"), folds=folds,
        algorithm=words(f"algorithm {options['algorithm']}"),
        first=words("first repeat") if repeats > 1 else "", about=shown.about,
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    yield Drawing(
        f"confusions-{run.method}", words("title confusions", column=options["labels"]), text,
        words("alt confusions"), 0.75,
        lambda canvas: square_matrix(
            shares, names, title="proportion of the row", across="predicted", down="true",
            limits=(0.0, 1.0), caption=text, canvas=canvas,
        ),
        lambda: pd.DataFrame(counts, index=names, columns=names).rename_axis("true").reset_index(),
        (run.key,),
    )
    wrong = np.flatnonzero((found.truth >= 0) & (found.predicted != found.truth))
    if len(wrong):
        yield Numbers(
            words("predicted wrongly", number=words.count(len(wrong), "object")),
            lambda: pd.DataFrame({
                "object": [shown.answers.labels[i] for i in wrong],
                "true": [names[k] for k in found.truth[wrong]],
                "predicted": [names[k] for k in found.predicted[wrong]],
            }), tuple(wrong.tolist()),
        )
