"""All similarities at once, and those to one object."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.cluster import Agglomerative
from tripletscope.core.cluster.dendrogram import Dendrogram
from tripletscope.core.data.landmarks import recognise
from tripletscope.core.kernel.evidence import Evidence, common_comparisons, evidence
from tripletscope.core.kernel.kernel import MOST_IN_A_MATRIX, Kernel
from tripletscope.core.kernel.space import space_of
from tripletscope.core.kernel.triplet import TripletKernel
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.matrix import most_similar, similarity_matrix
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import table_of
from tripletscope.dashboard.views.kernel.context import PAGE, KernelContext, choose_kernel
from tripletscope.dashboard.views.page import go_to, tab
from tripletscope.dashboard.views.pictures import picture_addresses
from tripletscope.dashboard.wording.formats import count, number

_SQUARE = Canvas(640.0, 700.0)
_BARS = 0.58
_MOST_SIMILAR = 20
_MANY_APART = 0.3  # share of pairs about which a kernel says nothing
#: Up to so many answers the first kernel is computed without being asked for.
_QUICK = 500_000
#: Below this share of the pairs of objects with a comparison in common, it is told.
_FEW_SHARED = 0.5


@tab(PAGE, "Similarities", 1, needs=choose_kernel)
def show_similarities(here: KernelContext) -> None:
    """The matrix, what is to know of it, and the objects most similar to one."""
    _begin(here)
    run = here.computed("fit", {}, "Computes a similarity kernel from the triplets.")
    with here.picture:
        if run is None:
            here.empty(
                "Nothing has been computed yet",
                "Compute shows how similar all objects are, from the answers alone.",
            )
            return
        if here.info.n_objects > MOST_IN_A_MATRIX:
            panels.empty(
                "Too many objects for a matrix",
                "The map, the spectrum and the classes do without it.",
            )
            return
    kernel: Kernel = run.fitted()
    values, selected = kernel.kernel_, here.selected
    if isinstance(kernel, TripletKernel):
        with here.picture:
            _warn_of_chance(here, run.key, kernel)
    _matrix(here, run.key, kernel, values, selected)
    _facts(here, kernel, values)
    _neighbours(here, values, kernel.placed_, selected)


def _begin(here: KernelContext) -> None:
    """Compute the first kernel of a data set without being asked."""
    known = here.runs("fit", "kernel")
    if not known and here.job is None and here.info.n_answers <= _QUICK:
        here.submit(f"{here.kernel.title}: {here.info.name}", [(here.kernel, "fit", {})])
        st.rerun()


@st.cache_data(max_entries=16, show_spinner="Weighing the similarities")
def _evidence(key: str, _kernel: TripletKernel, _here: KernelContext) -> Evidence:
    many = _here.info.n_answers > _QUICK
    return evidence(_kernel, _here.triplets, most=50 if many else 500)


def _warn_of_chance(here: KernelContext, key: str, kernel: TripletKernel) -> None:
    """Say where similarities are what random answers would give, and what to do."""
    found = _evidence(key, kernel, here)
    if not found.is_noise:
        return
    few = "No two objects have a comparison in common. "
    if found.shared:
        few = f"{100 * found.shared:.0f} % of the pairs of objects have a comparison in common. "
        few *= found.shared < _FEW_SHARED
        few += (
            f"Random answers to the same questions would spread them by ±{number(found.noise, 2)}; "
            f"they spread by ±{number(found.spread, 2)}. "
        )
    designed = any(design.kernel == kernel.name for design in recognise(here.triplets))
    need = "more, or a landmark design."
    if designed:
        # Kleindessner & von Luxburg (2017, figure 5) find classes of digits in such answers.
        need = (
            "more: those at hand follow a landmark design already. Each similarity for itself is "
            "unsure; groups of many objects, over which they average, can be right all the same."
        )
    st.warning(panels.plain(
        f"These similarities are mostly chance. {few}A map needs fewer answers; kernels need "
        f"{need}"
    ), icon=":material/casino:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            "../pages/embedding.py", label="Go to the map", icon=":material/scatter_plot:"
        )
        if designed:
            return
        st.button(
            "Plan a landmark design", key=f"{PAGE}.to_design", icon=":material/checklist:",
            type="tertiary", on_click=go_to, args=(PAGE, "design"),
        )


def _matrix(
    here: KernelContext, key: str, kernel: Kernel, values: np.ndarray, selected: list[int]
) -> None:
    objects = here.triplets.objects
    with here.side:
        by = pick(
            here.session, f"{PAGE}.order@{here.info.id}", "Order",
            {"": "Hierarchical clustering", **{c: c for c in here.columns}},
            help="Hierarchical clustering puts similar objects next to each other; a column shows "
            "how far similarity follows it.",
        )
    tree = None if by else _tree(key, kernel)
    order = tree.order if tree else _column_order(objects[by], kernel.placed_)
    if len(order) < 2:
        with here.picture:
            here.empty(
                "There are no two objects to compare",
                "The answers give no two objects a place in this kernel. Collect more of them, or "
                "choose another kernel.",
            )
        return
    category = by if by and not is_quantity(objects[by]) else None
    text = (
        f"{here.about} Similarities in the order of {by or 'the average-linkage tree above'}; the "
        "diagonal is omitted."
    )

    def draw(canvas: Canvas) -> Any:
        return similarity_matrix(
            values, order, objects, tree=tree, colour=category, selected=selected,
            caption=text, canvas=canvas,
        )

    def table() -> pd.DataFrame:
        ids = here.triplets.ids
        return pd.DataFrame(values, index=ids, columns=ids).rename_axis("id").reset_index()

    with here.picture:
        panels.figure_panel(
            here.session, draw, key="kernel.matrix", alt=f"Matrix of similarities. {text}",
            canvas=_SQUARE, caption=text, on_pick=here.session.select_positions, table=table,
            name=export.file_name(here.info.name, kernel.name, "similarities"),
            pictures=picture_addresses(here.info, objects, 320),
        )
        _pair(here, kernel, values, selected)


def _pair(
    here: KernelContext, kernel: Kernel, values: np.ndarray, selected: list[int]
) -> None:
    """What the similarity of two selected objects rests on."""
    if len(selected) != 2:
        st.caption("Click a cell to select its two objects.")
        return
    first, second = selected
    names = " and ".join(here.triplets.labels[i] for i in selected)
    text = f"{names}: similarity {number(values[first, second])}."
    if isinstance(kernel, TripletKernel):
        common, same = common_comparisons(kernel, here.triplets, first, second)
        text += (
            f" It rests on {count(common, 'comparison')} that both have, of which {same:,} have "
            "the same result." if common else " They have no comparison in common."
        )
    st.markdown(panels.plain(text))


@st.cache_data(max_entries=16, show_spinner="Ordering the objects")
def _tree(key: str, _kernel: Kernel) -> Dendrogram:
    """Tree of the objects about which something is known."""
    return Agglomerative().tree(space_of(_kernel))


def _column_order(column: pd.Series, placed: np.ndarray) -> np.ndarray:
    """The same in the order of a column's values."""
    keys = column if is_quantity(column) else column.astype("str")
    order = keys.reset_index(drop=True).sort_values(kind="stable").index.to_numpy()
    return order[placed[order]]


