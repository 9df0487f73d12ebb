"""Trees of objects, numbers of clusters, and their stability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.inference.validity import Doubt, tied_cut, unseen_clusters
from tripletscope.core.run import Run
from tripletscope.core.similarity.clusters.agreement import LabelAgreement
from tripletscope.core.similarity.clusters.clustering import Hierarchy
from tripletscope.core.similarity.clusters.counting import (
    GROUP,
    ClusterAdvice,
    ClusterCounts,
    recommend_clusters,
)
from tripletscope.core.similarity.clusters.stability import Stability
from tripletscope.dashboard.figures.clusters import (
    count_curve,
    cross_table,
    purity_curve,
    together_matrix,
)
from tripletscope.dashboard.figures.dendrogram import (
    DendrogramData,
    Rows,
    cluster_name,
    dendrogram,
    screen_height,
)
from tripletscope.dashboard.figures.theme import SCREEN, Canvas
from tripletscope.dashboard.results.doubts import HELP, doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import Placed, TreeLook
from tripletscope.dashboard.results.maps import DrawnMap, PlacedObjects
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.words import LinkedSentence, uncited, words

#: Width for which trees are laid out, and height of the tallest on paper, divided by it.
TREE_WIDTH, _TALLEST = 640.0, 1.9
#: Most leaves without collapsed branches, and rows with them.
_MANY, _ROWS = 60, 24
#: Most members of a merge that are named, and sizes of clusters.
_MEMBERS, _SIZES = 12, 12
_HALF = 0.55  # height of a curve, divided by its width
#: Overlap with clusters of resampled answers above which a cluster is stable, and below which it
#: dissolves (Hennig 2007).
_STABLE, _DISSOLVED = 0.75, 0.5


def stable_and_dissolved(
    stability: Stability, counts: ClusterCounts | None
) -> tuple[int, int] | None:
    """Numbers of stable and of dissolved clusters.

    None where held-out answers are not predicted better than by chance: resamples have most answers
    in common, and repeat clusters of coin flips.
    """
    if counts is None or not counts.error_high < CHANCE:
        return None
    return int((stability.recovery > _STABLE).sum()), int((stability.recovery < _DISSOLVED).sum())


def by_size(labels: np.ndarray) -> np.ndarray:
    """Clusters numbered from the largest; -1 stays."""
    sizes = np.bincount(labels[labels >= 0])
    rank = np.empty(len(sizes), dtype=int)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.where(labels >= 0, rank[labels], -1) if len(sizes) else labels


def named(clusters: np.ndarray) -> pd.Series:
    """Names of clusters, as an ordered categorical column."""
    names = [cluster_name(rank) for rank in range(clusters.max(initial=-1) + 1)]
    return pd.Series(pd.Categorical.from_codes(clusters, names, ordered=True))


def clusters_of(shown: ShownResults, run: Run) -> np.ndarray:
    """(n,) clusters of a result, 0 being the largest; -1 for objects without one."""
    fitted = run.fitted()
    if not isinstance(fitted, Hierarchy) or fitted.tree_.n_leaves < 2:
        return by_size(fitted.labels_)
    number = shown.look_of(run, TreeLook).number or fitted.n_clusters_
    return by_size(fitted.tree_.cut(min(number, fitted.tree_.n_leaves)))


def support_of(shown: ShownResults, run: Run) -> np.ndarray | None:
    """(m - 1,) share of replicates that have each branch of a tree, if it was computed."""
    tree = run.fitted().tree_
    for other in _of_same_method(shown, run, "stability"):
        stability = other.result()
        if np.array_equal(stability.linkage[:, 2:], tree.linkage[:, 2:]):
            return stability.support
    return None


@dataclass(frozen=True, repr=False)
class TreeDrawing(Drawing):
    """A tree of objects, and its rows."""

    rows: Rows | None = None


@presents("fit", "cluster", told_in="clusters")
def clusters_drawn(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The number of clusters; the tree of a hierarchy, and other clusters on a map."""
    fitted = run.fitted()
    yield from map(Statement, clusters_said(shown, run))
    if isinstance(fitted, Hierarchy) and fitted.tree_.n_leaves > 1:
        yield tree_of(shown, run)
    else:
        yield from on_map(shown, run)


