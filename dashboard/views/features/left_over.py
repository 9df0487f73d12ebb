"""What features leave over: a map of it, and whether it is more than noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.evaluation.units import over_units
from tripletscope.core.explaining.left_over import LeftOver
from tripletscope.dashboard import export
from tripletscope.dashboard.drawing.explaining import rest_of
from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count, interval
from tripletscope.dashboard.views.features.context import PAGE, FeaturesContext, choose_spaces
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import picture_addresses

_MAP = Canvas(900.0, 560.0)
#: Up to so many objects have their names in the map.
_NAMED = 150


@tab(PAGE, "What is left over", 5, needs=choose_spaces, slot=f"{PAGE}.left_over")
def show_left_over(context: FeaturesContext) -> None:
    """The map of what people see beyond the features."""
    context = context.without_doubles(whole=True)
    picture, side = context.picture_and_side()
    with side:
        run = context.result(
            "left_over", "Mapping what is left over",
            "Fits a map beside the features, and asks whether it predicts held-out trials.",
        )
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute maps what people see that the features do not tell, and says whether it "
                "is more than noise.",
            )
            return
        _show(context, run.result())


def _show(context: FeaturesContext, found: LeftOver) -> None:
    objects = context.answers.objects
    positions = np.where(found.placed[:, None], found.embedding, np.nan)
    doubtful = "" if found.is_something else " It may be of noise: it does not help to predict."
    text = (
        f"Map of what {', '.join(context.names)} leave{'s' * (len(context.names) == 1)} over: "
        f"objects that lie apart look more different than their features say. {context.size}"
        f"{doubtful}"
    )
    data = MapData(
        positions, objects, None, picture_addresses(context.info, objects, 64), context.selected
    )
    style = MapStyle("labels" if len(objects) <= _NAMED else "points")

    def draw(canvas: Canvas) -> Any:
        return embedding_map(data, style, caption=text, revision=text, canvas=canvas)

    def places() -> pd.DataFrame:
        axes = [f"x{c + 1}" for c in range(positions.shape[1])]
        return pd.concat([objects, pd.DataFrame(positions, columns=axes)], axis=1)

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.left_over", canvas=_MAP, caption=text, table=places,
        alt=f"Map of {count(int(found.placed.sum()), 'object')}. {text}",
        name=export.file_name(context.info.name, "features", "left-over"),
        on_pick=context.session.select_positions,
    )
    for sentence in verdicts(found):
        st.markdown(f"- {panels.plain(sentence)}")
    table = rest_of(found)
    about = (
        "Deviance of guessing that each explains on held-out trials, with 95 % intervals"
        f" over objects and, at once,{over_units(found.unit, found.n_units)}. {context.size}"
    )

    def rows(canvas: Canvas) -> Any:
        return interval_rows(table, value="deviance explained", caption=about, canvas=canvas)

    panels.figure_panel(
        context.session, rows, key=f"{PAGE}.left_over.parts", caption=about, alt=about,
        canvas=Canvas(900.0, rows_height(len(table))), table=lambda: table,
        name=export.file_name(context.info.name, "features", "left-over-parts"),
    )


def verdicts(found: LeftOver) -> list[str]:
    """What the map is worth, as sentences."""
    accuracy = ", ".join(
        f"{part} {interval(value, low, high)}" for part, value, low, high in zip(
            found.parts, found.accuracy, found.accuracy_low, found.accuracy_high, strict=True
        )
    )
    gain = interval(found.gain, found.gain_low, found.gain_high)
    beyond = interval(found.beyond, found.beyond_low, found.beyond_high)
    worse = "is not seen to predict worse"
    said = [
        f"Something is left over: beside the features, the map explains {gain} more of the "
        "deviance of held-out trials." if found.is_something else
        f"No more than chance is seen to be left over: beside the features, the map explains "
        f"{gain} of the deviance of held-out trials. Do not read the map.",
        f"Features help a map that knows none of them, by {beyond}." if found.beyond_low > 0 else
        f"A map without any features {'predicts better' if found.beyond_high < 0 else worse} "
        f"({beyond}): it can learn of the objects what features tell.",
        f"Accuracy on held-out trials, where chance is {found.chance:.3f}: {accuracy}.",
    ]
    return said