def _facts(here: KernelContext, kernel: Kernel, values: np.ndarray) -> None:
    lines, unknown = [], np.flatnonzero(~kernel.placed_)
    known = np.count_nonzero(values) - np.count_nonzero(values.diagonal())
    apart = 1.0 - known / max(values.size - len(values), 1)
    if apart > _MANY_APART:
        why = "they are too far apart, or one of them has no usable answers."
        if isinstance(kernel, TripletKernel):
            why = "they share no question, or agree in as many as they differ in."
        lines.append(f"{100 * apart:.0f} % of the pairs of objects have a similarity of 0: {why}")
    if len(unknown):
        names = ", ".join(here.triplets.labels[i] for i in unknown[:5])
        lines.append(
            f"{count(len(unknown), 'object')} without usable answers, which are similar to "
            f"nothing: {names}{' and more' if len(unknown) > 5 else ''}."
        )
    shift = getattr(kernel, "shift_", 0.0)
    if shift:
        lines.append(f"The smallest eigenvalue was subtracted from the diagonal, {shift:.3g}.")
    for design in recognise(here.triplets):
        lines.append(
            f"The answers follow a landmark design for {design.kernel} with "
            f"{count(len(design.landmarks), 'landmark')}: {design.n_asked:,} of "
            f"{design.n_possible:,} questions were asked."
        )
    for line in lines:
        st.caption(panels.plain(line))


def _neighbours(
    here: KernelContext, values: np.ndarray, placed: np.ndarray, selected: list[int]
) -> None:
    labels, ids = here.triplets.labels, here.triplets.ids
    st.subheader("Similar to one object", anchor=False)
    wanted = pick(
        here.session, f"{PAGE}.one@{here.info.id}", "Object",
        {"": "The selected object", **dict(zip(ids, labels, strict=True))}, width=320,
    )
    one = ids.index(wanted) if wanted else next(iter(selected), None)
    if one is None:
        st.caption("Select an object here, or by a click on its mark next to the matrix.")
        return
    if not placed[one]:
        st.caption(panels.plain(f"{labels[one]} has no usable answers."))
        return
    others = np.flatnonzero(placed & (np.arange(len(values)) != one))
    order = others[np.argsort(-values[one, others], kind="stable")]
    best = order[:_MOST_SIMILAR]
    text = f"{here.about} The {count(len(best), 'object')} most similar to {labels[one]}."
    here.figure(Drawing(
        "similar", "Most similar objects", text, text, _BARS, lambda canvas: most_similar(
            values[one, best], [labels[i] for i in best], best.tolist(), caption=text,
            canvas=canvas,
        ), table_of(
            id=[ids[i] for i in order], label=[labels[i] for i in order],
            similarity=values[one, order],
        ), picks=True,
    ))
