"""Perceptual scales against the stimulus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.compare import is_chance
from tripletscope.core.inference.evaluation.score import ErrorEstimate
from tripletscope.core.run import Run
from tripletscope.core.scale import GroupScales, OrdinalScale, ScaleDiagnostics, ScaleSamples
from tripletscope.dashboard.figures.diagnostics import residual_curve, simulated_against
from tripletscope.dashboard.figures.points import MapData
from tripletscope.dashboard.figures.scales import Curve, scale_curves
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import (
    Element,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.wording import Words

_TASKS = ("bootstrap_scale", "ordinal_scale")
_RATIO = 0.6
#: Stimuli that two scales must have in common to be aligned.
_COMMON = 3
#: Probabilities below this one are called unlikely, as in most papers.
_UNLIKELY = 0.05
#: Of the residuals 5 % lie outside of their envelope where the model holds.
_MANY_OUTSIDE = 0.10


def scale_table(shown: ShownResults, run: Run, coverage: float = 0.95) -> pd.DataFrame | None:
    """``stimulus``, ``value``, ``standard error``, ``low``, ``high``, with ``object`` if known.

    Of a scale with its band: a bootstrap of difference scaling, or an embedding on a stimulus.
    None where a bootstrap lacks its fit.
    """
    found = run.result()
    if run.task == "ordinal_scale":
        low, high = found.band(coverage)
        return pd.DataFrame({
            "object": found.objects, "stimulus": found.stimulus, "value": found.values[:, 0],
            "standard error": found.deviation[:, 0], "low": low[:, 0], "high": high[:, 0],
        })
    fit = shown.of(run, "fit")
    if fit is None:
        return None
    fitted = fit.fitted()
    low, high = found.interval(coverage)
    errors = fitted.scale_errors_ if found.unit == "answers" else found.standard_errors()
    table = pd.DataFrame({
        "stimulus": fitted.levels_, "value": fitted.scale_, "standard error": errors,
        "low": low, "high": high,
    })
    members = pd.Series(np.arange(fitted.n_objects_)).groupby(fitted.level_of_).first()
    if len(members) == fitted.n_objects_:
        table.insert(0, "object", members.to_numpy())
    return table


def rises(found: ScaleSamples | OrdinalScale, error: ErrorEstimate | None) -> bool | None:
    """Whether a curve that never falls fits into the band of a scale.

    None where it does not, and held-out answers are not shown to be predicted better than by
    chance: 9 % of the scales of 100 guesses fell.

    Silent on: guesses (tests/dashboard/results/test_aligned_scales.py::test_guesses_do_not_fall).
    """
    fits = found.is_monotone()
    return None if not fits and (error is None or is_chance(error)) else fits


def aligned(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Scales as `scale_table` gives them, all but the first fitted to it by least squares.

    Shifted and scaled as a whole: the unit and the zero of a scale are conventions, and pinned at
    its ends it would move with their noise. Where they have fewer than three stimuli in common, or
    run against each other, they stay as they are.
    """
    found = dict(tables)
    first, *others = tables
    reference = tables[first].groupby("stimulus")["value"].mean()
    for name in others:
        table = tables[name]
        both = pd.concat([table.groupby("stimulus")["value"].mean(), reference], axis=1).dropna()
        slope, offset = _onto(both.iloc[:, 0].to_numpy(), both.iloc[:, 1].to_numpy())
        moved = {c: slope * table[c] + offset for c in ("value", "low", "high")}
        found[name] = table.assign(**moved, **{"standard error": slope * table["standard error"]})
    return found


def groups_aligned(found: GroupScales) -> GroupScales:
    """Scales of groups, each fitted by least squares to that of all answers; see `aligned`."""
    parts = np.stack([found.values, found.low, found.high], axis=1)
    for part in parts[1:]:
        known = np.isfinite(part[0]) & np.isfinite(parts[0, 0])
        slope, offset = _onto(part[0, known], parts[0, 0, known])
        part[:] = slope * part + offset
    return replace(found, **dict(zip(("values", "low", "high"), parts.swapaxes(0, 1), strict=True)))


