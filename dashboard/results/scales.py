"""Perceptual scales against the stimulus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from tripletscope.core.engine.declared import Column
from tripletscope.core.inference.held_out.compare import is_chance
from tripletscope.core.inference.held_out.score import CHANCE, ErrorEstimate
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.run import Run
from tripletscope.core.scales import MLDS, GroupScales, OrdinalScale, ScaleDiagnostics, ScaleSamples
from tripletscope.dashboard.figures.diagnostics import residual_curve, simulated_against
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.points import MapData
from tripletscope.dashboard.figures.scale_curves import Curve, scale_curves
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.look import COVERAGES, OneOf
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.words import unmarked, words
from tripletscope.dashboard.words.formats import interval

_TASKS = ("bootstrap_scale", "ordinal_scale")
#: The angle of a map around its centre, beside its axes.
ANGLE = -1
#: Height of a figure of a scale, divided by its width.
RATIO = 0.6
#: Stimuli that two scales must have in common to be aligned.
_COMMON = 3
#: Probabilities below this one are called unlikely, as in most papers.
_UNLIKELY = 0.05
#: Of the residuals 5 % lie outside of their envelope where the model holds.
_MANY_OUTSIDE = 0.10
#: People in a sentence, and width of their names, in em.
_NAMED, _NAME = 6, 16.0


def _units(run: Run) -> dict[str, str]:
    """In what a scale can be shown; maps have no unit of noise."""
    units = {"unit": "0 to 1", "noise": "Units of the noise, 1/σ"}
    return units if run.task == "bootstrap_scale" else {"unit": units["unit"]}


def _axes(run: Run) -> dict[int, str]:
    """What of a map in several dimensions can be drawn against the stimulus."""
    d = run.result().values.shape[1] if run.task == "ordinal_scale" else 1
    return {ANGLE: "Angle", **{axis: f"Axis {axis + 1}" for axis in range(d if d > 1 else 0)}}


@dataclass(frozen=True)
class ScaleLook:
    """How scales, circles and helices are shown.

    axis: What of a map in several dimensions is drawn against the stimulus: an axis, or
        `ANGLE`, the one around its centre.
    """

    place: ClassVar[str] = "scale"

    units: Annotated[str, OneOf(
        _units, "Scale",
        "From 0 to 1, or in standard deviations of the noise, with 1/σ as the highest value. Maps "
        "have no such unit.",
    )] = "unit"
    axis: Annotated[int, OneOf(
        _axes, "Plot against the stimulus",
        "The angle around the centre, in the first two axes, grows by a full turn if the stimulus "
        "closes on itself. The stimulus rises most along the first axis.",
    )] = ANGLE
    coverage: Annotated[float, OneOf(COVERAGES, "Band")] = 0.95
    colour: Annotated[str | None, Column("Colour", automatic="Methods")] = None

    @property
    def in_noise(self) -> bool:
        return self.units == "noise"


def scale_table(
    shown: ShownResults, run: Run, *, in_noise: bool | None = None
) -> pd.DataFrame | None:
    """``stimulus``, ``value``, ``standard error``, ``low``, ``high``, with ``object`` if known.

    Of a bootstrap of difference scaling, or an embedding on a stimulus. None where a bootstrap
    lacks its fit, of a map in the plane or in space, and of an embedding in units of the noise.

    in_noise: Whether it is in units of the noise, by default as scales are shown.
    """
    result, look = run.result(), shown.look_of(run, ScaleLook)
    free = look.in_noise if in_noise is None else in_noise
    if run.task == "ordinal_scale":
        if free or result.values.shape[1] > 1:
            return None
        low, high = result.band(look.coverage)
        return pd.DataFrame({
            "object": result.objects, "stimulus": result.stimulus, "value": result.values[:, 0],
            "standard error": result.deviation[:, 0], "low": low[:, 0], "high": high[:, 0],
        })
    fit = shown.of(run, "fit")
    if fit is None:
        return None
    fitted = fit.fitted()
    low, high = result.interval(look.coverage, unconstrained=free)
    errors = fitted.standard_errors_ if free else fitted.scale_errors_
    if result.unit != "answers":  # those of the fit take answers as independent
        errors = result.standard_errors(unconstrained=free)
    table = pd.DataFrame({
        "stimulus": fitted.levels_, "value": fitted.unconstrained_ if free else fitted.scale_,
        "standard error": errors, "low": low, "high": high,
    })
    members = pd.Series(np.arange(fitted.n_objects_)).groupby(fitted.level_of_).first()
    if len(members) == fitted.n_objects_:
        table.insert(0, "object", members.to_numpy())
    return table


def rises(result: ScaleSamples | OrdinalScale, error: ErrorEstimate | None) -> bool | None:
    """Whether a curve that never falls fits into the band of a scale.

    None where held-out answers are not predicted better than by chance, or where it does not and
    that is not known: a wide band fits any curve, and 9 % of the scales of 100 guesses fell.
    """
    if error is not None and is_chance(error):
        return None
    fits = result.is_monotone()
    return None if not fits and error is None else fits


def no_scale_said(
    name: str, error: ErrorEstimate | None, fitted: MLDS | None = None
) -> Iterator[str]:
    """That answers show no scale: by their prediction or, before that is known, by the fit."""
    if error is not None:
        # Surely worse than guesses is a scale the other way round.
        if is_chance(error) and error.low <= CHANCE:
            yield words("no scale", method=name, error=(error.error, error.low, error.high),
                        over=(error.unit, error.n_units))
    elif fitted is not None and not fitted.explains:
        yield words("no scale by the fit", method=name, daf=fitted.daf_)


def aligned(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Scales as of `scale_table`, all but the first fitted to it by least squares.

    As a whole: pinned at its ends, a scale would move with their noise. With fewer than three
        common stimuli, or if they run against each other, they stay.
    """
    result = dict(tables)
    first, *others = tables
    reference = tables[first].groupby("stimulus")["value"].mean()
    for name in others:
        table = tables[name]
        both = pd.concat([table.groupby("stimulus")["value"].mean(), reference], axis=1).dropna()
        slope, offset = _onto(both.iloc[:, 0].to_numpy(), both.iloc[:, 1].to_numpy())
        moved = {c: slope * table[c] + offset for c in ("value", "low", "high")}
        result[name] = table.assign(**moved, **{"standard error": slope * table["standard error"]})
    return result


