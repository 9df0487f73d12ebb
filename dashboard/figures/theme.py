"""The look of figures: palette, template, captions, legends."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from tripletscope.dashboard.figures.fonts import width_of, wrapped
from tripletscope.dashboard.figures.labels import escape

#: Categories, in order of use: Okabe & Ito's (2008) colours for colour-blind readers, without
#: the yellow that vanishes on white and the black that vanishes at night, then two greys.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7A6A9B", "#8C6D31",
    "#5F6B6D", "#A5AFB1",
)
#: Symbols tell categories apart without colour, and further ones once colours are used up.
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star", "triangle-down", "cross")
#: Quantities: viridis without its darkest part and without its palest.
SEQUENTIAL = sample_colorscale("Viridis", [0.16 + 0.08 * step for step in range(11)])
#: Their replacement at night, when their dark end would vanish.
AT_NIGHT = sample_colorscale("Viridis", [0.4 + 0.06 * step for step in range(11)])
#: Quantities on both sides of 0, which is a grey that neither light nor dark pages swallow.
DIVERGING = (
    [0.0, "#A34700"], [0.25, "#E08B4C"], [0.5, "#DDE1E2"], [0.75, "#4C9ACA"], [1.0, "#004F80"]
)
FONT = "Source Sans, Source Sans Pro, Helvetica, Arial, sans-serif"
TEXT, FAINT, GRID = "#1D2729", "#5F6B6D", "#D7DFE0"
#: Size of the text of every figure in pixels; files are drawn like this and then scaled.
FONT_SIZE = 13.0
#: Height of legend and axes on a page, as a share of the width; of numbers and title of an axis,
#: and of a line of a legend, in sizes of the letters.
_AROUND, _AXIS, _ENTRY = 0.12, 3.6, 1.75
#: Pixels of the tool bar of a page, with room beside it, and of the mark of an entry of a legend.
TOOLS, _ROOM = 200.0, 40.0
#: Height of a plot above numbered axes of a file that grows, at least, in sizes of the letters.
_PLOT = 11.0
#: Margins above and below a plot, in sizes of the letters.
_EDGES = 1.5
#: Title of an axis, and an entry's mark in a legend, in sizes of the letters.
_TITLE, _MARK = 1.2, 3.6
#: Highest height of a file that grows, divided by its width; of a page in pixels, and of larger
#: sheets, divided by their width.
_LONGEST, _PAGE, _SHEET = 2.6, 240 * 96 / 25.4, 4 / 3


@dataclass(frozen=True)
class Canvas:
    """Size and settings that a figure is drawn for.

    width, height: In pixels at `FONT_SIZE`; a typical width on the screen. A file is scaled.
    screen: For the page, which replaces colours of text and lines, or for a file.
    note: Ends the caption of a file.
    named: Whether points have names.
    legend: above, right, none, or a corner like "top left".
    most: Highest height of a file that grows with its content; None of one that does not.
    is_measured: Whether the page has told the size that the figure has there.
    """

    width: float = 900.0
    height: float = 620.0
    screen: bool = True
    note: str = ""
    captioned: bool = True
    named: bool = True
    legend: str = "above"
    most: float | None = None
    is_measured: bool = False

    @property
    def least_width(self) -> float:
        """The width of a file, or as measured; else one that pages seldom fall below."""
        return min(self.width, NARROW) if self.screen and not self.is_measured else self.width


SCREEN = Canvas()
#: Pixels that a page nearly always has for a figure beside its settings.
NARROW = 580.0


def template(canvas: Canvas) -> go.layout.Template:
    axis = {
        "gridcolor": GRID, "linecolor": GRID, "zerolinecolor": GRID, "tickcolor": GRID,
        "automargin": True, "title": {"standoff": 0.6 * FONT_SIZE},
        # Plotly would measure every label again and again, four seconds for 300 of them; margins
        # make room for all.
        "ticklabeloverflow": "allow",
    }
    ground = "rgba(0,0,0,0)" if canvas.screen else "#FFFFFF"
    small = {"size": 0.92 * FONT_SIZE}
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": FONT_SIZE, "color": TEXT},
            "paper_bgcolor": ground,
            "plot_bgcolor": ground,
            "colorway": list(PALETTE),
            # The page knows by these which colours to exchange at night.
            "colorscale": {"sequential": SEQUENTIAL, "sequentialminus": AT_NIGHT},
            "xaxis": axis,
            "yaxis": axis,
            "margin": dict.fromkeys("lrtb", 0.6 * FONT_SIZE),
            "legend": {
                "orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": small,
                "itemsizing": "constant", "title": {"font": small},
                "bgcolor": "rgba(0,0,0,0)",  # not over the frame
            },
            "hoverlabel": {"align": "left", "font": {"family": FONT, "size": FONT_SIZE}},
            "dragmode": "lasso",
        }
    )


def with_caption(figure: go.Figure, text: str, canvas: Canvas) -> go.Figure:
    """The look of a figure, and its caption below it in a file, which grows; a page shows that."""
    text = f"{text} {canvas.note}".strip()
    figure.update_layout(template=template(canvas))
    if canvas.screen:
        return figure
    _set_legend_title(figure, canvas)
    canvas = _with_room(figure, canvas)
    if not (canvas.captioned and text):
        return figure.update_layout(height=canvas.height)
    size, edge = 0.85 * FONT_SIZE, 0.6 * FONT_SIZE
    lines = wrapped(text, canvas.width - 2 * edge, size)
    text = "<br>".join(map(escape, lines))
    height = 1.32 * size * len(lines) + 0.5 * size
    whole = canvas.height + height
    # Plotly knows no captions; its title may stand at the foot.
    title = {
        "text": text, "font": {"size": size, "color": FAINT}, "x": edge / canvas.width,
        "xref": "container", "xanchor": "left", "yref": "container",
    }
    if _has_numbers(figure):
        # It makes room for itself below the numbers and titles of axes. At 0 itself plotly would
        # move all lines but the first out of the figure.
        title |= {"automargin": True, "y": 1e-6, "yanchor": "bottom", "pad": {"b": 0.5 * size}}
        return figure.update_layout(title=title, height=whole)
    # Of several lines plotly puts the first one's base line there, of one its top.
    lower = 0.7 * size if len(lines) > 1 else 0.0
    title |= {"y": (height - lower) / whole, "yanchor": "top"}
    return figure.update_layout(title=title, height=whole, margin_b=height + 0.9 * size)


def _has_numbers(figure: go.Figure) -> bool:
    """Whether there are numbers or names below the figure."""
    return any(axis.visible is not False and axis.showticklabels is not False
               for axis in figure.select_xaxes())


def _with_room(figure: go.Figure, canvas: Canvas) -> Canvas:
    """The canvas of a file, higher by what legend and axes take more than they do on a page.

    Long titles of axes and colour bars are broken into lines.
    """
    if not _has_numbers(figure):
        return canvas
    around = _AXIS * FONT_SIZE + legend_height(figure, canvas)
    if canvas.most is not None:
        missing = max(around - _AROUND * canvas.width, 0.0)
        canvas = replace(canvas, height=canvas.height + missing)
        if _is_numbered(figure):
            canvas = replace(canvas, height=max(canvas.height, around + _PLOT * FONT_SIZE))
    size, high = _TITLE * FONT_SIZE, canvas.height - around
    for trace in figure.data:
        bar = getattr(trace, "colorbar", None)
        if bar and bar.title.side == "right" and bar.title.text:
            bar.title.text = broken(bar.title.text, max(high, 6 * size), size)
    for axes, length in (
        (figure.select_xaxes(), canvas.width - 5 * FONT_SIZE),
        (figure.select_yaxes(), high - _EDGES * FONT_SIZE),
    ):
        for axis in axes:
            text = axis.title.text or ""
            if text.strip() and not ("<" in text or axis.domain):
                axis.title.text = broken(text, max(length, 6 * size), size)
    return canvas


def broken(title: str, length: float, size: float) -> str:
    lines = wrapped(html.unescape(title), length, size)
    return "<br>".join(map(escape, lines))


def _is_numbered(figure: go.Figure) -> bool:
    """Whether there is a single plot, and a quantity along its height."""
    first, *further = figure.select_yaxes()
    return not further and bool((first.title.text or "").strip()) and not first.domain


def _set_legend_title(figure: go.Figure, canvas: Canvas) -> None:
    """Write the title of a legend of several lines above it: beside it, plotly cuts the lines."""
    if canvas.legend == "above" and figure.layout.legend.title.text and (
        _legend_lines(figure, canvas) > 1
    ):
        figure.update_layout(legend_title_side="top")


def legend_height(figure: go.Figure, canvas: Canvas) -> float:
    """Height in pixels of a legend above a figure."""
    if canvas.legend != "above":
        return 0.0
    lines = _legend_lines(figure, canvas) + (figure.layout.legend.title.side == "top")
    return _ENTRY * FONT_SIZE * lines


def _legend_lines(figure: go.Figure, canvas: Canvas) -> int:
    """Number of lines of a legend above a figure; plotly aligns the entries."""
    names, title = _legend_of(figure)
    if not names:
        return 0
    entry = 0.92 * FONT_SIZE
    widest = float(width_of(names, entry).max())
    beside = float(width_of([title], entry)[0]) if title else 0.0
    if len(names) * (widest + _MARK * FONT_SIZE) + beside <= canvas.width:
        return 1
    return math.ceil(len(names) / max(int(canvas.width // (widest + _MARK * FONT_SIZE)), 1))


def _legend_of(figure: go.Figure) -> tuple[list[str], str]:
    """Entries of the legend of a figure, none if it has no legend, and its title."""
    names = [trace.name for trace in figure.data if trace.name and trace.showlegend is not False]
    shown = figure.layout.showlegend
    if shown is False or (len(names) < 2 and not shown):
        names = []
    title = figure.layout.legend.title.text or ""
    return [html.unescape(name) for name in names], html.unescape(title)


def meets_tools(names: Sequence[str], title: str, canvas: Canvas) -> bool:
    """Whether a legend above a figure on a page reaches as far as its tool bar."""
    if not names:
        return False
    written = width_of([*names, title], 0.92 * FONT_SIZE)
    return float(written.sum()) + _ROOM * len(names) > canvas.least_width - TOOLS


def panelled(titles: Sequence[str], most: int, canvas: Canvas) -> tuple[int, Canvas]:
    """Number of panels side by side, so that titles have room, and the canvas, higher for more
    rows.
    """
    columns = min(len(titles), most)
    if canvas.screen or not titles:
        return columns, canvas
    widest = float(width_of(titles, FONT_SIZE).max()) + FONT_SIZE
    fitting = min(columns, max(int((canvas.width - 6 * FONT_SIZE) // widest), 1))
    if canvas.most is not None:
        times = math.ceil(len(titles) / fitting) / math.ceil(len(titles) / columns)
        # Wider panels of the same shape are higher, too.
        canvas = replace(canvas, height=canvas.height * times * columns / fitting)
    return fitting, canvas


def with_rows(canvas: Canvas, n_rows: float) -> Canvas:
    """A canvas with room for so many lines, where a file may be higher, up to `most`."""
    if canvas.most is None:
        return canvas
    needed = 1.3 * FONT_SIZE * n_rows + _AROUND * canvas.width
    return replace(canvas, height=max(canvas.height, min(needed, canvas.most)))


def longest(width: float) -> float:
    """The highest default height in pixels of a file of this width."""
    return min(_LONGEST * width, max(_PAGE, _SHEET * width))


def finished(figure: go.Figure, caption: str, canvas: Canvas, top: float = 34.0) -> go.Figure:
    """A figure below the tool bar of a page, so many pixels, or above its caption in a file."""
    if canvas.screen:
        names, title = _legend_of(figure)
        if canvas.legend == "above" and meets_tools(names, title, canvas):
            narrow = replace(canvas, width=canvas.least_width)
            top += _ENTRY * FONT_SIZE * _legend_lines(figure, narrow)
        figure.update_layout(margin_t=top)
    return with_caption(figure, f"{caption} {remark(figure)}".strip(), canvas)


def note_hidden(figure: go.Figure, n_hidden: int, n_labels: int) -> None:
    """Note in a figure, for its caption, how many of its labels have no room."""
    if n_hidden > 0:
        note(figure, f"{n_hidden:,} of {n_labels:,} labels hidden.")


def note(figure: go.Figure, sentence: str) -> None:
    """Note a sentence in a figure, for the end of its caption."""
    figure.update_layout(meta={"remark": f"{remark(figure)} {sentence}".strip()})


def remark(figure: go.Figure) -> str:
    return (figure.layout.meta or {}).get("remark", "")