def _onto(values: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """Slope and offset that bring some values to others, both (m,)."""
    if len(np.unique(values)) < _COMMON:
        return 1.0, 0.0
    slope, offset = np.polyfit(values, reference, 1)
    return (slope, offset) if slope > 0 else (1.0, 0.0)


def value_title(several: bool) -> str:
    """What stands at the axis of the values; see `aligned`."""
    return f"perceptual scale ({'first: ' if several else ''}0 to 1)"


def stimulus_title(shown: ShownResults, run: Run) -> str:
    """What stands at the axis of the stimulus."""
    column = run.options.get("stimulus", run.parameters.get("stimulus"))
    if column is None:
        return shown.words("rank of objects")
    return shown.words("object id") if column == "id" else column


def scale_runs(shown: ShownResults) -> list[Run]:
    """Results with a scale and its band, of those that share the first one's stimulus."""
    runs = [run for task in _TASKS for run in shown.all_of(task)
            if scale_table(shown, run) is not None]
    return [run for run in runs if stimulus_title(shown, run) == stimulus_title(shown, runs[0])]


def _scale(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """All scales in one figure."""
    runs, words = scale_runs(shown), shown.words
    if not runs or run is not runs[0]:
        return
    names: list[str] = []
    for one in runs:  # two runs of one method, by other options, are two curves
        name = words.method(one.fresh())
        again = sum(words.method(known.fresh()) == name for known in runs[: len(names)])
        names.append(f"{name} ({again + 1})" if again else name)
    tables = dict(zip(names, aligned({one.key: scale_table(shown, one) for one in runs}).values(),
                      strict=True))
    curves = []
    for name, table in tables.items():
        objects = table["object"].to_numpy() if "object" in table else None
        parts = (table[c].to_numpy() for c in ("stimulus", "value", "low", "high"))
        curves.append(Curve(name, *parts, objects))
    found, stimulus = run.result(), stimulus_title(shown, run)
    text = words("scale of", stimulus=stimulus, methods="; ".join(tables), about=shown.about,
                 over=words.over(found.unit, found.n_units))
    several = len(curves) > 1
    if several:
        text += f" {words('scales aligned')}"
    data = MapData(np.empty((shown.answers.n_objects, 1)), shown.answers.objects)

    def draw(canvas: Canvas) -> go.Figure:
        return scale_curves(
            curves, data, stimulus=stimulus, value=value_title(several), caption=text,
            canvas=canvas,
        )

    first = curves[0].known()
    yield Drawing(
        "scale", words("title scale", stimulus=stimulus), text,
        words("alt scales" if several else "alt scale", stimulus=stimulus,
              low=words.number(first.stimulus[0]), high=words.number(first.stimulus[-1])),
        _RATIO, draw,
        lambda: pd.concat([t.assign(method=n) for n, t in tables.items()], ignore_index=True),
        tuple(one.key for one in runs),
    )


for _task in _TASKS:
    presents(_task)(_scale)


@presents("diagnose")
def diagnostics_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Whether a difference scale could have produced the answers: its tests, and their figures."""
    found, words = run.result(), shown.words
    yield from map(Statement, departures_said(words, found))
    about = words("simulations of", method=words.method(run.fresh()), about=shown.about,
                  number=len(found.simulated_runs))
    text, n = f"{words('residuals of')} {about}", len(found.residuals)
    yield Drawing(
        "residuals", words("title residuals"), text,
        words("alt residuals", share=words.percent(found.outside)), _RATIO,
        lambda canvas: residual_curve(found, caption=text, canvas=canvas),
        lambda: pd.DataFrame({
            "share below": (np.arange(n) + 0.5) / n, "residual": found.residuals,
            "low": found.low, "high": found.high,
        }), (run.key,),
    )
    yield _simulated(
        words, run, "runs", found.simulated_runs, found.runs, "number of runs",
        f"{words('runs of')} {about}",
    )
    if found.six_point is not None:
        yield _simulated(
            words, run, "six-point", found.simulated_six_point, found.six_point, "log-likelihood",
            f"{words('six-point of', number=found.n_six_points)} {about}",
        )


def _simulated(
    words: Words, run: Run, name: str, simulated: np.ndarray, observed: float, title: str,
    text: str,
) -> Drawing:
    """What a test gives for simulated answers, and for the answers."""
    return Drawing(
        name, words(f"title {name}"), text, words("alt simulated"), _RATIO,
        lambda canvas: simulated_against(simulated, observed, title=title, caption=text,
                                         canvas=canvas),
        table_of(simulated=simulated, answers=observed), (run.key,),
    )


def departures_said(words: Words, found: ScaleDiagnostics) -> Iterator[str]:
    """What each test says of the model.

    Silent on: answers by the model
    (tests/dashboard/views/test_scale.py::test_the_model_is_seldom_denied).
    """
    yield words("residuals depart" if found.outside > _MANY_OUTSIDE else "residuals fit",
                outside=found.outside)
    yield words("runs depart" if found.runs_p < _UNLIKELY else "runs fit", number=found.runs,
                p=found.runs_p)
    if found.six_point is None:
        yield words("six-point impossible")
    else:
        p = found.six_point_p
        yield words("six-point departs" if p < _UNLIKELY else "six-point fits", p=p,
                    number=found.n_six_points, value=words.number(found.six_point, 5))