def groups_aligned(scales: GroupScales) -> GroupScales:
    """Scales of groups, each fitted by least squares to that of all answers; see `aligned`."""
    parts = np.stack([scales.values, scales.low, scales.high], axis=1)
    for part in parts[1:]:
        finite = np.isfinite(part[0]) & np.isfinite(parts[0, 0])
        slope, offset = _onto(part[0, finite], parts[0, 0, finite])
        part[:] = slope * part + offset
    values, low, high = parts.swapaxes(0, 1)
    return replace(scales, values=values, low=low, high=high)


def _onto(values: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """Slope and offset that bring some values to others, both (m,)."""
    if len(np.unique(values)) < _COMMON:
        return 1.0, 0.0
    slope, offset = np.polyfit(values, reference, 1)
    return (slope, offset) if slope > 0 else (1.0, 0.0)


def stimulus_title(shown: ShownResults, run: Run) -> str:
    column = run.options.get("stimulus", run.parameters.get("stimulus"))
    if column is None:
        return words("rank of objects")
    return words("object id") if column == "id" else column


def scale_name(run: Run) -> str:
    """The method of a scale, without what the axes state and where it begins."""
    method = run.fresh()
    if isinstance(method, MLDS):
        method.set_params(stimulus=None)
    elif "init" in method.get_params():
        method.set_params(init=type(method)().init)
    return words.method(method).replace(f", {words.count(1, 'dimension')}", "")


def scale_runs(shown: ShownResults) -> list[Run]:
    """Results with a scale and its band."""
    return [run for task in _TASKS for run in shown.all_of(task)
            if scale_table(shown, run, in_noise=False) is not None]


@presents("ordinal_scale", told_in="scales", look=ScaleLook)
@presents("bootstrap_scale", told_in="scales", look=ScaleLook)
def scales_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """All scales against one stimulus in one figure."""
    stimulus = stimulus_title(shown, run)
    runs = [one for one in scale_runs(shown) if stimulus_title(shown, one) == stimulus]
    if not runs or run is not runs[0]:
        return
    scales: dict[str, Run] = {}
    for one in runs:  # two runs of one method, by other options, are two curves
        name = scale_name(one)
        again = sum(scale_name(other) == name for other in scales.values())
        scales[f"{name} ({again + 1})" if again else name] = one
    for name, one in scales.items():
        yield from map(Statement, scale_said(shown, name, one))
    look = _look_of_all(shown, runs)
    alike = replace(shown, looks={"": look})
    tables = {name: table for name, one in scales.items()
              if (table := scale_table(alike, one)) is not None}
    if not look.in_noise:
        tables = aligned(tables)
    curves = [
        Curve(name, *(table[c].to_numpy() for c in ("stimulus", "value", "low", "high")),
              table["object"].to_numpy() if "object" in table else None)
        for name, table in tables.items()
    ]
    if curves:
        yield _curves(alike, scales, tables, curves)
    yield Numbers(words("scale values"), partial(_values, shown, tables))
    yield Numbers(words("numbers"), partial(_beside, shown, scales))
    yield Advice(words("bands read", chance=CHANCE))


def _look_of_all(shown: ShownResults, runs: Sequence[Run]) -> ScaleLook:
    """Of scales in one figure: that of difference scaling, if it is among them."""
    return shown.look_of(
        next((run for run in runs if run.task == "bootstrap_scale"), runs[0]), ScaleLook
    )


def _curves(
    shown: ShownResults, scales: Mapping[str, Run], tables: Mapping[str, pd.DataFrame],
    curves: Sequence[Curve],
) -> Drawing:
    several, run = len(curves) > 1, next(iter(scales.values()))
    stimulus, look = stimulus_title(shown, run), shown.look_of(run, ScaleLook)
    unit = "units of noise" if look.in_noise else "first: 0 to 1" if several else "0 to 1"
    first = curves[0].complete()
    said = words("in units of the noise") if look.in_noise else ""
    failed = [name for name, run in scales.items()
              if any(no_scale_said(name, *reversed(_fit_and_error(shown, run))))]
    fails = words("shows no scale", names=failed) if failed else ""
    return shown.drawing(
        run, "scale", RATIO, partial(
            scale_curves, curves, named_objects(shown), stimulus=stimulus,
            value=f"perceptual scale ({unit})", colour=look.colour, revision=f"{stimulus} {unit}",
        ),
        partial(_values, shown, tables),
        runs=scales.values(), picks=True, method="; ".join(scales), stimulus=stimulus,
        said=(said or (words("scales aligned") if several else "")) + fails,
        coverage=look.coverage,
        alt="" if said else "alt scales" if several else "alt scale",
        low=words.number(first.stimulus[0]), high=words.number(first.stimulus[-1]),
        origin=_origin(scales),
    )


def named_objects(shown: ShownResults) -> MapData:
    """Names and selection of the objects of curves."""
    objects = shown.answers.objects
    return MapData(np.empty((len(objects), 1)), objects, selected=shown.selected)


def _origin(scales: Mapping[str, Run]) -> str:
    """Sources of the bands and, where these differ, their scales."""
    names: dict[str, list[str]] = {}
    for name, run in scales.items():
        source, result = run.options.get("source", "bootstrap"), run.result()
        if run.options.get("scheme") == "model" and result.unit == "answers":
            source = "model"
        origin = words(f"band from {source}", over=(result.unit, result.n_units))
        names.setdefault(origin, []).append(name)
    if len(names) == 1:
        return next(iter(names))
    return words("; from").join(f"{origin} ({'; '.join(whose)})" for origin, whose in names.items())


def scale_said(shown: ShownResults, name: str, run: Run) -> Iterator[str]:
    """Sentences on a scale: whether there is one, and rises, its noise and lapses, its predictions.

    A contradiction by answers is stated only where these are not guesses, and a shape only where
    there is one.
    """
    fitted, error = _fit_and_error(shown, run)
    guesses = error is None or error.low <= CHANCE <= error.high
    fails = [*no_scale_said(name, error, fitted)]
    yield from fails
    if fitted is not None and fitted.sigma_ < 0 and not guesses:
        yield words("scale contradicted", method=name)
    if fitted is not None and not fitted.finite_:
        yield words("scale not finite", method=name)
    rising = rises(run.result(), error)
    if rising is not None and not fails:
        yield words("rises" if rising else "falls", method=name)
    if fitted is not None:
        yield fit_said(fitted)
        yield from observers_said(fitted)
        unused = len(shown.answers) - fitted.n_answers_
        if unused and not fitted.outside:
            yield words("scale omits", method=name, answers=unused)
    if error is not None and not fails:
        yield words("scale predicts", method=name, error=(error.error, error.low, error.high),
                    over=(error.unit, error.n_units))


def _fit_and_error(
    shown: ShownResults, run: Run
) -> tuple[MLDS | None, ErrorEstimate | None]:
    """The fit of a difference scale, and the held-out error of any."""
    test, fit = shown.of(run, "cross_validate"), shown.of(run, "fit")
    fitted = fit.fitted() if isinstance(run.fresh(), MLDS) and fit is not None else None
    return fitted, test.result() if test else None


def fit_said(fitted: MLDS) -> str:
    return words(
        "difference scaling", answers=fitted.n_answers_, sigma=fitted.sigma_,
        deviance=words.number(fitted.deviance_, 5), aic=words.number(fitted.aic_, 5),
        guessing=words.number(fitted.null_deviance_, 5), daf=fitted.daf_,
    )


def observers_said(fitted: MLDS) -> Iterator[str]:
    observers = fitted.observers_.tolist() if fitted.lapses != "none" or fitted.order else []
    names = [f"{unmarked(name)} " if name else "" for name in short_labels(observers, _NAME)]
    if fitted.lapses != "none":
        order = np.argsort(-fitted.lapse_)
        rates = [
            f"{names[k]}{words.percent(fitted.lapse_[k])} [{words.percent(fitted.lapse_low_[k])}, "
            f"{words.percent(fitted.lapse_high_[k])}]" for k in order.tolist()
        ]
        yield words("scale lapses", rates=words.first(rates, _NAMED))
    if fitted.order:
        reach = 1.96 * fitted.preference_errors_
        sides = [
            f"{name}{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}]"
            for name, value, half in zip(names, fitted.preference_, reach, strict=True)
        ]
        yield words("scale order", sides=words.first(sides, _NAMED))


def _values(shown: ShownResults, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    labels = np.array(shown.answers.labels, dtype=object)
    return pd.concat([
        table.assign(method=name, object=labels[table["object"].to_numpy()]
                     if "object" in table else "")
        for name, table in tables.items()
    ], ignore_index=True)[
        ["method", "object", "stimulus", "value", "standard error", "low", "high"]
    ]


def _beside(shown: ShownResults, scales: Mapping[str, Run]) -> pd.DataFrame:
    rows = []
    for name, run in scales.items():
        row: dict[str, Any] = {"method": name}
        fit, error = shown.of(run, "fit"), shown.of(run, "cross_validate")
        if run.task == "ordinal_scale":
            row |= {"answers used": len(shown.answers),
                    "rank correlation": interval(*run.result().rank_correlation)}
        elif fit is not None:
            row |= {"answers used": fit.fitted().n_answers_, "noise σ": fit.fitted().sigma_}
        if error is not None:
            estimate = error.result()
            row |= {"held-out error": interval(estimate.error, estimate.low, estimate.high),
                    "s.d. over folds": float(estimate.fold_errors.std(ddof=1))}
        rows.append(row)
    return pd.DataFrame(rows)


# Whether the model holds ---------------------------------------------------------------------


@presents("diagnose", told_in="scales")
def diagnostics_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Whether a difference scale could have produced the answers: tests and figures."""
    diagnostics = run.result()
    fit = shown.of(run, "fit")
    tried_lapses = diagnostics.lapse_p is not None  # asked where the method has no rates already
    if tried_lapses and diagnostics.advises_lapses:
        yield Statement(lapses_said(diagnostics))
    yield from map(Statement, departures_said(diagnostics))
    if n_participants(shown.answers) > 1 and not shown.all_of("compare_scales"):
        yield Advice(words("observers pooled"))
    if fit is not None and shown.of(run, "bootstrap_scale") is None:  # which says the same
        yield Statement(fit_said(fit.fitted()))
        yield from map(Statement, observers_said(fit.fitted()))
        yield Advice(words("fit explained"))
    if tried_lapses and not diagnostics.advises_lapses:
        yield Statement(lapses_said(diagnostics))
    about = words("simulations", number=len(diagnostics.simulated_runs))
    n = len(diagnostics.residuals)
    yield shown.drawing(
        run, "residuals", RATIO, partial(residual_curve, diagnostics),
        table_of(**{"share below": (np.arange(n) + 0.5) / n}, residual=diagnostics.residuals,
                 low=diagnostics.low, high=diagnostics.high),
        said=about, alt="alt residuals", share=words.percent(diagnostics.outside),
    )
    tests = [("runs", diagnostics.simulated_runs, diagnostics.runs, "number of runs")]
    if diagnostics.six_point is not None:
        tests.append(("six-point", diagnostics.simulated_six_point, diagnostics.six_point,
                      "log-likelihood"))
    for name, simulated, observed, title in tests:
        yield shown.drawing(
            run, name, RATIO, partial(simulated_against, simulated, observed, title=title),
            table_of(simulated=simulated, answers=observed), said=about, alt="alt simulated",
            number=diagnostics.n_six_points,
        )


def departures_said(diagnostics: ScaleDiagnostics) -> Iterator[str]:
    """Each test of the model, those that it fails first."""
    departs = diagnostics.outside > _MANY_OUTSIDE
    said = [(departs, words("residuals depart" if departs else "residuals fit",
                            outside=diagnostics.outside))]
    departs = diagnostics.runs_p < _UNLIKELY
    said.append((departs, words("runs depart" if departs else "runs fit",
                                number=diagnostics.runs, p=diagnostics.runs_p)))
    if diagnostics.six_point is None:
        said.append((False, words("six-point impossible")))
    else:
        departs = (p := diagnostics.six_point_p) < _UNLIKELY
        said.append((departs, words(
            "six-point departs" if departs else "six-point fits", p=p,
            number=diagnostics.n_six_points, value=words.number(diagnostics.six_point, 5),
        )))
    yield from (text for _, text in sorted(said, key=lambda one: not one[0]))


def lapses_said(diagnostics: ScaleDiagnostics) -> str:
    """Whether guesses beyond the scale's noise make the answers more probable."""
    if not diagnostics.advises_lapses:
        return words("lapses not needed", p=diagnostics.lapse_p)
    return words("lapses needed", rate=diagnostics.lapse, p=diagnostics.lapse_p,
                 change=f"{diagnostics.lapse_aic:+.1f}")
