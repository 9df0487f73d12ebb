"""How items of Lohaus, Hennig & von Luxburg (2019) are drawn."""

from typing import Any

from docs.charts.chart import Chart


def _quantities(x_title: str, column: str, value: str, **further: Any) -> Chart:
    """Several quantities beside each other, of the rows in which a column has a value."""
    usual = {"x": "x", "series": "curve", "panel": "quantity"}
    return Chart("lines", y="y", spread="spread", x_title=x_title, y_title=" ",
                 where={column: value}, title=value, **usual | further)


def _recomputed(series: str) -> Chart:
    """Numbers of the program against those by the definition."""
    return Chart("points", "definition", "program", series=series, x_title="by the definition",
                 y_title="by the program")


_BY_NOISE = _quantities("noise", "part", "increasing noise")
_BY_ANSWERS = _quantities(
    "% of all comparisons", "part", "increasing number of answers", log_x=True
)
_ACTIVE = {
    title: _quantities("answers", "title", title, series="way") for title in ("STE", "t-STE")
}
_SOURCES = {
    source: _quantities("threshold", "source", source, x="threshold")
    for source in ("Bootstrap", "Bayesian, as published", "Bayesian, long chains")
}
CHARTS = {
    "uncertainty-figure-1": Chart(
        "lines", "x", "y", series="curve", x_title="stimulus", y_title="perception"
    ),
    "uncertainty-figure-2": (
        _quantities("dimensions", "part", "dimension"), _BY_NOISE, _BY_ANSWERS,
    ),
    "uncertainty-figure-3": _SOURCES["Bootstrap"],
    "uncertainty-figure-4": (
        Chart(
            "lines", "x", "y", series="panel", x_title="stimulus", y_title="place on the scale",
            where={"part": "map", "curve": "r = 0.1, as published"}, title="mean scales",
        ),
        Chart(
            "bars", "stimulus", "spread", series="panel", y_title="standard deviation",
            where={"part": "spread of nine stimuli", "curve": "r = 0.1, as published"},
            title="spread of nine stimuli",
        ),
    ),
    "uncertainty-figure-5": _ACTIVE["STE"],
    "uncertainty-figure-6": (
        Chart(
            "lines", "x", "y", series="curve", spread="spread", x_title="stimulus",
            y_title="perception", where={"part": "process", "length": 0.54},
            title="observers, l = 0.54",
        ),
        Chart(
            "lines", "x", "y", panel="panel", spread="spread", x_title="stimulus",
            y_title="place on the scale", where={"part": "map", "curve": "r = 0.1, as published"},
            title="scales with error bars",
        ),
    ),
    "uncertainty-figure-7": tuple(
        _quantities("dimensions", "quantity", quantity, panel="panel")
        for quantity in ("average uncertainty", "STE loss per answer")
    ),
    "uncertainty-figure-8": Chart("map", "x", "y"),
    "uncertainty-figure-9": (_BY_NOISE, _BY_ANSWERS),
    "uncertainty-figure-10": tuple(_SOURCES.values()),
    "uncertainty-figure-11": tuple(_ACTIVE.values()),
    "uncertainty-figure-12": tuple(_ACTIVE.values()),
    "uncertainty-figure-13": _ACTIVE["t-STE"],
    "uncertainty-table-1": Chart(
        "bars", "data", "y", panel="what", published="published", x_title=" ", y_title=" "
    ),
    "uncertainty-appendix-b": Chart(
        "lines", "x", "y", series="prior", panel="quantity", spread="spread",
        x_title="% of all comparisons", y_title=" ", log_x=True,
    ),
    "uncertainty-section-3.3": Chart(
        "points", "equation 4", "vote", series="answers", panel="source",
        x_title="mean squared error of equation 4", y_title="of the vote",
    ),
    **{f"uncertainty-equation-{number}": _recomputed("what") for number in (1, 2, 4, 5, 6)},
    "uncertainty-equation-3": _recomputed("sampler"),
}
