"""How items of Kleindessner & von Luxburg (2017) are drawn."""

from typing import Any

from docs.charts.chart import Chart

#: What is at the axis of answers or objects, by the digits that are clustered.
_ASKED: dict[str, dict[str, Any]] = {
    "digits 1, 2, 3": {"x": "per object", "panel": "panel", "x_title": "answers for each object"},
    "all digits": {"x": "objects", "panel": "design", "x_title": "objects"},
}


def _purity(data: str, given: str, **further: Any) -> Chart:
    """How pure clusters of digits are, of answers that were given in one way."""
    return Chart("lines", y="purity", series="method", y_title="purity", log_x=True,
                 where={"data": data, "given": given},
                 title=f"{data.capitalize()}: purity, {given} answers", **_ASKED[data], **further)


def _seconds(data: str) -> Chart:
    """How long that takes."""
    return Chart("lines", y="seconds", series="method", y_title="processor seconds", log_x=True,
                 log_y=True, where={"data": data, "given": "landmark"},
                 title=f"{data.capitalize()}: processor seconds, landmark answers", **_ASKED[data])


def _matrices(points: str) -> Chart:
    """Distances and kernels of a set of points beside each other."""
    return Chart("matrix", "column", "row", panel="quantity", value="value", x_title="object",
                 y_title="object", where={"what": "matrix", "set": points},
                 title=f"Distances and kernels: {points}")


_SEEN_FROM_ONE = Chart(
    "map", "x", "y", series="third", panel="set", where={"what": "seen from an object"},
    title="Similarity (k1) to one object",
)
_THREE_DIGITS = (
    _purity("digits 1, 2, 3", "landmark", spread="spread"),
    _purity("digits 1, 2, 3", "random", spread="spread"),
    _seconds("digits 1, 2, 3"),
)
_HOMOGENEITY = Chart(
    "bars", "cluster", "alike", x_title="cluster (members)", y_title="homogeneity",
    where={"what": "clusters"}, title="Homogeneity of ten clusters",
)
_RECOMPUTED = Chart(
    "points", "definition", "program", series="answers", x_title="by the definition",
    y_title="by the program",
)
CHARTS = {
    "kernels-figure-1": Chart(
        "points", "agreement", "rescaled kernel", panel="kernel",
        x_title="agreement of two objects", y_title="kernel · (n − 1) / (n − 3)",
    ),
    "kernels-figure-2": Chart("lines", "objects", "k1", series="pair", log_x=True),
    "kernels-figure-3": (
        _SEEN_FROM_ONE, _matrices("three normal clouds"), _matrices("two half-moons"),
    ),
    "kernels-figure-4": (
        _HOMOGENEITY,
        Chart("map", "x", "y", series="third", where={"what": "map"}, title="Eggs by kernel PCA"),
    ),
    "kernels-figure-5": (
        *_THREE_DIGITS, _purity("all digits", "landmark"), _purity("all digits", "random"),
        _seconds("all digits"),
    ),
    "kernels-figure-6": (
        _SEEN_FROM_ONE, _matrices("two rings"), _matrices("uniform square"),
        _matrices("stochastic block model"),
    ),
    "kernels-figure-7": _THREE_DIGITS,
    "kernels-figure-8": Chart("map", "x", "y", series="digit", panel="method"),
    "kernels-figure-9": Chart("map", "x", "y", series="third", title="Map by GNMDS"),
    "kernels-figure-10": Chart("map", "x", "y", series="third", title="Map by k1"),
    "kernels-figure-11": Chart("map", "x", "y", series="third", title="Map by k2"),
    "kernels-figure-13": _HOMOGENEITY,
    "kernels-figure-14": _HOMOGENEITY,
    "kernels-section-2.1": Chart(
        "lines", "share", "y", series="diagonal", panel="kernel", log_x=True, log_y=True,
        x_title="% of all comparisons", y_title="similarity / self-similarity",
    ),
    "kernels-section-2.4": Chart(
        "lines", "objects", "full", series="design", panel="kernel", log_x=True, log_y=True,
        y_title="multiplications of full features",
    ),
    "kernels-section-4.2": Chart(
        "points", "per object", "purity", series="method", panel="data", log_x=True,
        x_title="answers for each object", title="Purity",
    ),
    **{f"kernels-equation-{number}": _RECOMPUTED for number in (2, 3, 4, 5)},
}
