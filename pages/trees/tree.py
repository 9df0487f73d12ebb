"""A comparison tree of the objects: its diagram, its cells on the map, and its questions."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.models.simulation.simulate import LEVELS, NOISE
from tripletscope.core.studies.design.active import mixed
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.listed_designs import listed
from tripletscope.core.trees.nodes import cells
from tripletscope.dashboard.figures.cells import Region, divided, window
from tripletscope.dashboard.figures.theme import FAINT, Canvas
from tripletscope.dashboard.figures.tree import (
    TREE_WIDTH,
    ComparisonTreeData,
    first_opened,
    tree_diagram,
    tree_height,
)
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import Numbers
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.chart import Gestures
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import embedded_pictures, picture_addresses
from tripletscope.dashboard.ui.question_files import take_away
from tripletscope.dashboard.ui.stimuli import worded
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.trees.answering import show_answering
from tripletscope.pages.trees.tree_context import (
    MAP,
    OBSERVER,
    PAGE,
    PERSON,
    SURE,
    UPLOADED,
    GrownTree,
    TreeContext,
    TreeSettings,
    choose_space,
    grow,
    tree_settings,
)

#: Cells are drawn on a map that has at least the other objects in them.
_MOST_DISPLACED = 0.3
_ANSWERED_BY = {
    UPLOADED: "Answered by the data; where nobody answered, by {source}",
    MAP: "Answered by {source}",
    PERSON: "Answered by a person; where nobody answered, by {source}",
    OBSERVER: "Answered by a simulated observer",
}


@tab(PAGE, "Tree", 1, needs=choose_space)
def show_tree(context: TreeContext) -> None:
    """The tree, what is to know of it, its cells, and what can be taken away."""
    picture, side = context.picture_and_side()
    with looks_row(picture):
        colour = context.colour()
    with side:
        plan = tree_settings(context, colour)
    with picture:
        if len(plan.objects) < 2:
            panels.empty("Too few objects", "A tree needs two objects or more.")
            return
        if plan.who == PERSON:
            show_answering(context, plan)
        grown = grow(context, plan)
        data = _data(context, plan, grown, colour)
        _diagram(context, plan, grown, data)
        _facts(context, plan, grown)
        _partition(context, plan, grown, data)
        _members(context, grown)
        _questions(context, plan, grown)


def words(context: TreeContext, plan: TreeSettings, grown: GrownTree) -> str:
    """How the tree came about, for captions."""
    pairs = grown.tree.n_pairs
    pivots = {
        "random": "random pivots", "answered": "pivots with most answers",
        "supervised": f"pivots of different {plan.colour}",
    }
    source = context.source if context.has_features else "the map or kernel"
    text = (
        f"Comparison tree of {count(len(plan.objects), 'object')}, leaf size {plan.leaf_size}, "
        f"{pivots[grown.tree.pivots]}{f', majority of {pairs} pairs' if pairs > 1 else ''}. "
        f"{_ANSWERED_BY[plan.who].format(source=source)}"
    )
    if plan.who == OBSERVER:
        noise, level, times = plan.observer
        strength = f", level {level:g}" if noise in LEVELS else ""
        text += f" ({NOISE.options[noise].lower()}{strength}, asked {count(times, 'time')})"
    if grown.answered is not None:
        text += f"; participants made {100 * grown.answered:.0f} % of the tree's decisions"
    return f"{text}. {context.about}"


def _data(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, colour: str | None
) -> ComparisonTreeData:
    current, objects = context.session, context.triplets.objects
    opened = set(first_opened(grown.nodes))
    folded = current.drafts.get(f"{PAGE}.folded", {})
    if folded.get("tree") == _name(context, plan):
        opened ^= set(folded["nodes"])
    return ComparisonTreeData(
        grown.nodes, objects, opened, colour, picture_addresses(context.info, objects, 64),
        current.selected_positions(context.triplets), _remarks(context, grown),
    )


def _name(context: TreeContext, plan: TreeSettings) -> str:
    """Tells trees apart, but not the states of one that a person is answering."""
    return f"{context.fit.key} {plan.who} {hash((plan.objects, plan.settings, plan.observer))}"


def _remarks(context: TreeContext, grown: GrownTree) -> Sequence[str]:
    """For each node its question, and who answered it how surely."""
    labels, decisions = context.triplets.labels, grown.decisions
    remarks = [""] * len(grown.nodes.child)
    for node, rows in decisions.assign(unsure=grown.unsure_rows).groupby("node"):
        p, q = (html.escape(labels[int(i)], quote=False) for i in grown.nodes.pivots[node, 0])
        line = f"Divided by: nearer to {p} or to {q}?"
        if "answered" in rows:
            line += f"<br>participants answered {100 * rows['answered'].mean():.0f} %"
        if rows["unsure"].any():
            line += f"<br>the map is unsure of {int(rows['unsure'].sum())} of {len(rows)} answers"
        remarks[int(node)] = line
    return remarks


def _diagram(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, data: ComparisonTreeData
) -> None:
    current, text = context.session, words(context, plan, grown)
    name = _name(context, plan)

    def picked(numbers: list[int], mode: str) -> None:
        objects, turned = data.picked(numbers)
        if turned:
            key = f"{PAGE}.folded"
            before = current.drafts.get(key, {})
            nodes = set(before["nodes"]) if before.get("tree") == name else set()
            current.remember(key, {"tree": name, "nodes": sorted(nodes ^ set(turned))})
        else:
            current.select_positions(objects, mode)

    def draw(canvas: Canvas) -> Any:
        shown = data
        if not canvas.screen and data.pictures:
            shown = replace(data, pictures=embedded_pictures(context.info, data.objects))
        return tree_diagram(shown, revision=name, caption=text, canvas=canvas)

    canvas = Canvas(TREE_WIDTH, tree_height(data))
    drawing = Drawing(
        "tree", "Tree", text, f"Diagram of a tree. {text}", canvas.height / canvas.width, draw,
        partial(_table, context, grown),
    )
    panels.figure_panel(
        current, drawing, key="trees.diagram", name=export.file_name(context.info.name, "tree"),
        canvas=canvas, fills="part", gestures=Gestures(
            data.hover_pictures(picture_addresses(context.info, data.objects, 320)), picked
        ),
        of=(tuple(grown.nodes), data.objects, sorted(data.opened), data.colour, data.pictures,
            data.selected, data.remarks, name, text),
    )
    st.caption(
        "Each node shows the pivot that its members are nearer to. Click a node to select its "
        "members on every page, + and − to unfold and fold."
    )


def _table(context: TreeContext, grown: GrownTree) -> pd.DataFrame:
    table = grown.tree.table()
    ids = np.array([*context.triplets.ids, ""], dtype=object)
    table[["p", "q"]] = ids[table[["p", "q"]].to_numpy()]
    members = [" ".join(ids[grown.nodes.members(i)]) for i in range(len(table))]
    return table.assign(members=members).rename_axis("node").reset_index()


def _facts(context: TreeContext, plan: TreeSettings, grown: GrownTree) -> None:
    facts = st.columns(5)
    facts[0].metric(
        "Height", grown.tree.height,
        help="Questions on the longest path to a leaf. With random pivots, it stays below "
        f"{float(f'{grown.bound:.2g}'):,.0f} with a probability of 95 %, by Theorem 1 of Haghiri, "
        "Ghoshdastidar and von Luxburg (2017); that bound is not tight.",
    )
    facts[1].metric(
        "Balance", f"{grown.tree.balance:.2f}",
        help="Mean proportion of a cell in its smaller part: 0.5 if all cells are halved.",
    )
    facts[2].metric("Leaves", f"{int((grown.nodes.child < 0).sum()):,}")
    facts[3].metric("Questions", f"{grown.tree.n_questions_:,}", help="Needed to grow the tree.")
    facts[4].metric(
        "By people", "—" if grown.answered is None else f"{100 * grown.answered:.0f} %",
        help="Proportion of decisions made by participants; the map, kernel or features made the "
        "others.",
    )
    if grown.unsure is not None:
        facts[4].caption(f"{100 * grown.unsure:.0f} % unsure", help=(
            f"Proportion of the decisions with an order certainty of less than {100 * SURE:.0f} %: "
            "the tree is about distances, not about what people answer. They are listed among the "
            "questions below."
        ))
    elif plan.who in (UPLOADED, MAP) and not context.has_features:
        facts[4].caption(
            "Certainty unknown",
            help="The uncertainty of the map has not been computed: see Embedding, Positions.",
        )


def _partition(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, data: ComparisonTreeData
) -> None:
    """The cells of the nodes that are drawn, on the map."""
    if not context.is_plane or grown.tree.n_pairs > 1:
        why = (
            "majorities of several pairs have no straight boundaries"
            if context.is_plane else "this needs two features" if context.has_features
            else "this needs a two-dimensional map"
        )
        st.caption(f"The cells are not drawn on a map: {why}.")
        return
    regions = _regions(context, grown, data)
    inside = np.isin(np.arange(len(data.objects)), plan.objects)
    shown = np.where(inside[:, None], context.positions, np.nan)
    lost = displaced(grown.decisions, context.positions, set(data.shown) - set(data.ends))
    text = (
        f"{'Features' if context.has_features else 'The map'} of {context.info.name}, divided "
        "halfway between the pivots of the tree's upper nodes"
        f"{'; colour is the most frequent of a cell' if data.colour else ''}. "
        f"{words(context, plan, grown)}"
    )
    if len(lost) > _MOST_DISPLACED * len(plan.objects):
        st.caption(
            f"The cells are not drawn on the map: {count(len(lost), 'object')} of "
            f"{len(plan.objects):,} would lie outside their cell, as answers contradict the map."
        )
        return
    if len(lost):
        text += (
            f" Rings: {count(len(lost), 'object')} outside their cell, because an answer "
            "contradicts the map."
        )
    drawn = context.map_of(shown, text, colour=data.colour)

    def draw(canvas: Canvas) -> Any:
        return divided(drawn.draw(canvas), regions, context.positions[lost],
                       pictured=drawn.style.marks == "pictures")

    context.figure(Drawing(
        "partition", "Cells of the tree", text, text, 0.58, draw, partial(_leaves, context, grown),
        picks=True,
    ))


def _regions(context: TreeContext, grown: GrownTree, data: ComparisonTreeData) -> list[Region]:
    """The cells of the nodes that are drawn, in the most frequent colour of their objects."""
    outlines = cells(grown.nodes, context.positions, *window(context.positions))
    if not data.colour:
        return [Region(outlines[node], FAINT, 0.0, 1.2) for node in data.ends]
    colour_of = {int(i): group.colour for group in data.groups for i in group.members}
    regions = []
    for node in data.ends:
        shades = [colour_of[i] for i in grown.nodes.members(node).tolist()]
        values, counts = np.unique(shades, return_counts=True)
        pure = counts.max() / counts.sum()
        regions.append(Region(outlines[node], values[np.argmax(counts)], 0.04 + 0.22 * pure, 1.2))
    return regions


def displaced(decisions: pd.DataFrame, positions: np.ndarray, nodes: Collection[int]) -> np.ndarray:
    """Objects that a decision of some nodes puts where the map does not have them, ascending."""
    counted = decisions[decisions["node"].isin(list(nodes))]
    x, p, q = (positions[counted[c].to_numpy(dtype=int)] for c in ("x", "p", "q"))
    nearer = np.linalg.norm(x - p, axis=1) <= np.linalg.norm(x - q, axis=1)
    against = nearer != counted["nearer_to_p"].to_numpy(dtype=bool)
    return np.unique(counted["x"].to_numpy(dtype=int)[against])


def _leaves(context: TreeContext, grown: GrownTree) -> pd.DataFrame:
    """Every object with its leaf, and its place on the map."""
    leaf = grown.nodes.leaf_of(context.info.n_objects)
    table = context.triplets.objects.drop(columns="image", errors="ignore").assign(leaf=leaf)
    if context.positions is not None:
        axes = [f"x{c + 1}" for c in range(context.positions.shape[1])]
        table = pd.concat([table, pd.DataFrame(context.positions, columns=axes)], axis=1)
    return table[leaf >= 0]


def _members(context: TreeContext, grown: GrownTree) -> None:
    nodes, labels = grown.nodes, np.array(context.triplets.labels, dtype=object)
    leaves = np.flatnonzero(nodes.child < 0)
    context.numbers(Numbers(
        f"Members of the {count(len(leaves), 'leaf', 'leaves')}", lambda: pd.DataFrame({
            "leaf": leaves, "depth": nodes.depth[leaves],
            "objects": nodes.stop[leaves] - nodes.start[leaves],
            "members": [labels[nodes.members(leaf)].tolist() for leaf in leaves],
        }),
        of_rows=lambda rows: np.concatenate(
            [np.zeros(0, dtype=int), *(nodes.members(leaf) for leaf in leaves[rows])]
        ),
    ))


def _questions(context: TreeContext, plan: TreeSettings, grown: GrownTree) -> None:
    """The questions that make the tree, to be asked in an experiment."""
    decisions = grown.decisions
    title = f"The {count(len(decisions), 'question')} of this tree"
    if not (box := panels.folded(title, "trees.decisions")):
        return
    with box:
        if decisions.empty:
            st.caption("A tree of a single leaf has none.")
            return
        st.markdown(
            "Ask participants these questions and upload the answers as a separate data set. With "
            "the pivots that have most answers, participants then determine its tree. "
            "Questions are in random order, with randomised sides."
        )
        labels = np.array(context.triplets.labels, dtype=object)
        shown = pd.DataFrame({
            "object": labels[decisions["x"]], "p": labels[decisions["p"]],
            "q": labels[decisions["q"]],
            "nearer to": labels[np.where(decisions["nearer_to_p"], decisions["p"], decisions["q"])],
        })
        if "answered" in decisions:
            shown["answered by participants"] = decisions["answered"]
        if "certainty" in decisions:
            shown["order certainty"] = decisions["certainty"]
            shown = shown.sort_values("order certainty", kind="stable")
        st.dataframe(
            shown, hide_index=True, placeholder="", key="trees.decisions", height=300,
            column_config={"order certainty": st.column_config.NumberColumn(format="%.2f")},
        )
        asking = Experiment(
            title=context.info.name, objects=worded(context.triplets.objects), repeated=0.0,
            catch=0.0, n_practice=0,
        )
        rows = mixed(decisions[["x", "p", "q"]].to_numpy(), np.random.default_rng(plan.seed))
        take_away(context.session, PAGE, listed(asking, rows), 1, f"{context.info.name} tree")
