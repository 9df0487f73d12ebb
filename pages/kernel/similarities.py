"""All similarities at once, and those to one object."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tripletscope.core.data.landmarks import recognise
from tripletscope.core.similarity.kernels.kernel import MOST_IN_A_MATRIX, Kernel
from tripletscope.dashboard.figures.matrix import most_similar
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.kernels import evidence_of
from tripletscope.dashboard.results.presentation import table_of
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick, pressed
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.handover import choose_design
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import link_to, open_page, tab
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.kernel.context import PAGE, KernelContext, choose_kernel

_MOST_SIMILAR = 20
#: Up to so many answers the first kernel is computed without being asked for.
_QUICK = 500_000


@tab(PAGE, "Similarities", 1, needs=choose_kernel)
def show_similarities(here: KernelContext) -> None:
    """The matrix, what is to know of it, and the objects most similar to one."""
    is_first = here.job is None and not here.runs("fit", "kernel")
    if is_first and here.info.n_answers <= _QUICK:
        title = f"{here.method.title}: {here.info.name}"
        here.submit(title, [(here.method, "fit", {})], unasked=True)
        st.rerun()
    with here.side:
        (run,) = here.results(
            "fit", here.method.title, [(here.method, "fit", {})],
            "Computes a similarity kernel from the triplets.",
        )
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
                "Map, spectrum and classes do not need it.",
            )
            return
    with looks_row(here.picture):
        looks = ask_look(here, run)
    kernel: Kernel = run.fitted()
    with here.picture:
        if kernel.placed_.sum() < 2:
            here.empty(
                "There are no two objects to compare",
                "The answers give no two objects a position in this kernel. Collect more answers, "
                "or choose another kernel.",
            )
        here.present(run, looks=looks)
        _turn_to_more(here, kernel)
    _neighbours(here, kernel)


def _turn_to_more(here: KernelContext, kernel: Kernel) -> None:
    """Where similarities are what random answers would give, what needs fewer of them."""
    evidence = evidence_of(kernel, here.triplets)
    if evidence is None or not evidence.is_noise:
        return
    designed = any(design.kernel == kernel.name for design in recognise(here.triplets))
    # Kleindessner & von Luxburg (2017, figure 5) find classes of digits in such answers.
    st.caption("A map needs fewer answers; kernels need " + (
        "more, though these follow a landmark design. Groups of many objects, over which "
        "similarities average, can still be right."
        if designed else "more, or a landmark design."
    ))
    with st.container(horizontal=True, vertical_alignment="center"):
        link_to("embedding", "Go to the map")
        if not designed and pressed(
            here.session, f"{PAGE}.to_design", "Plan a landmark design",
            icon=":material/checklist:", type="tertiary",
        ):
            choose_design(here.session, "k1")
            open_page("simulate")


def _neighbours(here: KernelContext, kernel: Kernel) -> None:
    """The objects that are most similar to one."""
    labels, ids = here.triplets.labels, here.triplets.ids
    st.header("Similar to one object", anchor=False)
    wanted = pick(
        here.session, f"{PAGE}.one@{here.info.id}", "Object",
        {"": "The selected object", **dict(zip(ids, labels, strict=True))}, width=320,
    )
    i = ids.index(wanted) if wanted else next(iter(here.selected), None)
    if i is None:
        st.caption("Select an object here, or by a click on its mark next to the matrix.")
        return
    if not kernel.placed_[i]:
        st.caption(panels.plain(f"{labels[i]} has no usable answers."))
        return
    values = kernel.rows(np.array([i]))[0]
    others = np.flatnonzero(kernel.placed_ & (np.arange(len(values)) != i))
    order = others[np.argsort(-values[others], kind="stable")]
    best = order[:_MOST_SIMILAR]
    text = f"{here.about} The {count(len(best), 'object')} most similar to {labels[i]}."
    here.figure(Drawing(
        "similar", "Most similar objects", text, text, 0.58, lambda canvas: most_similar(
            values[best], [labels[k] for k in best], best.tolist(), caption=text,
            canvas=canvas,
        ), table_of(
            id=[ids[k] for k in order], label=[labels[k] for k in order],
            similarity=values[order],
        ), picks=True,
    ))