def clusters_said(shown: ShownResults, run: Run) -> Iterator[str]:
    """Sizes of clusters, the source of their number unless a user chose it, and doubts.

    That none are seen comes first: what methods make of any data is no finding.
    """
    clusters, fitted, test = clusters_of(shown, run), run.fitted(), _test_of(shown, run)
    sizes = np.bincount(clusters[clusters >= 0])
    yield from _unseen_said(test)
    listed = [words.whole(int(size)) for size in sizes[:_SIZES]]
    yield words(
        "clustered", method=described(shown, run), number=len(sizes),
        sizes=", ".join([*listed, "…"] if len(sizes) > _SIZES else listed),
    )
    if without := int((clusters < 0).sum()):
        yield words("without a cluster", number=without)
    chosen = run.parameters.get("n_clusters") or shown.look_of(run, TreeLook).number
    if isinstance(fitted, Hierarchy) and not chosen and len(fitted.silhouettes_):
        yield words("by silhouette", number=len(sizes))
    yield from doubts_said([_tied(run, len(sizes))])
    if test is None and len(sizes) > 1:
        yield words("clusters untested")


def _test_of(shown: ShownResults, run: Run) -> ClusterCounts | None:
    """The test of the number of clusters by the same method, if it was computed."""
    return next((r.result() for r in _of_same_method(shown, run, "count_clusters")), None)


def _tied(run: Run, number: int) -> Doubt | None:
    fitted = run.fitted()
    return tied_cut(fitted.tree_, number) if isinstance(fitted, Hierarchy) else None


def _unseen_said(test: ClusterCounts | None) -> Iterator[str]:
    """That a test has shown none, by the same conclusion as where that is told."""
    if test and unseen_clusters(test):
        said = number_said(test, recommend_clusters(test))
        yield LinkedSentence(words("doubt no clusters", said=uncited(said)), HELP["no clusters"])


def _doubts_said(shown: ShownResults, run: Run, number: int) -> Iterator[str]:
    """That so many clusters are not seen, or that their tree has no such cut."""
    yield from _unseen_said(_test_of(shown, run))
    yield from doubts_said([_tied(run, number)])


def usual_rows(n_leaves: int) -> int:
    return n_leaves if n_leaves <= _MANY else _ROWS


def tree_of(shown: ShownResults, run: Run) -> TreeDrawing:
    tree = run.fitted().tree_
    clusters, support = clusters_of(shown, run), support_of(shown, run)
    number, look = int(clusters.max(initial=-1) + 1), shown.look_of(run, TreeLook)
    pictures = shown.addresses or shown.pictures
    has_pictures = 2 * len(pictures) > len(clusters)
    marks = look.marks or ("pictures" if has_pictures else "labels")
    rows = Rows(tree, look.rows or usual_rows(tree.n_leaves))
    height = tree.height_for(number) if look.height is None else look.height
    text = words("tree of", method=described(shown, run), about=shown.about,
                 clusters=words.count(number, "cluster"))
    text = " ".join((text, words("cut at", height=height), *_doubts_said(shown, run, number)))
    if len(rows.nodes) < tree.n_leaves:
        text += f" {words('wedges', rows=len(rows.nodes))}"
    if support is not None:
        text += f" {words('support')}"
    title = "height" if run.method == "comparison" else "distance at which branches merge"

    def draw(canvas: Canvas) -> go.Figure:
        return dendrogram(
            DendrogramData(
                tree, shown.answers.objects, clusters, height, support,
                shown.pictures_on(canvas) if pictures else {}, shown.selected,
            ), rows, title=title, marks=marks, caption=text,
            revision=f"{run.key} {len(rows.nodes)}", canvas=canvas,
        )

    ratio = screen_height(rows, pictures=marks == "pictures" and bool(pictures)) / TREE_WIDTH
    return TreeDrawing(
        f"dendrogram-{run.method}", words("title tree", method=run.fresh().title), text,
        words("alt tree", objects=words.count(tree.n_leaves, "object"),
              clusters=_sizes(shown, clusters)),
        ratio if look.rows else min(ratio, _TALLEST), draw,
        lambda: merges(shown, run) if look.rows else memberships(shown, clusters), (run.key,),
        picks=True, saved_as=f"{run.method}-tree", rows=rows,
    )


