"""Pictures of a report's figures, cached by content."""

from __future__ import annotations

from functools import lru_cache

import plotly.graph_objects as go
import plotly.io

from tripletscope.dashboard.print.composition import Composition, composed
from tripletscope.dashboard.print.render import as_form, svg_of
from tripletscope.dashboard.results import Drawing

#: Width of the text of a page.
WIDTH = 165.0
_COMPOSITION = Composition(width=WIDTH, font=8.5, caption=False)


def picture(drawing: Drawing, form: str) -> bytes:
    """A figure without its caption, as wide as the text of a page.

    form: one of {"svg", "pdf", "png"}.
    """
    figure = composed(drawing.draw, _COMPOSITION, drawing.ratio)
    return as_form(_svg(figure.to_json()), form, _COMPOSITION.dpi)


@lru_cache(maxsize=128)
def _svg(figure: str) -> str:
    return svg_of(plotly.io.from_json(figure, skip_invalid=True))


def on_screen(drawing: Drawing) -> go.Figure:
    """A figure that can be zoomed, as wide as its place."""
    return drawing.figure().update_layout(width=None)
