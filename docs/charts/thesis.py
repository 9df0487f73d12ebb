"""How items of the thesis of Haghiri (2020) are drawn."""

from docs.charts.chart import Chart

#: Groups of wavelengths are called by colours, and drawn in these.
_SHADES = {"violet, blue": "#0072B2", "green": "#009E73", "yellow, orange": "#E69F00",
           "red": "#D55E00"}


def _scale(function: str) -> tuple[Chart, ...]:
    """Errors of methods on a scale, and what they estimate."""
    shown = {"function": function, "kept": "lowest training error"}
    errors = {"kind": "errors", **shown}
    shared = {"x": "share", "series": "method", "panel": "noise", "x_title": "r"}
    return (
        Chart("lines", y="mse", spread="mse_sd", y_title="MSE", where=errors,
              title="Squared error", **shared),
        Chart("lines", y="error", spread="error_sd", y_title="Triplet error", where=errors,
              title="Triplet error", **shared),
        Chart("points", x="stimulus", y="value", series="curve", panel="method",
              where={"kind": "curves", **shown}, y_title="Scale", x_title="Stimulus",
              title="The truth and ten estimates, σ = 0.1, r = 1"),
    )


def _circle(y: str, y_title: str, title: str) -> Chart:
    """What methods miss of a circle."""
    return Chart("lines", "share", y, series="method", panel="noise", spread=f"{y}_sd",
                 x_title="r", y_title=y_title, title=title,
                 where={"kind": "errors", "kept": "lowest training error"})


def _observers(starts: str, title: str) -> Chart:
    """Errors of methods for each observer, from some starts."""
    return Chart("bars", "observer", "error", series="method", spread="error_sd",
                 x_title="Observer", y_title="Held-out triplet error",
                 where={"kind": "errors", "starts": starts}, title=title)


def _growth(what: str, y_title: str) -> Chart:
    """What grows with the number of objects, and the bound of it."""
    return Chart("lines", "n", "value", series="curve", panel="data", x_title="Objects n",
                 y_title=y_title, log_x=True, log_y=True, where={"what": what},
                 title=what.capitalize())