def merges(shown: ShownResults, run: Run) -> pd.DataFrame:
    """The merges of a tree, from the lowest: members, height, size and support."""
    tree, labels, support = run.fitted().tree_, shown.answers.labels, support_of(shown, run)
    m = tree.n_leaves

    def name(node: int) -> str:
        return labels[tree.objects[node]] if node < m else f"branch {node - m + 1}"

    table = pd.DataFrame({
        "branch": [f"branch {i + 1}" for i in range(m - 1)],
        "first": [name(node) for node in tree.children[:, 0].tolist()],
        "second": [name(node) for node in tree.children[:, 1].tolist()],
        "height": tree.linkage[:, 2], "objects": tree.linkage[:, 3].astype(int),
    })
    return table if support is None else table.assign(support=support)


def described(shown: ShownResults, run: Run) -> str:
    method = run.fresh()
    if run.table and hasattr(method, "basis"):
        method.set_params(basis=None)  # which does not matter then
    text = words.method(method)
    if not run.complete:
        text += f", {words('fit stopped')}"
    if getattr(method, "linkage", None) == "average":  # others are named
        text += f", {words('average linkage')}"
    if run.table:
        return f"{text}, {words('of distances', name=run.table)}"
    if hasattr(method, "basis") and method.basis is None:
        basis = words.method(method.similarity())
        text += f", {words('on the basis of', method=basis)}"
    return text


def _sizes(shown: ShownResults, clusters: np.ndarray) -> str:
    sizes = np.bincount(clusters[clusters >= 0])
    return words.listing([
        f"{cluster_name(rank)}: {words.whole(int(size))}" for rank, size in enumerate(sizes)
    ][:_SIZES])


def memberships(shown: ShownResults, clusters: np.ndarray) -> pd.DataFrame:
    objects = shown.answers.objects.drop(columns="image", errors="ignore")
    return objects.assign(cluster=named(clusters).to_numpy())


@dataclass(frozen=True)
class ClusteredMap(PlacedObjects):
    """A map as its own page shows it, coloured by clusters (n,)."""

    shown: ShownResults
    run: Run
    where: Placed
    caption: str
    clusters: np.ndarray

    @cached_property
    def _coloured(self) -> tuple[str, pd.DataFrame]:
        objects = self.table_of_objects
        return "cluster", objects.assign(cluster=named(self.clusters).to_numpy())


