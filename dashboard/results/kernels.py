"""Kernels: their matrix, components, and maps of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.landmarks import recognise
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column
from tripletscope.core.run import Run
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.ordering import ROOM, order_of_kernel
from tripletscope.core.similarity.kernels.evidence import Evidence, common_comparisons, evidence
from tripletscope.core.similarity.kernels.kernel import MOST_IN_A_MATRIX, Kernel
from tripletscope.core.similarity.kernels.spectrum import KernelMap, Spectrum
from tripletscope.core.similarity.kernels.triplet import TripletKernel
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.matrix import (
    drawn_similarities,
    rows_of_a_block,
    similarity_matrix,
    spectrum_figure,
)
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import Placed
from tripletscope.dashboard.results.maps import PlainMap
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words

#: Smaller differences of held-out error do not count.
_POINT = 0.01
#: Most shares of the variance in a caption.
_AXES = 3
#: Objects whose random comparisons are counted, and most names.
_COUNTED, _NAMED = 50, 5
#: Bytes of similarities that are counted at a time.
_AT_A_TIME = 2**25
#: Share of pairs without a similarity above which the page states it.
_MANY_WITHOUT = 0.3


@dataclass(frozen=True)
class KernelLook:
    """How a matrix of similarities is shown."""

    place: ClassVar[str] = "kernel"

    order: Annotated[str | None, Column(
        "Order", "Clustering puts similar objects next to each other; a column shows how far "
        "similarity follows it.", automatic="Hierarchical clustering",
    )] = None


@presents("fit", "kernel", told_in="similarities", look=KernelLook)
def matrix_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The matrix of similarities, their evidence, and a selected pair's similarity.

    In the order of its average-linkage tree, or of a column.
    """
    kernel, answers = run.fitted(), shown.answers
    yield from map(Statement, similarities_said(run, kernel, answers))
    if answers.n_objects > MOST_IN_A_MATRIX or kernel.placed_.sum() < 2:
        return
    by, objects = shown.look_of(run, KernelLook).order, answers.objects
    by = by if by in objects else None
    is_of_some = 8 * kernel.placed_.sum() ** 2 > ROOM
    order = "matrix by column" if by else "matrix of some" if is_of_some else "matrix of"
    text = words(order, method=words.method(run.fresh()), column=by, about=shown.about)

    def ordered() -> tuple[np.ndarray, Dendrogram | None]:
        return (_in_order(objects[by], kernel.placed_), None) if by else order_of_kernel(kernel)

    def draw(canvas: Canvas) -> go.Figure:
        in_order, tree = ordered()
        return similarity_matrix(
            kernel.rows, in_order, objects,
            tree=tree, colour=by if by and not is_quantity(objects[by]) else None,
            selected=shown.selected, caption=text, canvas=canvas,
        )

    def table() -> pd.DataFrame:
        """All similarities, or those that are drawn, of blocks of objects."""
        ids = answers.ids
        if 8 * kernel.n_objects_**2 > ROOM:
            in_order, _ = ordered()
            size, values = rows_of_a_block(len(in_order)), drawn_similarities(kernel.rows, in_order)
            ids = [", ".join(ids[i] for i in in_order[k : k + size])
                   for k in range(0, len(in_order), size)]
        else:
            values = kernel.kernel_
        return pd.DataFrame(values, index=ids, columns=ids).rename_axis("id").reset_index()

    yield Drawing(
        f"matrix-{run.method}", words("title matrix", method=kernel.title), text,
        words("alt matrix", objects=words.count(kernel.n_objects_, "object")), 1.05, draw, table,
        (run.key,), picks=True, saved_as=f"{run.method}-similarities",
    )
    yield Advice(_of_a_pair(shown, kernel))
    yield from map(Advice, _gaps(shown, kernel))


def evidence_of(kernel: Kernel, answers: Answers) -> Evidence | None:
    """Evidence of similarities; None of kernels that do not count comparisons."""
    return evidence(kernel, answers, most=_COUNTED) if isinstance(kernel, TripletKernel) else None


def similarities_said(run: Run, kernel: Kernel, answers: Answers) -> Iterator[str]:
    """Whether similarities are more than chance, their method, and their evidence."""
    basis = evidence_of(kernel, answers)
    if basis is not None and basis.is_noise:
        yield words("mostly chance", noise=basis.noise, spread=basis.spread)
    yield words("similar", method=run.fresh())
    if basis is not None:
        yield words("shared", share=basis.shared)


