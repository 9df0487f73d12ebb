"""Searching a tree for the nearest neighbours of an object, and how often that fails."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.trees import ComparisonForest
from tripletscope.core.trees.nodes import cells
from tripletscope.core.trees.oracle import AnswersOracle, Oracle
from tripletscope.dashboard.figures.cells import Region, divided, window
from tripletscope.dashboard.figures.prediction import expansion_box
from tripletscope.dashboard.figures.theme import PALETTE, Canvas
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import number, pick, slide
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import picture_addresses
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.trees.answering import show_searching
from tripletscope.pages.trees.tree import words
from tripletscope.pages.trees.tree_context import (
    PAGE,
    PERSON,
    GrownTree,
    TreeContext,
    TreeSettings,
    asking,
    choose_space,
    grow,
    oracle_about,
    tree_settings,
)

#: One tree often parts an object from its neighbours, ten hardly ever do.
_TREES = 10


@dataclass(frozen=True)
class _Walk:
    """How an object goes down to its leaf: `ComparisonTree.path`, and nodes from the root on."""

    query: int
    steps: pd.DataFrame
    nodes: list[int]


@tab(PAGE, "Search", 2, needs=choose_space)
def show_search(context: TreeContext) -> None:
    """One object on its way down, what it finds, and how often the nearest is missed."""
    picture, side = context.picture_and_side()
    with side:
        query = _query(context)
        k = int(number(context.session, f"{PAGE}.k", "Neighbours", 1, 50, 3) or 3)
        plan = tree_settings(context, None, k)
        # People are not to be asked ten times as much without wanting it.
        usual = 1 if plan.who == PERSON else _TREES
        trees = int(number(
            context.session, f"{PAGE}.trees.{plan.who}", "Trees", 1, 100, usual,
            help="Several trees have random pivots, one pair per node. Members of all leaves are "
            "compared; the path shown is through one tree.",
        ) or usual)
        budget = None
        if trees == 1:
            budget = number(
                context.session, f"{PAGE}.budget", "Max. questions", 1, 100_000, None,
                placeholder="one leaf only",
                help="Without a number, the search ends in the leaf. With one, it continues "
                "through further branches, the most promising first.",
            )
    others = tuple(i for i in plan.objects if i != query)
    with picture:
        if len(others) < 2:
            panels.empty("Too few objects", "A search needs a tree of two other objects or more.")
            return
        plan = replace(plan, objects=others)
        among = set(others)
        # What is answered during the search must not make another tree of the others.
        given = tuple(answer for answer in plan.given if among.issuperset(answer))
        grown = grow(context, replace(plan, given=given))
        budget = int(budget) if budget else None
        if plan.who != PERSON or show_searching(
            context, partial(_search, context, plan, grown, query, k, trees, budget)
        ):
            walk = _walk(context, plan, grown, query)
            _way(context, plan, grown, walk)
            _found(context, plan, grown, query, k, trees, budget)
    st.header("Miss rate of the nearest neighbour", anchor=False)
    _errors(context)
    title = "Expansion rates: how hard these objects are to search"
    if box := panels.folded(title, f"{PAGE}.expansion"):
        with box:
            _expansion(context, plan, grown)


def _query(context: TreeContext) -> int:
    ids = context.triplets.ids
    placed = context.space.objects.tolist()
    names = {ids[i]: context.triplets.labels[i] for i in placed}
    chosen = [i for i in context.selected if i in placed]
    first = "The first selected object" if chosen else "The first object"
    wanted = pick(
        context.session, f"{PAGE}.query@{context.info.id}", "Search for", {"": first, **names},
        help="The tree is grown without it, as if it were new.",
    )
    return ids.index(wanted) if wanted else next(iter(chosen), placed[0])


def _walk(context: TreeContext, plan: TreeSettings, grown: GrownTree, query: int) -> _Walk:
    tree = asking(grown.tree, oracle_about(context, plan, grown, query))
    steps, leaf = tree.path(query)
    questions = np.column_stack([np.full(len(steps), query), steps[["p", "q"]].to_numpy()])
    steps = steps.assign(**tree.oracle_.remarks(questions.astype(int)))
    way, parent = [leaf], grown.nodes.parent
    while way[0]:
        way.insert(0, int(parent[way[0]]))
    return _Walk(query, steps, way)


def _way(context: TreeContext, plan: TreeSettings, grown: GrownTree, walk: _Walk) -> None:
    step = height = len(walk.nodes) - 1
    if height:
        step = int(slide(
            context.session, f"{PAGE}.step@{context.info.id}", "Step", range(height + 1),
            default=height, help="Descends question by question: 0 is before the first.",
        ))
    if context.is_plane and grown.tree.n_pairs == 1:
        _map(context, plan, grown, walk, step)
    sizes = grown.nodes.stop - grown.nodes.start
    done = set(walk.nodes[:step])
    for turn, row in enumerate(walk.steps[walk.steps["node"].isin(done)].itertuples()):
        near, far = (row.p, row.q) if row.nearer_to_p else (row.q, row.p)
        below = walk.nodes[walk.nodes.index(row.node) + 1]
        winner, loser = (panels.plain(context.triplets.labels[i]) for i in (near, far))
        if getattr(row, "answered", False):
            remarks = ["people"]
        else:
            remarks = [context.source] if "answered" in walk.steps else []
            if "certainty" in walk.steps:
                remarks.append(f"{100 * row.certainty:.0f} % certain")
        remark = f" *({', '.join(remarks)})*" if remarks else ""
        line = st.container()
        if "image" in context.triplets.objects:
            shown, line = st.columns([1, 6], vertical_alignment="center")
            with shown.container(horizontal=True, vertical_alignment="center"):
                for i, width in ((near, 44), (far, 28)):
                    _thumbnail(context, i, width)
        line.markdown(
            f"**{turn + 1}**\u2002Nearer to **{winner}** than to {loser}{remark}: "
            f"{int(sizes[below]):,} left."
        )


def _thumbnail(context: TreeContext, i: int, width: int) -> None:
    with suppress(WorkspaceError):  # its label stands beside it; the page Data says why
        if file := context.picture_of(i, 64):
            st.image(file, width=width, alt=context.triplets.labels[i])


def _map(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, walk: _Walk, step: int
) -> None:
    node = walk.nodes[step]
    outlines = cells(grown.nodes, context.positions, *window(context.positions))
    regions = [Region(outlines[n], width=1.0) for n in walk.nodes[:step]]
    regions.append(Region(outlines[node], PALETTE[1], 0.22, 1.6))
    inside = grown.nodes.members(node).tolist()
    text = (
        f"The path of {context.triplets.labels[walk.query]} after {count(step, 'question')}; "
        f"shaded: the cell of the {count(len(inside), 'object')} left. "
        f"{words(context, plan, grown)}"
    )
    drawn = context.map_of(context.positions, text, selected=[walk.query, *inside])

    def draw(canvas: Canvas) -> Any:
        x, y = context.positions[walk.query]
        return divided(drawn.draw(canvas), regions).add_scatter(
            x=[x], y=[y], mode="markers", hoverinfo="skip", showlegend=False,
            marker={"symbol": "circle-open", "color": PALETTE[3],
                    "size": 60 if drawn.style.marks == "pictures" else 30,
                    "line": {"width": 3, "color": PALETTE[3]}},
        )

    context.figure(Drawing(
        "way", "Path of a search", text, text, 0.58, draw, lambda: walk.steps, picks=True
    ))


def _found(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, query: int, k: int, trees: int,
    budget: int | None,
) -> None:
    oracle = oracle_about(context, plan, grown, query)
    neighbours = _search(context, plan, grown, query, k, trees, budget, oracle)
    n_questions = oracle.n_questions
    rows, others = context.rows_of_distances, np.array(plan.objects)
    distances = context.space.rows(rows[query], rows[query] + 1)[0, rows[others]]
    ranked = others[np.argsort(distances, kind="stable")]
    true = ranked[:k]
    table = _neighbours(context, neighbours[: len(true)], true, ranked)
    st.header("Nearest neighbours", anchor=False)
    # By knockout, as `tripletscope.core.trees.search.nearest` does it.
    all_compared = len(others) - 1 + (len(true) - 1) * int(np.ceil(np.log2(len(others))))
    st.markdown(panels.plain(
        f"{len(np.intersect1d(neighbours, true))} of {len(true)} found, with "
        f"{count(n_questions, 'question')}; comparing all {count(len(others), 'object')} takes "
        f"about {all_compared:,}."
    ))
    if isinstance(oracle, AnswersOracle):
        st.caption(
            f"Where participants answer differently from {context.source}, they may find other "
            "neighbours, which need not be an error."
        )
    st.dataframe(
        table, hide_index=True, placeholder="", key="trees.found",
        column_config={
            name: st.column_config.ImageColumn("", width="small")
            for name in table if name.endswith(" ")
        },
    )


def _neighbours(
    context: TreeContext, found: np.ndarray, true: np.ndarray, ranked: np.ndarray
) -> pd.DataFrame:
    """The neighbours found beside the true ones; `ranked` are all objects, the nearest first."""
    labels = np.array([*context.triplets.labels, "—"], dtype=object)
    pictures = picture_addresses(context.info, context.triplets.objects, 64)
    ranks = {i: str(rank) for rank, i in enumerate(ranked.tolist(), 1)}
    table = pd.DataFrame({"": np.arange(1, len(true) + 1)})
    nearest = "nearest by the features" if context.has_features else "nearest on the map"
    for title, objects in (("found", found), (nearest, true)):
        if pictures:
            table[f"{title} "] = [pictures.get(i, "") for i in objects.tolist()]
        table[title] = labels[objects]
    table["rank of the result"] = [ranks.get(i, "—") for i in found.tolist()]
    return table


def _search(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, query: int, k: int, trees: int,
    budget: int | None, oracle: Oracle,
) -> np.ndarray:
    """(k,) the neighbours that are found, the nearest first; -1 where there are fewer."""
    if trees == 1:
        return asking(grown.tree, oracle).kneighbors([query], k, budget=budget).found[0]
    plan = replace(plan, given=())  # the trees of a forest are the map's
    key = edition_of(context.fit), context.triplets.fingerprint
    forest = _forest(*key, plan, trees, context, grown)
    members = asking(forest, oracle).kneighbors([query], k)[0]
    return np.where(members >= 0, forest.objects_[members], -1)


@st.cache_resource(max_entries=8, show_spinner="Growing the trees")
def _forest(
    fit: tuple, data: str, plan: TreeSettings, trees: int, _context: TreeContext, _grown: GrownTree
) -> ComparisonForest:
    forest = ComparisonForest(
        metric=oracle_about(_context, plan, _grown), n_estimators=trees, leaf_size=plan.leaf_size,
        seed=plan.seed,
    )
    return forest.fit(np.array(plan.objects))


def _errors(context: TreeContext) -> None:
    picture, side = context.picture_and_side()
    with side:
        run = context.result(
            context.method, "search_curve",
            "Searches for the neighbours of objects in trees that were grown without them.",
        )
    with picture:
        with looks_row(st.container()):
            looks = {} if run is None else ask_look(context, run)
        context.present_or_promise(
            run, promise="Compute shows how often trees miss the nearest neighbour.", looks=looks
        )


def _expansion(context: TreeContext, plan: TreeSettings, grown: GrownTree) -> None:
    text = (
        "Expansion rate about every object: the smallest c for which a ball of twice the radius "
        "never has more than c times as many objects. The lower, the easier the search "
        f"and the flatter the tree. {context.about}"
    )
    members, labels = list(plan.objects), context.triplets.labels
    context.figure(Drawing(
        "expansion", "Expansion rates", text, text, 0.29,
        lambda canvas: expansion_box(grown.rates, members, labels, caption=text, canvas=canvas),
        lambda: pd.DataFrame({
            "id": [context.triplets.ids[i] for i in members], "expansion rate": grown.rates,
        }), picks=True,
    ))
