"""What is on the screen is in the file: the same texts, or it is said how many are hidden."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.tanglegram import untangle
from tripletscope.core.similarity.kernels.space import Space
from tripletscope.core.trees.quality import ComparisonTree
from tripletscope.dashboard.figures.dendrogram import DendrogramData, Rows, dendrogram
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.matrix import similarity_matrix
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.tanglegram import tanglegram
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.figures.tree import (
    ComparisonTreeData,
    first_opened,
    tree_diagram,
)
from tripletscope.dashboard.print.composition import PRESETS, Composition, composed

N = 24
POINTS = np.random.default_rng(0).normal(size=(N, 2))
OBJECTS = pd.DataFrame({
    "id": [str(i) for i in range(N)],
    "label": [f"stimulus number {i} of the first list" for i in range(N)],
    "kind": ["warm", "cold"] * (N // 2), "size": np.arange(N) / 3,
})


def hierarchy(linkage: str):
    return AgglomerativeClustering(n_clusters=3, linkage=linkage).fit_space(
        Space(N, np.arange(N), vectors=POINTS)
    ).tree_


def a_map(colour: str):
    covariances = np.tile(np.eye(2) / 50, (N, 1, 1))
    data = MapData(POINTS, OBJECTS, covariances)
    return lambda canvas: embedding_map(
        data, MapStyle(colour=colour), caption="STE.", canvas=canvas
    )


def a_tree(canvas):
    tree = hierarchy("average")
    data = DendrogramData(tree, OBJECTS, tree.cut(3), tree.height_for(3))
    return dendrogram(data, Rows(tree, N), title="distance", caption="Average.", canvas=canvas)


def two_trees(canvas):
    found = untangle(hierarchy("average"), hierarchy("single"))
    return tanglegram(
        found, OBJECTS, found.first.cut(3), titles=("Average", "Single"), canvas=canvas
    )


def a_kernel(canvas):
    tree = hierarchy("average")
    return similarity_matrix(
        (POINTS @ POINTS.T).__getitem__, tree.order, OBJECTS, tree=tree, colour="kind",
        caption="k1 (own rankings). Things: 24 objects, 2,000 answers.", canvas=canvas,
    )


def a_comparison_tree(canvas):
    nodes = ComparisonTree(leaf_size=2).fit(POINTS).nodes_
    tree = ComparisonTreeData(nodes, OBJECTS, first_opened(nodes), "kind")
    return tree_diagram(tree, caption="Comparison tree.", canvas=canvas)


FIGURES = {
    "comparison tree": a_comparison_tree,
    "kernel": a_kernel,
    "map by kind": a_map("kind"), "map by size": a_map("size"), "dendrogram": a_tree,
    "tanglegram": two_trees,
}

#: What unfolds and folds a tree, which a file cannot.
TO_CLICK = {"+", "−"}


def texts(figure: go.Figure) -> set[str]:
    """Names, titles and labels of a figure, without its caption."""

    def all_of_them() -> Iterator[str]:
        for trace in figure.data:
            text = getattr(trace, "text", None) if is_written(trace) else None
            yield from [text] if isinstance(text, str) else text if text is not None else ()
            if getattr(trace, "colorbar", None):
                yield trace.colorbar.title.text or ""
            if trace.name and trace.showlegend is not False:
                yield trace.name
            marker = getattr(trace, "marker", None)
            if marker is not None and marker.showscale:
                yield marker.colorbar.title.text or ""
        for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
            if axis.visible is not False:
                yield axis.title.text or ""
                yield from axis.ticktext or ()
        for note in figure.layout.annotations:
            yield note.text or ""

    plain = (html.unescape(re.sub(r"<[^>]+>", "", str(text))) for text in all_of_them())
    return {text for text in plain if text.strip()} - TO_CLICK


def is_written(trace) -> bool:
    """Whether its texts are seen, and not only said when the pointer is there."""
    if trace.type == "heatmap":
        return bool(trace.texttemplate)
    return "text" in (getattr(trace, "mode", None) or "text")


def n_hidden(figure: go.Figure) -> int:
    said = re.match(r"([\d,]+) of ", (figure.layout.meta or {}).get("remark", ""))
    return int(said[1].replace(",", "")) if said else 0


def marks(found: set[str]) -> set[str]:
    """What tells the objects apart, however much is left out around it."""
    return {match[0] for text in found if (match := re.search(r"\d+", text))}


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("name", FIGURES)
def test_a_file_says_what_the_screen_does(name, preset):
    draw = FIGURES[name]
    screen, file = draw(SCREEN), composed(draw, Composition(**preset), 0.8)
    on_screen, on_paper = texts(screen), texts(file)
    named = {text for text in on_screen if re.search(r"\d", text)}
    assert on_screen - named <= on_paper, "titles, legends and names of axes"
    missing = marks(named) - marks(on_paper)
    assert len(missing) <= n_hidden(file)
    assert len(marks(on_screen)) > N / 3
    assert len(marks(on_paper)) > N / 3
