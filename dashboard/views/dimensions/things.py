"""Objects by their dimensions, and what makes two of them similar."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.dashboard import export
from tripletscope.dashboard.figures.contributions import compared, object_bars, rose, two_objects
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.interface.theme import Canvas, number
from tripletscope.dashboard.views.dimensions.context import DimensionsContext, choose_fit
from tripletscope.dashboard.views.dimensions.fitting import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import embedded_pictures

_HALF = Canvas(480.0, 430.0)
_WIDE = Canvas(1000.0, 430.0)
#: Objects that are named as the most similar ones.
_NEXT = 8


@tab(PAGE, "Objects", 3, needs=choose_fit, slot=None)
def show_things(context: DimensionsContext) -> None:
    """One object as rose and bars, or two beside each other."""
    one, other, bars = _choose(context)
    if other is None:
        _single(context, one, bars)
    else:
        _pair(context, one, other, bars)


def _choose(context: DimensionsContext) -> tuple[int, int | None, bool]:
    data, chosen = context.data, context.selected
    first = chosen[0] if chosen else int(np.argmax(data.weights.sum(axis=1)))
    names = dict(enumerate(data.labels))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = pick(context.session, f"{PAGE}.one@{context.info.id}", "Object", names,
                   default=first, width=240)
        similar = data.weights @ data.weights[one]
        similar[one] = -np.inf
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
                help="Shows what is selected on the pages, one object or two.",
            )
    return one, None if other < 0 else other, shape == "bars"


def _take(context: DimensionsContext, chosen: list[int]) -> None:
    context.set_to(f"{PAGE}.one@{context.info.id}", chosen[0])
    context.set_to(f"{PAGE}.other@{context.info.id}", chosen[1] if len(chosen) > 1 else -1)


def _single(context: DimensionsContext, one: int, bars: bool) -> None:
    data = context.data
    similar = data.weights @ data.weights[one]
    similar[one] = -np.inf
    nearest = np.argsort(-similar, kind="stable")[:_NEXT]
    interval = " with 95 % intervals" if bars and data.sd is not None else ""
    length = "Bars: weights" if bars else "Length of a petal: weight"
    text = f"The strongest dimensions of {data.labels[one]}. {length}{interval}."
    picture, words = st.columns([3, 1], gap="large")
    with words:
        if one in data.pictures:
            st.image(_large(context, one), width=180)
        st.markdown("**Most similar**")
        for k in nearest.tolist():
            st.button(
                data.labels[k][:40], key=f"{PAGE}.nearest.{k}", type="tertiary",
                on_click=context.set_to, args=(f"{PAGE}.other@{context.info.id}", k),
                help=f"Compare. Similarity {number(float(similar[k]))}.",
            )
    with picture:
        panels.figure_panel(
            context.session, lambda canvas: (
                object_bars(data, one, caption=context.full(text), canvas=canvas) if bars
                else rose(data, [one], caption=context.full(text), canvas=canvas)
            ), key=f"{PAGE}.object", name=export.file_name(context.info.name, data.labels[one]),
            canvas=Canvas(700.0, 430.0 if bars else 560.0), caption=text,
            alt=f"The strongest dimensions of {data.labels[one]}.",
            table=lambda: _table(context, [one]), of=(context.content, one, bars),
        )


def _large(context: DimensionsContext, thing: int) -> str:
    found = embedded_pictures(context.info, context.data.objects, [thing])
    return found[thing]


def _pair(context: DimensionsContext, one: int, other: int, bars: bool) -> None:
    data = context.data
    names = f"{data.labels[one]} and {data.labels[other]}"
    total = float(data.weights[one] @ data.weights[other])
    all_of = data.weights @ data.weights[one]
    rank = int((np.delete(all_of, one) > total).sum()) + 1
    product = data.weights[one] * data.weights[other]
    first = np.argsort(-product, kind="stable")[:2]
    why = " and ".join(
        f"{data.title(k)} ({100 * product[k] / total:.0f} %)" for k in first.tolist()
        if total > 0 and product[k] > 0
    )
    st.markdown(panels.plain(
        f"Similarity {number(total)}: {data.labels[other]} is the {_ordinal(rank)}most similar of "
        f"{len(data.labels) - 1:,} objects to {data.labels[one]}."
        + (f" It comes from {why}." if why else " They share no dimension.")
    ))
    if not bars:
        text = f"The strongest dimensions of {names}. Length of a petal: weight."
        panels.figure_panel(
            context.session,
            lambda canvas: rose(data, [one, other], caption=context.full(text), canvas=canvas),
            key=f"{PAGE}.roses", name=export.file_name(context.info.name, names, "roses"),
            canvas=Canvas(1000.0, 480.0), alt=f"Roses of {names}.", caption=text,
            table=lambda: _table(context, [one, other]), of=(context.content, one, other),
        )
    about = (
        f"What makes {names} similar: their weights, and the products of these, which add up to "
        f"their similarity. Below, the dimensions that tell them apart."
    )
    panels.figure_panel(
        context.session,
        lambda canvas: two_objects(data, one, other, caption=context.full(about), canvas=canvas),
        key=f"{PAGE}.pair", name=export.file_name(context.info.name, names), caption=about,
        canvas=Canvas(1000.0, 120.0 + 28.0 * len(compared(data.weights[one], data.weights[other]))),
        alt=f"Bars of the weights of {names}, and of their products.",
        table=lambda: _table(context, [one, other]), of=(context.content, one, other),
    )


def _table(context: DimensionsContext, things: list[int]) -> pd.DataFrame:
    """The dimensions of one object or two, the strongest first."""
    data = context.data
    table = pd.DataFrame({
        "dimension": np.arange(1, data.n_dimensions + 1),
        "name": [data.names.get(k, "") for k in range(data.n_dimensions)],
    })
    for thing in things:
        table[data.labels[thing]] = data.weights[thing]
        if data.sd is not None:
            table[f"{data.labels[thing]}, sd"] = data.sd[thing]
    if len(things) == 2:
        table["product"] = np.prod(data.weights[things], axis=0)
        return table.sort_values("product", ascending=False)
    return table.sort_values(data.labels[things[0]], ascending=False)


def _ordinal(rank: int) -> str:
    """How a rank is said before "most"; nothing for the first."""
    if rank == 1:
        return ""
    teens = rank % 100 in (11, 12, 13)
    return f"{rank:,}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')} "
