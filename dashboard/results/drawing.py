"""A figure of a result, for a page, a notebook or a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.print.render import form_of, render

_WIDTH = 760.0  # in a notebook, in pixels


@dataclass(frozen=True)
class Drawing:
    """A figure that belongs to results.

    Parameters
    ----------
    name : str
        In a word, such as "map" or "dendrogram"; unique in a list.
    title : str
        In a few words.
    caption : str
        Method, data and meaning.
    alt : str
        Description for readers who do not see it.
    ratio : float
        Height divided by width.
    draw : callable
        Draws it for a `Canvas`.
    table : callable
        Makes the numbers behind it, as a DataFrame.
    runs : tuple of str
        Keys of its results.
    picks : bool
        Whether clicks select objects.
    is_half : bool
        Whether a page has it beside the next or the last one, if that is a half, too.
    is_folded : bool
        Whether a page folds it away.
    saved_as : str
        Name of its files on a page, if not `name`.
    note : str
        Ends the caption in its files.

    Examples
    --------
    >>> import pandas as pd
    >>> import plotly.graph_objects as go
    >>> import tripletscope as ts
    >>> drawing = ts.figures.Drawing(
    ...     name="line", title="A line", caption="Two points.", alt="A rising line.", ratio=0.5,
    ...     draw=lambda canvas: go.Figure(go.Scatter(x=[0, 1], y=[0, 1])),
    ...     table=lambda: pd.DataFrame({"x": [0, 1], "y": [0, 1]}))
    >>> drawing.figure(400).layout.height
    200.0
    """

    name: str
    title: str
    caption: str
    alt: str
    ratio: float
    draw: Callable[[Canvas], go.Figure]
    table: Callable[[], pd.DataFrame]
    runs: tuple[str, ...] = ()
    picks: bool = False
    is_half: bool = False
    is_folded: bool = False
    saved_as: str = ""
    note: str = ""

    def __repr__(self) -> str:
        return f"<Drawing {self.name!r}: {self.title}>"

    def figure(self, width: float = _WIDTH) -> go.Figure:
        """The figure for a screen, as in a notebook; `width` in pixels."""
        height = width * self.ratio
        return self.draw(Canvas(width, height)).update_layout(
            width=width, height=height, paper_bgcolor="white", plot_bgcolor="white",
        )

    @cached_property
    def on_page(self) -> str:
        """The figure as JSON for a page, as wide as its place; drawn once."""
        clear = "rgba(0,0,0,0)"
        return self.figure().update_layout(
            width=None, paper_bgcolor=clear, plot_bgcolor=clear
        ).to_json()

    def file(self, form: str, composition: Composition | None = None) -> bytes:
        """The figure as a file.

        form: one of {"svg", "pdf", "png", "html"}.
        composition: Size, letters and so on.
        """
        return render(self.draw, form, composition, ratio=self.ratio, note=self.note)

    def save(self, path: str | Path, composition: Composition | None = None) -> None:
        """Write the figure to a file whose name ends in .svg, .pdf, .png or .html."""
        Path(path).write_bytes(self.file(form_of(path), composition))
