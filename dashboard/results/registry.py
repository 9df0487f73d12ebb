"""Presentation of results: all their elements, or the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType
from typing import Any

from sklearn.utils.validation import check_is_fitted

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    PRESENTATIONS,
    REPORT_PARTS,
    Element,
    Presentation,
    ShownResults,
    Statement,
    runs_of,
)
from tripletscope.dashboard.words import uncited

# Presentations are declared when their modules are loaded.
for _module in iter_modules([str(Path(__file__).parent)]):
    if f"{__package__}.{_module.name}" != __name__:
        import_module(f"{__package__}.{_module.name}")

__all__ = ["PRESENTATIONS", "REPORT_PARTS", "drawings", "drawn", "presented", "sentences"]


def drawings(
    runs: Any, answers: Answers | None = None, *, samples: Run | None = None,
    name: str = "The data", **further: Any,
) -> list[Drawing]:
    """All figures that belong to results.

    Parameters
    ----------
    runs : Run, fitted method, other result with figures, or a list of such
        Results that belong together are drawn in one figure: a map and its uncertainty, held-out
        errors in several numbers of dimensions, a tree and the support of its branches.
    answers : Triplets, Quadruples or None
        The answers that they were computed from; by default those of a fitted method, and none for
        simulations.
    samples : Run, optional
        A further result, such as the bootstrap of a map.
    name : str
        Of the data set, for captions.
    **further
        Other attributes of `ShownResults`, such as ``looks``: how results are shown, by their key,
        or under ``""`` for all, such as ``{"": ScaleLook(units="noise")}`` with `ScaleLook` of
        `tripletscope.dashboard.results`.

    Returns
    -------
    list of Drawing
        In the order of the results.

    Raises
    ------
    TypeError
        If no figures belong to a result.
    ValueError
        If answers are needed, or are about other objects.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.drawings(ts.STE(n_init=2).fit(answers))
    [<Drawing 'map': Map (STE)>]
    >>> run = ts.run("fit", ts.AgglomerativeClustering(basis=ts.K1()), answers)
    >>> [drawing.name for drawing in ts.drawings(run, answers)]
    ['dendrogram-agglomerative']
    """
    several = [*runs] if type(runs) in (list, tuple) else [runs]
    several += [] if samples is None else [samples]
    results, answers = _shown_with(several, answers)
    shown = ShownResults(runs_of(results), answers, name, **further)
    return list(drawn(shown, *results))


def sentences(*results: Any, answers: Answers | None = None, **further: Any) -> list[str]:
    """What results say, in plain words.

    Parameters
    ----------
    *results : Run, fitted method, or other results, or a list of such
        Such as the quality of the answers.
    answers : Triplets or Quadruples
        The answers that they were computed from; by default those of a fitted method.
    **further
        Other attributes of `ShownResults`.

    Raises
    ------
    TypeError, ValueError
        As of `drawings`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> print(ts.sentences(ts.quality(answers), answers=answers)[0])
    176 of 585 questions were answered more than once, 23 of them with contradictory answers.
    """
    if len(results) == 1 and type(results[0]) in (list, tuple):
        (results,) = results
    results, answers = _shown_with(results, answers)
    shown = ShownResults(runs_of(results), answers, further.pop("name", ""), **further)
    return [
        uncited(part.text).replace("*", "") for part in presented(shown, *results)
        if isinstance(part, Statement)
    ]


def _shown_with(
    results: Sequence[Any], answers: Answers | None
) -> tuple[list[Any], Answers | None]:
    """Results that are presented, with their answers; fitted methods become their `Run`."""
    if answers is None:
        known = (one.learned_answers for one in results if isinstance(one, Method))
        answers = next((one for one in known if one is not None), None)
    return [_presentable(one, answers) for one in results], answers


def _presentable(result: Any, answers: Answers | None) -> Any:
    """A result as `presented` takes it."""
    is_run, is_method = isinstance(result, Run), isinstance(result, Method)
    key = ("fit", result.kind) if is_method else (type(result), "")
    if not is_run and (*key, NoneType) not in PRESENTATIONS:
        tasks = [one.name for one in TASKS.values() if one.gives is type(result)]
        raise TypeError(
            f"no figures and sentences belong to {type(result).__name__} alone; give "
            + (f"tripletscope.run({tasks[0]!r}, method, answers, options), which holds the same "
               "and how it was computed." if tasks else
               "a result of tripletscope.run, or a fitted map, kernel or clustering.")
        )
    if is_method:
        check_is_fitted(result)
    if answers is None and (is_method or (is_run and TASKS[result.task].needs_data)):
        raise ValueError(
            "the result does not hold the answers that it was computed from; give them, too."
        )
    if is_run and answers is not None:
        result.check_objects(answers.n_objects)
    return Run.of_fit(result, answers) if is_method else result


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
                    part = replace(part, name=f"{name}-{number}" if number > 1 else name)
                yield part


def drawn(shown: ShownResults, *results: Any) -> Iterator[Drawing]:
    return (part for part in presented(shown, *results) if isinstance(part, Drawing))
