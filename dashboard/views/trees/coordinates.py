"""Trees that see the features of the objects, to choose in place of a comparison tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.tree.coordinates import TREES, CoordinateTree
from tripletscope.core.tree.nodes import halved
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.cells import Region, divided_map, window
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.views.pictures import embedded_pictures, picture_addresses
from tripletscope.dashboard.views.trees.grove import PAGE, Grove

_MAP = Canvas(900.0, 520.0)
#: Features that the words of a division name; the largest weights.
_NAMED = 3


def show_coordinate_tree(grove: Grove, kind: str, picture: Any, side: Any) -> None:
    """The tree, its cells, and the neighbours that it finds beside a comparison tree."""
    with side:
        colour = grove.colour()
        run = grove.result(
            grove.method, "coordinate_tree",
            "Grows the tree, and searches neighbours of objects in trees grown without them.",
            given={"tree": kind}, hidden=() if kind == "cover" else ("coverage",),
        )
    with picture:
        if run is None:
            grove.empty(
                "Nothing has been computed yet",
                f"Compute grows a {TREES[kind]} of the features, and says how often it misses the "
                "nearest neighbour, beside a comparison tree with leaves of the same size.",
            )
            return
        tree: CoordinateTree = run.result()
        text = (
            f"{TREES[kind]} of {count(int((tree.nearest >= 0).sum()), 'object')}, "
            f"{'coverage' if kind == 'cover' else 'leaf size'} "
            f"{run.options['coverage' if kind == 'cover' else 'leaf_size']:g}. {grove.about}"
        )
        _facts(tree, kind, run.options)
        if kind == "cover":
            _levels(tree)
        else:
            _cells(grove, tree, colour, text)
            _nodes(grove, tree, kind)
        _neighbours(grove, tree)


def _facts(tree: CoordinateTree, kind: str, options: dict[str, Any]) -> None:
    this, other = tree.errors().to_dict("records")
    facts = st.columns(4)
    if kind == "cover":
        facts[0].metric("Levels", int(tree.level.max()) + 1)
    else:
        facts[0].metric("Height", int(tree.depth.max()), help="Steps on the longest path.")
    facts[1].metric(
        "Leaves" if kind != "cover" else "Questions",
        f"{int((tree.child < 0).sum()) if kind != 'cover' else round(this['asked']):,}",
        help="Of a search, on average." if kind == "cover" else None,
    )
    facts[2].metric("Miss rate", f"{100 * this['miss rate']:.0f} %", help=(
        "Proportion of the objects for which trees grown without them find something farther than "
        "the nearest neighbour, or nothing."
    ))
    facts[3].metric("Of comparison trees", f"{100 * other['miss rate']:.0f} %", help=(
        f"Missed by comparison trees of the same objects, with leaf size {options['leaf_size']}."
    ))
    unit = "questions" if kind == "cover" else "steps and distances"
    known = tree.nearest >= 0
    here, there = tree.missed[known], tree.missed_by_comparisons[known]
    st.caption(
        f"95 % intervals over objects (Wilson): {_share(this)} missed with {this['asked']:.0f} "
        f"{unit} a search, and {_share(other)} with {other['asked']:.0f} questions. "
        f"{int((here & ~there).sum()):,} are missed by this tree alone, "
        f"{int((there & ~here).sum()):,} by the comparison tree alone."
    )


def _share(row: dict[str, float]) -> str:
    return "{:.0f} % [{:.0f}, {:.0f}]".format(
        *(100 * row[name] for name in ("miss rate", "low", "high"))
    )


def _cells(grove: Grove, tree: CoordinateTree, colour: str | None, text: str) -> None:
    if not grove.is_plane:
        st.caption("The cells are not drawn: this needs two features.")
        return
    outlines = halved(tree.child, tree.direction, tree.threshold, *window(grove.positions))
    regions = [Region(outlines[leaf], width=1.2) for leaf in np.flatnonzero(tree.child < 0)]
    objects = grove.triplets.objects
    pictures = picture_addresses(grove.info, objects, 64)
    mark = "pictures" if pictures and grove.info.n_objects <= 60 else "points"

    def draw(canvas: Canvas) -> Any:
        shown = pictures if canvas.screen else embedded_pictures(grove.info, objects)
        data = MapData(grove.positions, objects, None, shown, grove.selected)
        return divided_map(
            data, MapStyle(mark, colour), regions, caption=text,
            revision=f"{grove.fit.key} coordinates", canvas=canvas,
        )

    panels.figure_panel(
        grove.session, draw, key=f"{PAGE}.coordinates", alt=text, canvas=_MAP, caption=text,
        on_pick=grove.session.select_positions, name=export.file_name(grove.info.name, "cells"),
        pictures=picture_addresses(grove.info, objects, 320),
        table=partial(_leaves, grove, tree),
    )


def _leaves(grove: Grove, tree: CoordinateTree) -> pd.DataFrame:
    """Every object with its leaf."""
    table = grove.triplets.objects.drop(columns="image", errors="ignore").assign(leaf=tree.leaf)
    return table[tree.leaf >= 0]


def division(
    names: Sequence[str], direction: np.ndarray, threshold: float, middle: np.ndarray,
    spread: np.ndarray,
) -> str:
    """Which objects are in the first child, in words: in the features' units where there is one.

    Shapes: names length d.
    direction, middle, spread (d,): Weights of the features, and what was subtracted of these and
        what they were divided by.
    """
    named = np.flatnonzero(direction)
    if len(named) == 1:
        (axis,) = named
        bound = threshold / direction[axis] * spread[axis] + middle[axis]
        return f"{names[axis]} {'≤' if direction[axis] > 0 else '≥'} {bound:.4g}"
    length = float(np.linalg.norm(direction))
    largest = np.argsort(-np.abs(direction), kind="stable")[:_NAMED]
    parts = [
        f"{'−' if direction[axis] < 0 else '+'} {abs(direction[axis]) / length:.2f} {names[axis]}"
        for axis in largest
    ]
    rest = len(named) - len(largest)
    more = f" and {count(rest, 'further feature')}" if rest > 0 else ""
    bound = f"{threshold / length:.3g}".replace("-", "−")
    return f"{' '.join(parts).removeprefix('+ ')}{more} ≤ {bound}"


def _nodes(grove: Grove, tree: CoordinateTree, kind: str) -> None:
    names = list(grove.fitted.columns)
    middle, spread = np.zeros(len(names)), np.ones(len(names))
    if grove.fitted.standardise:
        known = grove.triplets.objects[names].to_numpy(dtype=float)[grove.fitted.placed_]
        middle, deviation = known.mean(axis=0), known.std(axis=0)
        spread = np.where(deviation > 0, deviation, 1.0)
    leaves = tree.child < 0
    labels = np.array(grove.triplets.labels, dtype=object)
    members = [np.flatnonzero(tree.leaf == node) if leaves[node] else np.zeros(0, dtype=int)
               for node in range(len(leaves))]
    table = pd.DataFrame({
        "node": np.arange(len(leaves)),
        "below": pd.Series(tree.parent).astype("Int64").where(tree.parent >= 0),
        "depth": tree.depth, "objects": tree.size,
        "divided by": [
            "" if leaves[node]
            else division(names, tree.direction[node], tree.threshold[node], middle, spread)
            for node in range(len(leaves))
        ],
        "members": [labels[those].tolist() for those in members],
    })
    units = "standardised features" if grove.fitted.standardise else "features"
    st.caption(
        "Objects for which a division is true are in the first of the two nodes below."
        + (f" Weights are of {units}, divided by their length." if kind != "kd" else "")
    )
    chosen = st.dataframe(
        table, hide_index=True, placeholder="", key=f"{PAGE}.coordinates.nodes", height=320,
        on_select="rerun", selection_mode="multi-row",
        column_config={
            "divided by": st.column_config.TextColumn(width="large"),
            "members": st.column_config.ListColumn(width="large"),
        },
    ).selection.rows
    inside = np.concatenate([np.zeros(0, dtype=int), *(members[row] for row in chosen)]).tolist()
    st.button(
        f"Select {count(len(inside), 'object')}" if inside else "Select objects",
        key=f"{PAGE}.coordinates.select", disabled=not inside,
        on_click=grove.session.select_positions, args=(inside,),
        help="Selects the members of the chosen leaves on every page.",
    )


def _levels(tree: CoordinateTree) -> None:
    highest = tree.level[tree.nearest >= 0]
    st.dataframe(
        pd.DataFrame({
            "level": np.arange(highest.max() + 1)[::-1],
            "objects": [(highest >= level).sum() for level in range(highest.max() + 1)][::-1],
        }),
        hide_index=True, placeholder="", key=f"{PAGE}.coordinates.levels",
    )


def _neighbours(grove: Grove, tree: CoordinateTree) -> None:
    st.subheader("Nearest neighbours", anchor=False)
    labels = np.array([*grove.triplets.labels, "—"], dtype=object)
    known = np.flatnonzero(tree.nearest >= 0)
    table = pd.DataFrame({
        "object": labels[known], "found": labels[tree.found[known]],
        "nearest": labels[tree.nearest[known]], "missed": tree.missed[known],
        "missed by comparisons": tree.missed_by_comparisons[known],
        "steps": tree.asked[known],
    })
    st.dataframe(
        table, hide_index=True, placeholder="", key=f"{PAGE}.coordinates.found", height=320
    )
    st.download_button(
        "Neighbours (CSV)",
        lambda: export.csv(table.assign(object=[grove.triplets.ids[i] for i in known])),
        f"{export.file_name(grove.info.name, 'neighbours')}.csv", "text/csv",
        key=f"{PAGE}.coordinates.csv", on_click="ignore", icon=":material/table:",
    )
