"""Pictures of a report's figures, cached by content."""

from __future__ import annotations

from functools import lru_cache

import plotly.graph_objects as go
import plotly.io

from tripletscope.dashboard.print.composition import Composition, composed
from tripletscope.dashboard.print.render import as_form, svg_of
from tripletscope.dashboard.report.document import WIDTH
from tripletscope.dashboard.results import Drawing


def picture(drawing: Drawing, form: str, width: float = WIDTH) -> bytes:
    """A figure without its caption.

    form: one of {"svg", "pdf", "png"}.
    width: In millimetres.
    """
    composition = Composition(width=width, font=8.5 if width == WIDTH else 8.0, caption=False)
    figure = composed(drawing.draw, composition, drawing.ratio)
    return as_form(_svg(figure.to_json()), form, composition.dpi)


@lru_cache(maxsize=128)
def _svg(figure: str) -> str:
    return svg_of(plotly.io.from_json(figure, skip_invalid=True))


def on_screen(drawing: Drawing) -> go.Figure:
    """A figure that can be zoomed, as wide as its place."""
    return drawing.figure().update_layout(width=None)