def _of_a_pair(shown: ShownResults, kernel: Kernel) -> str:
    """The evidence of the similarity of two selected objects."""
    answers = shown.answers
    if len(shown.selected) != 2:
        return words("click a cell")
    first, second = shown.selected
    text = words("similarity of pair", names=[answers.labels[i] for i in shown.selected],
                 value=kernel.rows(np.array([first]))[0, second])
    if isinstance(kernel, TripletKernel):
        common, same = common_comparisons(kernel, answers, first, second)
        text += " " + words("rests on" if common else "rests on nothing", common=common, same=same)
    return text


def _gaps(shown: ShownResults, kernel: Kernel) -> Iterator[str]:
    """Missing similarities, and their reasons."""
    answers, n = shown.answers, kernel.n_objects_
    without = 1.0 - _n_similar(kernel) / max(n * (n - 1), 1)
    if without > _MANY_WITHOUT:
        of_triplets = isinstance(kernel, TripletKernel)
        yield words("zeros of triplets" if of_triplets else "zeros of a map", share=without)
    unknown = [answers.labels[i] for i in np.flatnonzero(~kernel.placed_)]
    if unknown:
        yield words("similar to nothing", number=len(unknown), names=words.first(
            [unmarked(name) for name in unknown], _NAMED
        ))
    if shift := getattr(kernel, "shift_", 0.0):
        yield words("shifted", shift=shift)
    for design in recognise(answers):
        yield words("landmarks", kernel=design.kernel, number=len(design.landmarks),
                    asked=design.n_asked, possible=design.n_possible)


def _n_similar(kernel: Kernel) -> int:
    """How many ordered pairs of objects have a similarity other than 0."""
    objects = np.arange(kernel.n_objects_)
    parts = np.array_split(objects, max(8 * len(objects) ** 2 // _AT_A_TIME, 1))
    similar = sum(np.count_nonzero(kernel.rows(part)) for part in parts)
    return similar - np.count_nonzero(kernel.squared_norms())


def _in_order(column: pd.Series, placed: np.ndarray) -> np.ndarray:
    keys = column if is_quantity(column) else column.astype("str")
    order = keys.reset_index(drop=True).sort_values(kind="stable").index.to_numpy()
    return order[placed[order]]


@presents("spectrum", told_in="similarities")
def spectrum_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    spectrum = run.result()
    yield from map(Statement, components_said(spectrum))
    text = words(
        "spectrum of", method=words.method(run.fresh()), number=words.whole(len(spectrum.shuffled)),
        share=words.percent(2 * spectrum.level - 1, 0), about=shown.about,
    )
    yield Drawing(
        f"spectrum-{run.method}", words("title spectrum"), text,
        words("alt spectrum", number=words.count(spectrum.n_signal, "component")), 0.5,
        lambda canvas: spectrum_figure(spectrum, caption=text, canvas=canvas),
        lambda: pd.DataFrame({
            "component": np.arange(1, len(spectrum.eigenvalues) + 1),
            "eigenvalue": spectrum.eigenvalues, "chance": spectrum.threshold,
            "held-out error": pd.Series(spectrum.errors).reindex(range(len(spectrum.eigenvalues))),
        }), (run.key,),
    )
    yield Advice(words("ask compare"))


def components_said(spectrum: Spectrum) -> Iterator[str]:
    """Components above chance, which are no dimensions, and predictions of the leading ones.

    Another number is named only where it predicts better by a point at least.
    """
    yield words("components", number=spectrum.n_signal)
    if np.isnan(spectrum.errors).any():
        return
    best = int(np.argmax(spectrum.errors <= spectrum.errors.min() + _POINT))
    yield words("components predict" if best else "one component predicts", best=best + 1,
                first=spectrum.errors[0], lowest=spectrum.errors[best])


@presents("kernel_map")
def kernel_map_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    result = run.result()
    drawn = PlainMap(shown, run, Placed(result.coordinates, None, None), words(
        "kernel map of", method=words.method(run.fresh()), how=_how(result), about=shown.about,
    ))
    number = words.count(shown.answers.n_objects, "object")
    yield Drawing(
        f"kernel-map-{run.method}", words("title kernel map"), drawn.caption,
        words("alt kernel map", objects=number), 0.69, drawn.draw, drawn.table, (run.key,),
        picks=True,
    )


def _how(result: KernelMap) -> str:
    if not len(result.shares):
        return "UMAP"

    def listed(shares: np.ndarray) -> str:
        return words.listing([words.percent(share, 0) for share in shares[:_AXES]])

    reduced = not np.allclose(result.shares, result.whole_shares)
    return words("kernel pca reduced" if reduced else "kernel pca", shares=listed(result.shares),
                 before=listed(result.whole_shares))
