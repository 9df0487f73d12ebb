"""The renderer of charts: layers on two axes."""

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Bars, Level, Series
from tripletscope.dashboard.figures.series import series_of

TABLE = pd.DataFrame({
    "kind": ["a", "a", "<b>", "<b>"], "name": ["x", "y", "x", "y"],
    "value": [0.2, 0.4, 0.3, np.nan],
    "low": [0.1, 0.3, 0.2, np.nan], "high": [0.4, 0.6, 0.5, np.nan],
})


def rows(table: pd.DataFrame, by: str = "kind") -> Plot:
    layers = series_of(table, by, "value", "name", names=["x", "y"], spacing=0.2)
    return Plot([*layers, Level(at=0.5, note="chance")], Axis("value"), Axis(names=["x", "y"]))


def test_in_rows_quantities_are_from_left_to_right():
    figure = rows(TABLE).figure()
    first, second = figure.data
    np.testing.assert_allclose(first.error_x.array, [0.2, 0.2])
    np.testing.assert_allclose(first.error_x.arrayminus, [0.1, 0.1])
    assert first.error_y.array is None
    assert list(second.x) == [0.3], "rows without a value are left out"
    assert first.y[0] < 0 < second.y[0]
    assert list(figure.layout.yaxis.range) == [1.5, -0.5], "the first row is on top"
    (level,) = figure.layout.shapes
    assert level.x0 == level.x1 == 0.5


def test_a_legend_is_there_for_several_names_which_are_written_literally():
    figure = rows(TABLE).figure()
    assert figure.layout.showlegend
    assert [trace.name for trace in figure.data] == ["a", "&lt;b&gt;"]
    alone = rows(TABLE[:2]).figure()
    assert not alone.layout.showlegend
    assert not alone.data[0].showlegend


def test_an_entry_of_a_legend_hides_a_line_with_its_band():
    lines = series_of(TABLE[:3].assign(at=[1, 2, 1]), "kind", "at", "value", line=True, band=True)
    band, line, *_ = Plot(lines, Axis(), Axis()).figure().data
    assert band.fill == "toself"
    assert band.legendgroup == line.legendgroup == "a"
    assert not band.showlegend
    assert line.error_y.array is None


def test_axes_are_of_all_that_is_drawn():
    points = Series(x=[10.0, 100.0], y=[1, 2], low=[1, 1], high=[2, 4])
    mark = Level(at=1000.0, note="mark", upright=True)
    layout = Plot([points, mark], Axis("x", "log", room=2.0), Axis("y", "whole")).figure().layout
    np.testing.assert_allclose(10.0 ** np.array(layout.xaxis.range), [5.0, 2000.0])
    assert layout.yaxis.dtick == 1
    (note,) = layout.annotations
    assert note.x == pytest.approx(3.0), "notes stand at the logarithm"
    bars = Plot([Bars(at=[1, 2], length=[3, 3])], Axis(), Axis("n", "whole")).figure()
    assert bars.layout.yaxis.dtick == 1, "bars begin at 0"


def test_only_points_that_are_objects_can_be_selected_and_have_rings():
    points = Series(x=[1, 2], y=[1, 2], objects=[4, 7])
    figure = Plot([points, None], Axis(), Axis(), selected=[7]).figure()
    assert figure.layout.dragmode == "lasso"
    _, ring = figure.data
    assert list(ring.x) == [2]
    assert Plot([Series(x=[1], y=[1])], Axis(), Axis()).figure().layout.dragmode == "zoom"


def test_names_without_room_are_said_to_be_hidden():
    names = [f"name {k}" for k in range(40)]
    bars = Bars(at=np.arange(40), length=np.ones(40))
    figure = Plot([bars], Axis(names=names, pitch=4.0), Axis()).figure()
    shown = len(figure.layout.xaxis.ticktext)
    assert 0 < shown < 40
    assert figure.layout.meta["remark"] == f"{40 - shown} of 40 labels hidden."


def test_a_declared_chart_keeps_its_view_under_its_name():
    @as_figure
    def quantities(revision: str = "") -> Plot:
        return Plot([], Axis("<x>"), Axis(), revision=revision)

    figure = quantities(caption="Words.")
    assert figure.layout.uirevision == "quantities"
    assert figure.layout.xaxis.title.text == "&lt;x&gt;"
    assert quantities("other").layout.uirevision == "other"
