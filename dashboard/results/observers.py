"""Differences of participants or conditions: mutual predictions, pooling, and a map of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd

from tripletscope.core.engine.declared import Column
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.people.maps import ObserverMaps
from tripletscope.core.people.predictions import Predictions
from tripletscope.core.run import Run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels.space import Space
from tripletscope.dashboard.figures.dendrogram import (
    DendrogramData,
    Rows,
    dendrogram,
    screen_height,
)
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.observers import pooling_figure, relation_dots, square_matrix
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.clusters import by_size
from tripletscope.dashboard.results.dividing import condition_columns
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.look import OneOf
from tripletscope.dashboard.results.maps import stimulus_of
from tripletscope.dashboard.results.people import maps_beside, silence_said
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.words import words

#: Width of the names of people above maps, in em.
_TITLE, _MOST_CLUSTERS = 8.0, 12


@presents("who_predicts_whom", told_in="groups")
def who_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How well each participant is predicted, and from whom."""
    result, by = run.result(), run.options["by"]
    for column in dict.fromkeys((by, run.options["group"])):
        if column is not None and (said := silence_said(shown, run, column)):
            yield Advice(said)
    relations = result.relations.dropna(subset="accuracy")
    if len(result.names) == 2:  # all others are the other one
        relations = relations[relations["relation"] != "all others"]
    if relations.empty:
        yield Statement(words("nobody predicted", by=by))
    else:
        yield Statement(words("relations", by=by, chance=CHANCE, parts=[
            words(f"predicted {row.relation}", share=row.accuracy, by=by)
            for row in relations.itertuples()
        ]))
    learned = np.isfinite(result.accuracy).any(axis=1)
    if learned.sum() > 1:
        yield _matrix(shown, run, Predictions(
            result.names[learned], result.groups[learned], result.n_answers[learned],
            result.accuracy[np.ix_(learned, learned)], result.pooled[learned],
        ))
    if not relations.empty:
        number, key = int(relations["participants"].max()), ""
        if by in condition_columns(shown.answers.answers):  # others are no sample of conditions
            relations, key = relations.assign(low=np.nan, high=np.nan), "relations of conditions"
        yield shown.drawing(
            run, "relations", (100.0 + 44.0 * len(relations)) / SCREEN.width,
            partial(relation_dots, relations), lambda: relations.dropna(axis="columns", how="all"),
            key=key, by=by, over=_counted(number, by),
        )


def _counted(number: int, by: str) -> str:
    """So many participants, or values of another column."""
    if by == "participant":
        return words.count(number, by)
    return words("values of", number=words.count(number, "value"), by=by)


