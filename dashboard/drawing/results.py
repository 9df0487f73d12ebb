"""All figures that belong to some results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import plotly.graph_objects as go

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.run import Run
from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.shown import FIGURES, ShownResults
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.wording.axes import localised

# Who makes figures says so as soon as its module is loaded.
for _module in (
    "maps", "dimensions", "curves", "clusters", "scales", "explaining", "lapses", "people",
):
    import_module(f"{__package__}.{_module}")


def drawings(
    runs: Run | Sequence[Run], answers: Judgements, *, samples: Run | None = None,
    name: str = "The data", **further: Any,
) -> list[Drawing]:
    """All figures that belong to results.

    runs: What belongs together is drawn in one figure: a map and its uncertainty, held-out errors
        in several numbers of dimensions, a tree and the support of its branches.
    answers: That they were computed from.
    samples: A further result, such as the bootstrap of a map.
    name: Of the data set, for captions.
    **further: Other attributes of `ShownResults`.
    Returns: In the order of the results.

    Examples
    --------
    >>> import tripletscope as ts
    >>> from tripletscope.dashboard.drawing import drawings
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> run = ts.run("fit", ts.STE(n_init=2), answers)
    >>> [drawing.name for drawing in drawings(run, answers)]
    ['map']
    """
    given = (runs,) if isinstance(runs, Run) else tuple(runs)
    shown = ShownResults((*given, *((samples,) if samples else ())), answers, name, **further)
    return list(drawn(shown))


def drawn(shown: ShownResults) -> Iterator[Drawing]:
    """The figures of some results; no two have one name."""
    taken: dict[str, int] = {}
    for run in shown.runs:
        kind = run.kind if run.task == "fit" else ""
        for make in FIGURES.get((run.task, kind), ()):
            for drawing in make(shown, run):
                taken[drawing.name] = taken.get(drawing.name, 0) + 1
                if taken[drawing.name] > 1:
                    drawing = replace(drawing, name=f"{drawing.name}-{taken[drawing.name]}")
                yield replace(drawing, draw=partial(_in_language, drawing.draw, shown))


def _in_language(
    draw: Callable[[Canvas], go.Figure], shown: ShownResults, canvas: Canvas
) -> go.Figure:
    return localised(draw(canvas), shown.words.language)
