"""How items of Haghiri, Garreau & von Luxburg (2018) are drawn."""

from typing import Any

from docs.charts.chart import Chart

#: Shapes that are drawn as they are.
_DRAWN = Chart("curves", "x", "y", series="kind", where={"row": "drawn"})


def _by_trees(kind: str, series: str, y_title: str, **further: Any) -> Chart:
    """Errors on several data sets by the number of trees."""
    return Chart(kind, "trees", "error", series=series, panel="data", spread="spread",
                 x_title="trees M", y_title=y_title, **further)


def _wl_errors(counts: str) -> Chart:
    """Errors on graphs by what is counted in them."""
    return Chart("bars", "data", "error", series="method", spread="spread", published="published",
                 y_title="error, %", where={"counts": counts}, title=counts)


def _cuts(about: str) -> Chart:
    """How probable cuts are, by the width of cells."""
    return Chart("lines", "ratio", "share", series="curve", panel="cell",
                 x_title="Diameter over radius c", y_title="Probability", log_x=True, log_y=True,
                 where={"about": about})


CHARTS = {
    "forests-figure-1": Chart("map", "x", "y", series="kind", panel="step", outline="outline"),
    "forests-figure-2": _by_trees("lines", "forest", "error, %", log_x=True),
    "forests-figure-3": _by_trees("lines", "forest", "RMSE", log_x=True),
    "forests-figure-4": _by_trees("bars", "method", "error, %"),
    "forests-table-1": Chart(
        "bars", "data", "error", series="method", published="published", y_title="error, %"
    ),
    "forests-table-2": Chart(
        "bars", "method", "error", panel="data", spread="spread", published="published",
        y_title="RMSE",
    ),
    "forests-table-3": (_wl_errors("WL-subtree"), _wl_errors("WL-edge")),
    "forests-algorithm-1": Chart(
        "lines", "leaf_size", "questions", series="counted", x_title="leaf size n₀",
        y_title="questions per tree", log_x=True, log_y=True,
    ),
    "forests-algorithm-2": Chart(
        "bars", "case", "error", series="forest", spread="spread", y_title="error, %"
    ),
    "forests-theorem-3.1": Chart(
        "lines", "n", "error", series="classifier", spread="spread", x_title="Objects n",
        y_title="Error", log_x=True,
    ),
    "forests-definition-1": Chart("curves", "x", "y", panel="level"),
    "forests-proposition-3.1": Chart(
        "lines", "k", "share", series="cell", x_title="Levels k",
        y_title="Cells with a wide descendant", log_y=True,
    ),
    **{f"forests-supplement-figure-{number}": _DRAWN for number in (1, 2, 3, 7)},
    "forests-supplement-figure-8": Chart(
        "curves", "x", "y", series="kind", panel="panel", where={"row": "drawn"}
    ),
    "forests-supplement-figure-9": Chart(
        "bars", "trees", "error", series="embedding", spread="spread",
        x_title="trees M of the forest that asked", y_title="error, %",
    ),
    "forests-supplement-figure-10": (
        Chart(
            "bars", "data", "error", series="subsample", spread="spread", y_title="error, %",
            where={"task": "classification"}, title="classification",
        ),
        Chart(
            "bars", "data", "relative", series="subsample", y_title="square error / largest",
            where={"task": "regression"}, title="regression",
        ),
    ),
    "forests-supplement-table-1": Chart(
        "lines", "trees", "seconds", series="method", published="published", x_title="trees M",
        y_title="processor seconds", log_x=True, log_y=True,
    ),
    "forests-supplement-lemma-2.1": _cuts("good cuts"),
    "forests-supplement-lemma-2.2": _cuts("bad cuts"),
    **{f"forests-supplement-lemma-2.{number}": _DRAWN for number in (3, 4, 5)},
    "forests-supplement-lemma-2.6": Chart(
        "lines", "ratio", "share", series="where", x_title="Diameter over radius c",
        y_title="Width over its bound", log_x=True,
    ),
    "forests-supplement-remark-2.1": Chart(
        "bars", "distance", "wrong", x_title="Distance", y_title="Objects on the wrong side"
    ),
}