def _matrix(shown: ShownResults, run: Run, result: Predictions) -> Drawing:
    by = run.options["by"]
    order = by_similarity(result.accuracy, result.groups)
    names, groups = result.names[order].tolist(), result.groups[order]
    values = result.accuracy[np.ix_(order, order)]
    grouped = len(np.unique(groups)) > 1
    rows = [f"{n} ({g})" if g and grouped else n for n, g in zip(names, groups, strict=True)]

    def table() -> pd.DataFrame:
        frame = pd.DataFrame({
            "learned from": names, "group": groups, "answers": result.n_answers[order],
            "predicted from all others": result.pooled[order],
        })
        columns = [f"{name} (predicted)" if name in frame else name for name in names]
        return frame.join(pd.DataFrame(values, columns=columns))

    height = float(np.clip(190 + 26 * len(names), 320, 900))
    return shown.drawing(
        run, "who-predicts-whom", height / SCREEN.width, partial(
            square_matrix, values, rows, title="accuracy", across="predicted", down="learned from",
            limits=(1.0 - CHANCE, float(np.max(values, initial=0.6, where=np.isfinite(values)))),
            borders=(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(),
        ), table, by=by, grouped=words("within groups") if grouped else "",
    )


def by_similarity(accuracy: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Participants by group, and in every group in the order of an average-linkage tree.

    Shapes: groups (p,).
    accuracy (p, p): Of predicting one from another; NaN where unknown.
    """
    both = np.stack([accuracy, accuracy.T])
    finite = np.isfinite(both)
    middle = float(both[finite].mean()) if finite.any() else 0.0
    alike = np.where(finite, both, middle).mean(axis=0)
    distances = alike.max() - alike
    np.fill_diagonal(distances, 0.0)
    order = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        within = distances[np.ix_(members, members)]
        space = Space(len(members), np.arange(len(members)), distance_matrix=within)
        order.append(members[AgglomerativeClustering().tree(space).order])
    return np.concatenate(order)


@presents("pooling_curve", told_in="groups")
def pooling_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    result, by = run.result(), run.options["by"]
    if len(result.table) > 1:  # of two, one is learned from
        yield shown.drawing(
            run, "pooling", 0.45, partial(pooling_figure, result, by=by), lambda: result.table,
            by=by, orders=len(result.accuracy), people=int(result.table["predicted"].max()),
        )


@dataclass(frozen=True)
class ObserverLook:
    """How maps of participants are shown."""

    place: ClassVar[str] = "people.maps"

    colour: Annotated[str | None, Column("Colour", automatic="The stimulus")] = None
    clusters: Annotated[int, OneOf(
        {number: str(number) for number in range(1, _MOST_CLUSTERS + 1)}, "Clusters"
    )] = 2


@presents("observer_maps", told_in="groups", look=ObserverLook)
def observer_maps_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """A map of each beside that of all, and their distances."""
    result, by = run.result(), run.options["by"]
    if len(result.names) == 2:
        yield Statement(words("two maps", share=result.apart[0, 1], by=by) if
                        result.comparable[0, 1] else words("two maps not comparable"))
    short = short_labels(result.names.tolist(), _TITLE)
    sizes = [len(shown.answers), *result.n_answers.tolist()]
    titles = [f"{name} ({number:,})" for name, number in
              zip([words("map of all"), *short], sizes, strict=True)]
    yield maps_beside(
        shown, run, "observer-maps", np.concatenate([result.common[None], result.maps]), titles,
        place=by, by=by,
        colour=shown.look_of(run, ObserverLook).colour or stimulus_of(shown.answers.objects),
        said=words("one axis of all") if result.common.shape[1] == 1 else "",
    )
    if len(result.names) > 2:
        yield from _distances(shown, run, result)


def _distances(shown: ShownResults, run: Run, result: ObserverMaps) -> Iterator[Element]:
    """Matrix of Procrustes distances, and the tree of the participants."""
    by, names, tree = run.options["by"], result.names.tolist(), result.tree
    order = tree.order
    ordered = result.apart[np.ix_(order, order)]
    matrix = pd.DataFrame(result.apart, index=names, columns=names).rename_axis("of")
    height = float(np.clip(170 + 20 * len(names), 320, 620))
    yield shown.drawing(
        run, "procrustes", height / (SCREEN.width / 2), partial(
            square_matrix, ordered, [names[i] for i in order], title="variance unexplained",
            across=by, down=by, limits=(0.0, max(float(ordered.max()), 0.01)),
        ), matrix.reset_index, place=by, is_half=True,
        said="" if result.comparable.all() else words("maps not comparable"),
    )
    clusters = min(shown.look_of(run, ObserverLook).clusters, len(names))
    rows, members = Rows(tree, len(names)), by_size(tree.cut(clusters))
    data = DendrogramData(
        tree, pd.DataFrame({"id": names, "label": names}), members, tree.height_for(clusters)
    )
    yield shown.drawing(
        run, "observer-tree", screen_height(rows, pictures=False) / (SCREEN.width / 2),
        partial(dendrogram, data, rows, title="variance unexplained", revision=f"{clusters}"),
        table_of(name=names, cluster=members + 1, answers=result.n_answers), place=by, by=by,
        is_half=True,
    )
    yield Advice(words("maps differ by chance", by=by))
