"""How items of Kleindessner & von Luxburg (2017) are drawn."""

from tripletscope.dashboard.views.papers.chart import Chart

_SEEN_FROM_ONE = Chart(
    "map", "x", "y", series="third", panel="set", where={"what": "seen from an object"},
    title="Similarity (k1) to one object",
)


def _matrices(points: str) -> Chart:
    """Distances and kernels of a set of points beside each other."""
    return Chart(
        "matrix", "column", "row", panel="quantity", value="value", x_title="object",
        y_title="object", where={"what": "matrix", "set": points},
        title=f"Distances and kernels: {points}",
    )


CHARTS = {
    "kernels-figure-1": (
        Chart(
            "points", "agreement", "rescaled kernel", panel="kernel",
            x_title="agreement of two objects", y_title="kernel · (n − 1) / (n − 3)",
        ),
    ),
    "kernels-figure-2": (
        Chart("lines", "objects", "k1", series="pair", log_x=True),
    ),
    "kernels-figure-3": (
        _SEEN_FROM_ONE,
        _matrices("three normal clouds"),
        _matrices("two half-moons"),
    ),
    "kernels-figure-4": (
        Chart(
            "bars", "cluster", "alike", x_title="cluster (members)", y_title="homogeneity",
            where={"what": "clusters"}, title="Homogeneity of ten clusters",
        ),
        Chart("map", "x", "y", series="third", where={"what": "map"}, title="Eggs by kernel PCA"),
    ),
    "kernels-figure-5": (
        Chart(
            "lines", "per object", "purity", series="method", panel="panel", spread="spread",
            x_title="answers for each object", y_title="purity", log_x=True,
            where={"data": "digits 1, 2, 3", "given": "landmark"},
            title="Digits 1, 2, 3: purity, landmark answers",
        ),
        Chart(
            "lines", "per object", "purity", series="method", panel="panel", spread="spread",
            x_title="answers for each object", y_title="purity", log_x=True,
            where={"data": "digits 1, 2, 3", "given": "random"},
            title="Digits 1, 2, 3: purity, random answers",
        ),
        Chart(
            "lines", "per object", "seconds", series="method", panel="panel",
            x_title="answers for each object", y_title="processor seconds", log_x=True,
            log_y=True, where={"data": "digits 1, 2, 3", "given": "landmark"},
            title="Digits 1, 2, 3: processor seconds, landmark answers",
        ),
        Chart(
            "lines", "objects", "purity", series="method", panel="design", x_title="objects",
            y_title="purity", log_x=True, where={"data": "all digits", "given": "landmark"},
            title="All digits: purity, landmark answers",
        ),
        Chart(
            "lines", "objects", "purity", series="method", panel="design", x_title="objects",
            y_title="purity", log_x=True, where={"data": "all digits", "given": "random"},
            title="All digits: purity, random answers",
        ),
        Chart(
            "lines", "objects", "seconds", series="method", panel="design", x_title="objects",
            y_title="processor seconds", log_x=True, log_y=True,
            where={"data": "all digits", "given": "landmark"},
            title="All digits: processor seconds, landmark answers",
        ),
    ),
    "kernels-figure-6": (
        _SEEN_FROM_ONE,
        _matrices("two rings"),
        _matrices("uniform square"),
        _matrices("stochastic block model"),
    ),
    "kernels-figure-7": (
        Chart(
            "lines", "per object", "purity", series="method", panel="panel", spread="spread",
            x_title="answers for each object", y_title="purity", log_x=True,
            where={"data": "digits 1, 2, 3", "given": "landmark"},
            title="Digits 1, 2, 3: purity, landmark answers",
        ),
        Chart(
            "lines", "per object", "purity", series="method", panel="panel", spread="spread",
            x_title="answers for each object", y_title="purity", log_x=True,
            where={"data": "digits 1, 2, 3", "given": "random"},
            title="Digits 1, 2, 3: purity, random answers",
        ),
        Chart(
            "lines", "per object", "seconds", series="method", panel="panel",
            x_title="answers for each object", y_title="processor seconds", log_x=True,
            log_y=True, where={"data": "digits 1, 2, 3", "given": "landmark"},
            title="Digits 1, 2, 3: processor seconds, landmark answers",
        ),
    ),
    "kernels-figure-8": (
        Chart("map", "x", "y", series="digit", panel="method"),
    ),
    "kernels-figure-9": (
        Chart("map", "x", "y", series="third", title="Map by GNMDS"),
    ),
    "kernels-figure-10": (
        Chart("map", "x", "y", series="third", title="Map by k1"),
    ),
    "kernels-figure-11": (
        Chart("map", "x", "y", series="third", title="Map by k2"),
    ),
    "kernels-figure-13": (
        Chart(
            "bars", "cluster", "alike", x_title="cluster (members)", y_title="homogeneity",
            where={"what": "clusters"}, title="Homogeneity of ten clusters",
        ),
    ),
    "kernels-figure-14": (
        Chart(
            "bars", "cluster", "alike", x_title="cluster (members)", y_title="homogeneity",
            where={"what": "clusters"}, title="Homogeneity of ten clusters",
        ),
    ),
    "kernels-section-2.1": (
        Chart(
            "lines", "share", "y", series="diagonal", panel="kernel", log_x=True, log_y=True,
            x_title="% of all comparisons", y_title="similarity / self-similarity",
        ),
    ),
    "kernels-section-2.4": (
        Chart(
            "lines", "objects", "full", series="design", panel="kernel", log_x=True, log_y=True,
            y_title="multiplications of full features",
        ),
    ),
    "kernels-section-4.2": (
        Chart(
            "points", "per object", "purity", series="method", panel="data", log_x=True,
            x_title="answers for each object", title="Purity",
        ),
    ),
    "kernels-equation-2": (
        Chart(
            "points", "definition", "program", series="answers", x_title="by the definition",
            y_title="by the program",
        ),
    ),
    "kernels-equation-3": (
        Chart(
            "points", "definition", "program", series="answers", x_title="by the definition",
            y_title="by the program",
        ),
    ),
    "kernels-equation-4": (
        Chart(
            "points", "definition", "program", series="answers", x_title="by the definition",
            y_title="by the program",
        ),
    ),
    "kernels-equation-5": (
        Chart(
            "points", "definition", "program", series="answers", x_title="by the definition",
            y_title="by the program",
        ),
    ),
}
