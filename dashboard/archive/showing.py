"""Figures in a notebook, visible offline and in conversions."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from dataclasses import dataclass

from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results import Drawing

#: As wide as the text of a notebook, which has the caption.
_ON_PAGE = Composition(width=160.0, caption=False, dpi=150)


@dataclass(frozen=True)
class NotebookFigure:
    """A figure for Jupyter.

    number: In its cell, from 1.
    still: Whether as a picture, not interactive.
    """

    drawing: Drawing
    number: int
    still: bool

    def __repr__(self) -> str:
        return f"Figure: {self.drawing.title}. {self.drawing.caption}"

    def _repr_mimebundle_(self, **filters: object) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if self.still:
            # The picture alone is for conversions without HTML, such as PDF.
            bundle["image/png"] = base64.b64encode(
                self.drawing.file("png", _ON_PAGE)
            ).decode()
            alt = html.escape(self.drawing.alt, quote=True)
            inner = (
                f'<img alt="{alt}" style="width: 640px; max-width: 100%" '
                f'src="data:image/png;base64,{bundle["image/png"]}">'
            )
        else:
            # Each cell has the library, of megabytes, once: no network is needed.
            inner = self.drawing.figure().to_html(
                full_html=False, include_plotlyjs=self.number == 1
            )
        caption = f"<b>{html.escape(self.drawing.title)}.</b> {html.escape(self.drawing.caption)}"
        bundle["text/html"] = f"<figure>{inner}<figcaption>{caption}</figcaption></figure>"
        return bundle


def show(drawings: Iterable[Drawing], *, still: bool | None = None) -> None:
    """Show figures below a cell of a notebook.

    still: As pictures, which a Chrome or Chromium of this machine draws; by default, if there is
        one. Interactive figures add 5 MB to the notebook.
    """
    try:
        from IPython.display import display
    except ImportError:  # no notebook
        display = print
    as_pictures = can_render() if still is None else still
    for number, drawing in enumerate(drawings, 1):
        display(NotebookFigure(drawing, number, as_pictures))
