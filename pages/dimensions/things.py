"""Objects by their dimensions, and what makes two of them similar."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tripletscope.dashboard.results.dimension_details import SomeObjects
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import embedded_pictures
from tripletscope.dashboard.words.formats import number
from tripletscope.pages.dimensions.context import DimensionsContext, choose_fit
from tripletscope.pages.dimensions.fitting import PAGE

#: Objects that are named as the most similar ones.
_NEXT = 8


@tab(PAGE, "Objects", 3, needs=choose_fit)
def show_things(context: DimensionsContext) -> None:
    """One object as rose or bars, or two beside each other."""
    looked = _choose(context)
    if looked.other is not None:
        context.look(looked)
        return
    picture, side = st.columns([3, 1], gap="large")
    with side:
        _similar(context, looked.one)
    with picture:
        context.look(looked)


def _choose(context: DimensionsContext) -> SomeObjects:
    data, chosen = context.data, context.selected
    first = chosen[0] if chosen else int(np.argmax(data.weights.sum(axis=1)))
    names = dict(enumerate(data.labels))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = pick(context.session, f"{PAGE}.one@{context.info.id}", "Object", names,
                   default=first, width=240)
        second = chosen[1] if len(chosen) > 1 and chosen[1] != one else -1
        other = pick(
            context.session, f"{PAGE}.other@{context.info.id}", "Compared with",
            {-1: "None", **{k: name for k, name in names.items() if k != one}},
            default=second, width=240,
        )
        shape = pick(context.session, f"{PAGE}.shape", "Shown as",
                     {"rose": "Rose", "bars": "Bars"}, width=110)
        if len(chosen) in (1, 2):
            st.button(
                "Take the selected", key=f"{PAGE}.take", type="tertiary",
                on_click=_take, args=(context, chosen),
                help="Shows one or two selected objects.",
            )
    return SomeObjects(one, None if other < 0 else other, shape == "bars")


def _take(context: DimensionsContext, chosen: list[int]) -> None:
    context.set_to(f"{PAGE}.one@{context.info.id}", chosen[0])
    context.set_to(f"{PAGE}.other@{context.info.id}", chosen[1] if len(chosen) > 1 else -1)


def _similar(context: DimensionsContext, one: int) -> None:
    """The object, and buttons that compare it with those that are most like it."""
    data = context.data
    if (picture := embedded_pictures(context.info, data.objects).get(one)) is not None:
        st.image(picture, width=180, alt=data.labels[one])
    st.markdown("**Most similar**")
    similar = data.weights @ data.weights[one]
    similar[one] = -np.inf
    for k in np.argsort(-similar, kind="stable")[:_NEXT].tolist():
        st.button(
            data.labels[k][:40], key=f"{PAGE}.nearest.{k}", type="tertiary",
            on_click=context.set_to, args=(f"{PAGE}.other@{context.info.id}", k),
            help=f"Compare. Similarity {number(float(similar[k]))}.",
        )
