"""Presentation of results: all their elements, or the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import plotly.graph_objects as go

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import (
    PRESENTATIONS,
    TOLD_IN,
    Element,
    Presentation,
    ShownResults,
    Statement,
    runs_of,
)
from tripletscope.dashboard.wording import uncited
from tripletscope.dashboard.wording.axes import localised

# Presentations are declared when their modules are loaded.
for _module in iter_modules([str(Path(__file__).parent)]):
    if f"{__package__}.{_module.name}" != __name__:
        import_module(f"{__package__}.{_module.name}")

__all__ = ["PRESENTATIONS", "TOLD_IN", "drawings", "drawn", "presented", "sentences"]


def drawings(
    runs: Run | Sequence[Run], answers: Judgements | None, *, samples: Run | None = None,
    name: str = "The data", **further: Any,
) -> list[Drawing]:
    """All figures that belong to results.

    Parameters
    ----------
    runs : Run or list of Run
        Results that belong together are drawn in one figure: a map and its uncertainty, held-out
        errors in several numbers of dimensions, a tree and the support of its branches.
    answers : Triplets, Quadruples or None
        The answers that they were computed from; None for simulations.
    samples : Run, optional
        A further result, such as the bootstrap of a map.
    name : str
        Of the data set, for captions.
    **further
        Other attributes of `ShownResults`.

    Returns
    -------
    list of Drawing
        In the order of the results.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> run = ts.run("fit", ts.STE(n_init=2), answers)
    >>> [drawing.name for drawing in ts.drawings(run, answers)]
    ['map']
    """
    results = (runs,) if isinstance(runs, Run) else tuple(runs)
    shown = ShownResults((*results, *((samples,) if samples else ())), answers, name, **further)
    return list(drawn(shown))


def sentences(*results: Any, answers: Judgements, **further: Any) -> list[str]:
    """What results say, in plain words.

    Parameters
    ----------
    *results : Run or other results
        Such as the quality of the answers.
    answers : Triplets or Quadruples
        The answers that they were computed from.
    **further
        Other attributes of `ShownResults`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> print(ts.sentences(ts.quality(answers), answers=answers)[0])
    176 of 585 questions were answered more than once, 23 of them with contradictory answers.
    """
    shown = ShownResults(runs_of(results), answers, further.pop("name", ""), **further)
    return [
        uncited(part.text).replace("*", "") for part in presented(shown, *results)
        if isinstance(part, Statement)
    ]


def presented(
    shown: ShownResults, *results: Any, by: Presentation | None = None
) -> Iterator[Element]:
    """Sentences, figures and tables of results; names of figures are unique.

    results: To present, of those shown together and others that are no `Run`; by default all.
    by: Overrides the declared presentation.
    """
    taken: Counter[str] = Counter()
    for result in results or shown.runs:
        named = (type(result), "")
        if isinstance(result, Run):
            named = (result.task, result.kind if result.task == "fit" else "")
        key = (*named, type(shown.detail))
        for present in PRESENTATIONS.get(key, ()) if by is None else (by,):
            for part in present(shown, result):
                if isinstance(part, Drawing):
                    taken[part.name] += 1
                    name, number = part.name, taken[part.name]
                    part = replace(
                        part, name=f"{name}-{number}" if number > 1 else name,
                        draw=partial(_in_language, part.draw, shown),
                    )
                yield part


def drawn(shown: ShownResults) -> Iterator[Drawing]:
    return (part for part in presented(shown) if isinstance(part, Drawing))


def _in_language(
    draw: Callable[[Canvas], go.Figure], shown: ShownResults, canvas: Canvas
) -> go.Figure:
    return localised(draw(canvas), shown.words.language)
