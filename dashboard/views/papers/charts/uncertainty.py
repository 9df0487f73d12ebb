"""How items of Lohaus, Hennig & von Luxburg (2019) are drawn."""

from tripletscope.dashboard.views.papers.chart import Chart


def _recomputed(series: str) -> tuple[Chart, ...]:
    """Numbers of the program against those by the definition."""
    return (
        Chart(
            "points", "definition", "program", series=series, x_title="by the definition",
            y_title="by the program",
        ),
    )


CHARTS = {
    "uncertainty-figure-1": (
        Chart("lines", "x", "y", series="curve", x_title="stimulus", y_title="perception"),
    ),
    "uncertainty-figure-2": (
        Chart(
            "lines", "x", "y", series="curve", panel="quantity", spread="spread",
            x_title="dimensions", y_title=" ", where={"part": "dimension"}, title="dimension",
        ),
        Chart(
            "lines", "x", "y", series="curve", panel="quantity", spread="spread", x_title="noise",
            y_title=" ", where={"part": "increasing noise"}, title="increasing noise",
        ),
        Chart(
            "lines", "x", "y", series="curve", panel="quantity", spread="spread",
            x_title="% of all comparisons", y_title=" ", log_x=True,
            where={"part": "increasing number of answers"}, title="increasing number of answers",
        ),
    ),
    "uncertainty-figure-3": (
        Chart(
            "lines", "threshold", "y", series="curve", panel="quantity", spread="spread",
            x_title="threshold", y_title=" ", where={"source": "Bootstrap"}, title="Bootstrap",
        ),
    ),
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
    "uncertainty-figure-5": (
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "STE"}, title="STE",
        ),
    ),
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
    "uncertainty-figure-7": (
        Chart(
            "lines", "x", "y", series="curve", panel="panel", spread="spread",
            x_title="dimensions", y_title=" ", where={"quantity": "average uncertainty"},
            title="average uncertainty",
        ),
        Chart(
            "lines", "x", "y", series="curve", panel="panel", spread="spread",
            x_title="dimensions", y_title=" ", where={"quantity": "STE loss per answer"},
            title="STE loss per answer",
        ),
    ),
    "uncertainty-figure-8": (
        Chart("map", "x", "y"),
    ),
    "uncertainty-figure-9": (
        Chart(
            "lines", "x", "y", series="curve", panel="quantity", spread="spread", x_title="noise",
            y_title=" ", where={"part": "increasing noise"}, title="increasing noise",
        ),
        Chart(
            "lines", "x", "y", series="curve", panel="quantity", spread="spread",
            x_title="% of all comparisons", y_title=" ", log_x=True,
            where={"part": "increasing number of answers"}, title="increasing number of answers",
        ),
    ),
    "uncertainty-figure-10": (
        Chart(
            "lines", "threshold", "y", series="curve", panel="quantity", spread="spread",
            x_title="threshold", y_title=" ", where={"source": "Bootstrap"}, title="Bootstrap",
        ),
        Chart(
            "lines", "threshold", "y", series="curve", panel="quantity", spread="spread",
            x_title="threshold", y_title=" ", where={"source": "Bayesian, as published"},
            title="Bayesian, as published",
        ),
        Chart(
            "lines", "threshold", "y", series="curve", panel="quantity", spread="spread",
            x_title="threshold", y_title=" ", where={"source": "Bayesian, long chains"},
            title="Bayesian, long chains",
        ),
    ),
    "uncertainty-figure-11": (
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "STE"}, title="STE",
        ),
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "t-STE"}, title="t-STE",
        ),
    ),
    "uncertainty-figure-12": (
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "STE"}, title="STE",
        ),
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "t-STE"}, title="t-STE",
        ),
    ),
    "uncertainty-figure-13": (
        Chart(
            "lines", "x", "y", series="way", panel="quantity", spread="spread", x_title="answers",
            y_title=" ", where={"title": "t-STE"}, title="t-STE",
        ),
    ),
    "uncertainty-table-1": (
        Chart("bars", "data", "y", panel="what", published="published", x_title=" ", y_title=" "),
    ),
    "uncertainty-appendix-b": (
        Chart(
            "lines", "x", "y", series="prior", panel="quantity", spread="spread",
            x_title="% of all comparisons", y_title=" ", log_x=True,
        ),
    ),
    "uncertainty-section-3.3": (
        Chart(
            "points", "equation 4", "vote", series="answers", panel="source",
            x_title="mean squared error of equation 4", y_title="of the vote",
        ),
    ),
    "uncertainty-equation-1": _recomputed("what"),
    "uncertainty-equation-2": _recomputed("what"),
    "uncertainty-equation-3": _recomputed("sampler"),
    "uncertainty-equation-4": _recomputed("what"),
    "uncertainty-equation-5": _recomputed("what"),
    "uncertainty-equation-6": _recomputed("what"),
}