def on_map(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Clusters on the first plane or space, or on the components of a kernel."""
    clusters = clusters_of(shown, run)
    ground = next((
        r for r in shown.runs if r.task == "kernel_map"
        or ((r.task, r.kind) == ("fit", "embedding") and r.parameters["n_components"] > 1)
    ), None)
    if ground is None:
        return
    method = words.method(ground.fresh())
    if ground.task == "kernel_map":
        positions, method = ground.result().coordinates, words("components of map", method=method)
    else:
        positions = DrawnMap(shown, ground).where.positions
    number = int(clusters.max(initial=-1) + 1)
    text = words("clusters on a map", method=described(shown, run), map=method,
                 clusters=words.count(number, "cluster"))
    text = " ".join((text, *_doubts_said(shown, run, number)))
    drawn = ClusteredMap(shown, ground, Placed(positions, None, None), text, clusters)
    yield Drawing(
        f"clusters-{run.method}", words("title clusters", method=run.fresh().title), text,
        words("alt clusters", clusters=_sizes(shown, clusters)), 0.75,
        drawn.draw, lambda: memberships(shown, clusters), (run.key, ground.key), picks=True,
        saved_as=f"{run.method}-map",
    )


@presents("count_clusters", told_in="clusters")
def counts_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The recommended number, and silhouettes beside those of continua."""
    counts = run.result()
    advice = recommend_clusters(counts)
    yield Statement(number_said(counts, advice))
    text = words("silhouettes of", method=described(shown, run), number=counts.best_by_silhouette)
    if advice.n_clusters is not None and advice.n_clusters in counts.numbers:
        text += f" {words('recommended marked')}"
    counted = counts.smallest >= GROUP
    if not counted.all():
        text += f" {words('small marked', least=GROUP)}"
    yield Drawing(
        f"silhouettes-{run.method}", words("title silhouettes"), text,
        words("alt silhouettes", number=words.count(counts.best_by_silhouette, "cluster")), _HALF,
        lambda canvas: count_curve(
            counts.numbers, counts.silhouettes, None, title="silhouette", best=advice.n_clusters,
            shown=_number_shown(shown, run), expected=(counts.expected, counts.needed),
            counted=counted, caption=text, canvas=canvas,
        ),
        table_of(clusters=counts.numbers, silhouette=counts.silhouettes,
                 continuum=counts.expected, needed=counts.needed), (run.key,), is_half=True,
    )


def number_said(counts: ClusterCounts, advice: ClusterAdvice) -> str:
    """The number of clusters that the answers support, or why none is named."""
    fields = {}
    if advice.reason == "supported":
        at = int(np.flatnonzero(counts.numbers == advice.n_clusters)[0])
        fields = {"silhouette": counts.silhouettes[at], "needed": counts.needed[at]}
    elif advice.reason == "too small":
        fields = {"numbers": counts.numbers[counts.is_compact].tolist()}
    return words(
        f"clusters {advice.reason}", **fields, least=GROUP, objects=counts.n_objects,
        number=words.count(advice.n_clusters or 0, "cluster"), error=(
            counts.error, counts.error_low, counts.error_high
        ),
    )


def _of_same_method(shown: ShownResults, run: Run, task: str) -> Iterator[Run]:
    """Results of a task for the same method and source, with any number of clusters."""
    def about(one: Run) -> tuple[str, str, dict[str, Any]]:
        return one.method, one.table, one.parameters | {"n_clusters": None}

    return (other for other in shown.all_of(task) if about(other) == about(run))


def _number_shown(shown: ShownResults, run: Run) -> int | None:
    fit = next(_of_same_method(shown, run, "fit"), None)
    return (shown.look_of(fit, TreeLook).number or fit.fitted().n_clusters_) if fit else None


@presents("stability", told_in="clusters")
def stability_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Numbers of stable clusters, and agreement with clusters of resampled answers."""
    stability = run.result()
    counts = _test_of(shown, run)
    advice = recommend_clusters(counts) if counts else None
    yield Statement(stability_said(stability, counts, run))
    agreement, method = stability.agreement, described(shown, run)
    number, over = words.whole(len(agreement)), words.over(stability.unit, stability.n_units)
    text = words("stability of", method=method, number=number, over=over,
                 most=int(stability.most_stable))
    best = advice.n_clusters if advice else None
    if best is not None and best in stability.numbers:
        text += f" {words('recommended marked')}"
    yield Drawing(
        f"stability-{run.method}", words("title stability"), text,
        words("alt stability", number=words.count(int(stability.most_stable), "cluster")), _HALF,
        lambda canvas: count_curve(
            stability.numbers, agreement.mean(axis=0), agreement.std(axis=0), title="stability",
            best=best, shown=_number_shown(shown, run), most=1.0, caption=text, canvas=canvas,
        ),
        table_of(clusters=stability.numbers, agreement=agreement.mean(axis=0),
                 sd=agreement.std(axis=0)), (run.key,), is_half=True,
    )
    yield _together(shown, run, words(
        "together of", method=method, number=number, over=over, about=shown.about,
        clusters=words.count(len(stability.recovery), "cluster"),
    ))
    if len(stability.linkage):
        tree, nodes = stability.tree, np.arange(len(stability.linkage))[::-1]  # the highest first
        yield Numbers(
            words("merges"), lambda: _merges(shown, stability, nodes), about=words("merges about"),
            of_rows=lambda rows: np.unique(np.concatenate(
                [np.zeros(0, int), *(tree.members(tree.n_leaves + int(nodes[r])) for r in rows)]
            )),
        )


def _merges(shown: ShownResults, stability: Stability, nodes: np.ndarray) -> pd.DataFrame:
    """How often resampled answers have every merge of the tree."""
    tree, labels = stability.tree, shown.answers.labels
    return pd.DataFrame({
        "objects": tree.linkage[nodes, 3].astype(int), "height": tree.linkage[nodes, 2],
        "found exactly": stability.support[nodes],
        "overlap": stability.branch_recovery[nodes],
        "members": [
            ", ".join(labels[i] for i in tree.members(tree.n_leaves + node)[:_MEMBERS])
            for node in nodes.tolist()
        ],
    })


def stability_said(stability: Stability, counts: ClusterCounts | None, run: Run) -> str:
    """The number of stable clusters, unless the answers are noise."""
    numbers, method = stable_and_dissolved(stability, counts), run.fresh().title
    if numbers is None:
        return words("stability untold", method=method)
    said = words(
        "stable", number=words.whole(len(stability.agreement)), method=method,
        over=words.over(stability.unit, stability.n_units),
        clusters=words.whole(len(stability.recovery)), sure=words.whole(numbers[0]),
        lost=words.whole(numbers[1]),
    )
    is_unseen = numbers[0] and recommend_clusters(counts).reason == "none"
    return f"{said} {words('stable unseen')}" if is_unseen else said


def _together(shown: ShownResults, run: Run, text: str) -> Drawing:
    """How often two objects share a cluster, in the order of the tree or of the clusters."""
    stability, labels = run.result(), shown.answers.labels
    clusters = by_size(stability.labels)
    order = stability.tree.order if len(stability.linkage) else np.argsort(clusters, kind="stable")
    order = order[clusters[order] >= 0]

    def table() -> pd.DataFrame:
        names = [labels[i] for i in order]
        table = pd.DataFrame(stability.together[np.ix_(order, order)], columns=names)
        table.insert(0, "object", names)
        return table

    return Drawing(
        f"together-{run.method}", words("title together"), text, words("alt together"), 0.84,
        lambda canvas: together_matrix(
            stability.together, order, clusters, labels, caption=text, canvas=canvas
        ), table, (run.key,),
    )


@presents("agreement_curve", told_in="clusters")
def agreement_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Purity of clusters of growing subsets of the answers."""
    curve = run.result()
    text = words(
        "purity of", method=described(shown, run), column=run.options["labels"],
        number=len(curve.purity), about=shown.about,
    )
    yield Drawing(
        f"purity-{run.method}", words("title purity"), text, words("alt curve"), 0.42,
        lambda canvas: purity_curve(
            curve.band(), float(curve.chance.mean()), caption=text, canvas=canvas
        ), curve.band, (run.key,),
    )


def labels_of(
    shown: ShownResults, agreement: LabelAgreement, *, column: str
) -> Iterator[Element]:
    """Agreement of the shown clustering with a column."""
    (run,) = shown.runs
    table = agreement.table.rename(index=cluster_name)
    yield Statement(words(
        "labels agree", column=column, purity=agreement.purity, rand=agreement.adjusted_rand,
        mutual=agreement.mutual_information,
    ))
    text = words("labels of", method=described(shown, run), column=column, about=shown.about,
                 number=len(table))
    yield Drawing(
        "labels", words("title labels", column=column), text, words("alt labels"),
        min(max(34.0 * len(table) + 130.0, 240.0), 1200.0) / SCREEN.width,
        lambda canvas: cross_table(table, caption=text, canvas=canvas),
        lambda: table.reset_index(names="cluster"), (run.key,),
        saved_as=f"{run.method}-{column}",
    )
    yield Advice(words("labels explained"))
    if left := shown.answers.n_objects - int(table.to_numpy().sum()):
        yield Advice(words("labels omitted", number=left))