_QUESTIONS = Chart(
    "lines", "leaf_size", "questions", series="questions are", x_title="Leaf size n₀",
    y_title="Questions", log_x=True, log_y=True,
)
_MISSED = Chart(
    "lines", "leaf_size", "missed", series="curve", panel="data", x_title="Leaf size n₀",
    y_title="Missed", log_x=True, log_y=True,
)
CHARTS = {
    "thesis-figure-1.1": Chart("points", "draw", "answers"),
    "thesis-figure-1.2": Chart(
        "map", "x", "y", series="cluster", label="colour", where={"draw": 0}
    ),
    "thesis-figure-2.1": Chart(
        "lines", "leaf_size", "missed", series="tree", panel="data", spread="spread",
        x_title="Leaf size n₀", y_title="Missed", log_x=True, where={"kind": "mean"},
    ),
    "thesis-figure-2.2": (
        Chart(
            "lines", "asked", "excess", series="tree", panel="data",
            x_title="Questions of a query", y_title="Relative distance error", log_x=True,
            where={"kind": "setting"}, title="Error",
        ),
        Chart(
            "lines", "asked", "to_build", series="tree", panel="data",
            x_title="Questions of a query", y_title="Questions to build", log_x=True, log_y=True,
            where={"kind": "setting"}, title="Questions to build",
        ),
    ),
    "thesis-figure-2.3": Chart(
        "points", "data", "rate", series="quartile", x_title="Data", y_title="Expansion rate",
        log_y=True,
    ),
    "thesis-figure-4.1": Chart(
        "lines", "stimulus", "scale", x_title="Stimulus S", y_title="ψ = f(S)"
    ),
    "thesis-figure-4.2": (
        Chart(
            "bars", "degree", "count", series="design", x_title="Anchor, slant in degrees",
            y_title="Different questions", where={"kind": "questions"}, title="What may be asked",
        ),
        Chart(
            "lines", "degree", "value", series="method", x_title="Slant in degrees",
            y_title="Scale", where={"kind": "scale"}, title="The scale",
        ),
    ),
    "thesis-figure-4.3": (
        Chart(
            "map", "x", "y", series="shade", label="nm", colours=_SHADES, where={"kind": "map"},
            title="Ekman's colours, by wavelength in nm",
        ),
        Chart(
            "lines", "d", "misfit", panel="panel", x_title="Dimensions", y_title="Misfit",
            where={"kind": "misfit"}, title="What further dimensions bring",
        ),
        Chart(
            "lines", "octave", "value", series="source", panel="panel", x_title="Octaves",
            y_title="Position", where={"kind": "helix"}, title="The pitch helix, axis by axis",
        ),
    ),
    "thesis-figure-4.4": _scale("sigmoid"),
    "thesis-figure-4.5": _scale("polynomial"),
    "thesis-figure-4.6": (
        Chart(
            "map", "x", "y", series="shade", panel="panel", label="nm", colours=_SHADES,
            where={"kind": "map"}, title="The truth and maps, σ = 0.1, r = 1",
        ),
        _circle("error", "Triplet error", "Triplet error"),
        _circle("disparity", "Shape missed", "Share of the circle's shape that is missed"),
    ),
    "thesis-figure-4.7": (
        _observers("first start in the stimulus's order", "One start in the stimulus's order"),
        _observers("random starts", "Random starts"),
        Chart(
            "lines", "level", "value", series="method", panel="observer", x_title="Stimulus",
            y_title="Scale", where={"kind": "scale"}, title="Scales",
        ),
    ),
    "thesis-figure-5.1": Chart(
        "lines", "noise", "accuracy", series="strategy", panel="panel", spread="spread",
        x_title="share of wrong answers", y_title="prediction accuracy",
    ),
    "thesis-figure-5.2": Chart(
        "lines", "landmarks", "accuracy", series="strategy", spread="spread",
        y_title="prediction accuracy",
    ),
    "thesis-figure-5.4": (
        Chart(
            "bars", "person", "failed", series="excluded", y_title="failed catch trials (share)",
            where={"what": "person"}, title="Failed catch trials",
        ),
        Chart(
            "lines", "questions", "accepted", series="who", x_title="gold questions",
            y_title="probability to pass", where={"what": "chance"},
            title="Who passes gold questions",
        ),
    ),
    "thesis-figure-5.5": (
        Chart(
            "matrix", "predicted", "learned from", value="accuracy", x_title="predicted session",
            y_title="learned from session", where={"what": "session"},
            title="Accuracy between sessions",
        ),
        Chart(
            "lines", "pool", "accuracy", spread="spread", x_title="pooled sessions",
            y_title="prediction accuracy", where={"what": "pool"}, title="Accuracy by pool size",
        ),
    ),
    "thesis-figure-5.6": Chart(
        "points", "place", "accuracy", series="catch trials", panel="panel",
        x_title="people, in order", y_title="prediction accuracy",
    ),
    "thesis-figure-5.7": Chart(
        "lines", "dimensions", "accuracy", series="method", panel="data", spread="spread",
        y_title="prediction accuracy", where={"kind": "mean"},
    ),
    "thesis-figure-a.2": _scale("cubic"),
    "thesis-figure-a.3": _scale("sinusoid"),
    "thesis-figure-a.4": _scale("polynomial"),
    "thesis-section-4.5": Chart(
        "lines", "factor", "accuracy", series="dimensions", panel="objects", spread="spread",
        x_title="Answers, in d n log n", y_title="Prediction accuracy",
    ),
    "thesis-section-4.5b": Chart(
        "points", "true", "chosen", x_title="True dimension", y_title="Chosen dimension"
    ),
    "thesis-section-5.3": Chart(
        "bars", "noise", "accuracy", series="method", panel="objects", spread="spread",
        x_title="Share of wrong answers", y_title="Prediction accuracy",
    ),
    "thesis-section-5.4": Chart(
        "lines", "probability", "share", series="curve",
        x_title="Probability of the more frequent answer", y_title="Share",
    ),
    "thesis-table-2.1": Chart(
        "lines", "n", "questions", series="tree", panel="what", spread="spread",
        x_title="Objects n", y_title="Questions", log_x=True, log_y=True,
    ),
    "thesis-table-4.1": Chart(
        "bars", "measure", "value", series="method", spread="spread", x_title="Measurement",
        y_title="Error; surprise, nats",
    ),
    "thesis-algorithm-1": _QUESTIONS,
    "thesis-algorithm-2": _QUESTIONS,
    "thesis-theorem-1": _growth("height", "Levels"),
    "thesis-theorem-3": _MISSED,
    "thesis-corollary-2": (
        _growth("questions to build", "Questions"), _growth("questions of a query", "Questions"),
    ),
    "thesis-lemma-5": Chart(
        "lines", "beta", "share", series="curve", panel="data", x_title="Share β",
        y_title="Probability", log_x=True, log_y=True,
    ),
    "thesis-lemma-6": Chart(
        "lines", "depth", "share", series="curve", panel="size", x_title="Depth h",
        y_title="Probability",
    ),
    "thesis-lemma-7": Chart(
        "lines", "n", "missed", series="curve", panel="data", x_title="Objects m of the cell",
        y_title="Missed", log_x=True, log_y=True,
    ),
    "thesis-remark-4": _MISSED,
}
