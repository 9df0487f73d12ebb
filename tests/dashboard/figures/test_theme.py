"""How figures are set for files: letters have room, and what is drawn keeps its own."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.theme import (
    FONT_SIZE,
    Canvas,
    finished,
    panelled,
    template,
    with_rows,
)

COLUMN = Canvas(390.0, 186.0, screen=False, most=1014.0)


def curves(canvas: Canvas, names: int = 1, title: str = "error") -> go.Figure:
    figure = go.Figure([go.Scatter(y=[1, 2], name=f"a rather long name {k}") for k in range(names)])
    figure.update_layout(template=template(canvas), xaxis_title="answers", yaxis_title=title)
    return finished(figure, "A caption.", canvas)


def test_a_legend_on_a_page_stands_below_the_tools_where_it_would_reach_them():
    screen = Canvas(900.0, 430.0)
    assert curves(screen, names=2).layout.margin.t == curves(screen).layout.margin.t
    assert curves(screen, names=6).layout.margin.t >= curves(screen).layout.margin.t + 20


def test_a_narrow_file_is_higher_by_what_its_letters_take():
    screen = Canvas(900.0, 430.0)
    assert curves(screen).layout.height is None
    fixed = curves(Canvas(390.0, 186.0, screen=False), 2)
    assert curves(COLUMN, 2).layout.height > fixed.layout.height + 10
    more = [curves(COLUMN, names).layout.height for names in (1, 2, 4, 6)]
    assert more == sorted(set(more)), "lines of the legend"
    wide = Canvas(1215.0, 583.0, screen=False, most=3159.0)
    assert curves(wide).layout.height == pytest.approx(
        curves(Canvas(1215.0, 583.0, screen=False)).layout.height
    ), "there they had room"


def test_long_titles_of_axes_are_broken_rather_than_cut():
    title = "root mean square error of what was held out & predicted"
    figure = curves(COLUMN, title=title)
    lines = figure.layout.yaxis.title.text.split("<br>")
    assert len(lines) > 1
    assert " ".join(lines) == title.replace("&", "&amp;")
    plot = figure.layout.height - 5.1 * FONT_SIZE - 1.82 * 0.85 * FONT_SIZE  # and caption
    assert max(width_of(lines, 1.2 * FONT_SIZE)) <= plot
    assert figure.layout.xaxis.title.text == "answers"
    marked = "n<sub>0</sub> of all the leaves of all the trees"
    assert curves(COLUMN, title=marked).layout.yaxis.title.text == marked


def test_panels_stand_where_their_titles_have_room():
    titles = [f"observer {k} (100)" for k in range(8)]
    across, canvas = panelled(titles, 4, Canvas(900.0, 500.0))
    assert (across, canvas.height) == (4, 500.0)
    across, canvas = panelled(titles, 4, COLUMN)
    assert across < 4
    assert canvas.height > COLUMN.height * 8 / across / 2, "each is wider, and so is its height"
    assert panelled(["x" * 200], 4, COLUMN)[0] == 1
    assert panelled(titles, 4, Canvas(390.0, 186.0, screen=False))[1].height == 186.0


def test_rows_have_room_up_to_the_length_of_a_column():
    heights = [with_rows(COLUMN, n).height for n in (3, 20, 40, 1_000, 10_000)]
    assert heights[0] == COLUMN.height
    assert heights[1] > 1.2 * 20 * FONT_SIZE
    assert heights == sorted(heights)
    assert heights[-1] == heights[-2] == pytest.approx(2.6 * COLUMN.width)
    assert with_rows(Canvas(390.0, 186.0, screen=False), 40).height == 186.0


def test_captions_of_several_lines_stand_below_the_frame():
    def top(words: str) -> float:
        canvas = Canvas(417.0, 260.0, screen=False)
        figure = go.Figure(go.Scatter(y=[1, 2])).update_layout(template=template(canvas))
        figure.update_xaxes(showticklabels=False)
        figure = finished(figure, words, canvas)
        return figure.layout.margin.b - figure.layout.title.y * figure.layout.height

    # From the frame to where plotly puts a single line's top, or the base line of the first one.
    assert top("Short.") == pytest.approx(0.9 * 0.85 * FONT_SIZE)
    assert top("Long. " * 40) == pytest.approx(1.6 * 0.85 * FONT_SIZE)


def test_a_plot_above_numbers_is_no_strip():
    low = Canvas(390.0, 49.0, screen=False, most=1014.0)
    one, two = (curves(low, names).layout.height for names in (1, 4))
    assert one > 11 * FONT_SIZE
    assert two > one, "a legend takes nothing of it"
    nameless = go.Figure(go.Box(x=[1, 2])).update_layout(template=template(low))
    assert finished(nameless, "", low).layout.height < one, "a row of points needs no height"


def test_long_titles_along_bars_of_colours_are_broken_rather_than_cut():
    def title(words: str) -> str:
        bar = {"title": {"text": words, "side": "right"}}
        figure = go.Figure(go.Heatmap(z=[[1, 2], [3, 4]], colorbar=bar))
        figure.update_layout(template=template(COLUMN))
        return finished(figure, "", COLUMN).data[0].colorbar.title.text

    assert title("share") == "share"
    assert title("share of the objects in a cluster") == "share of the objects<br>in a cluster"


@pytest.mark.parametrize(("names", "side"), [(2, None), (8, "top")])
def test_a_legend_of_several_lines_has_its_title_above(names, side):
    figure = go.Figure([go.Scatter(y=[1, 2], name=f"class {k}") for k in range(names)])
    figure.update_layout(template=template(COLUMN), legend_title_text="kind of object")
    assert finished(figure, "", COLUMN).layout.legend.title.side == side
