"""Scales of groups and single people beside that of all answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.inference.held_out.units import ENOUGH
from tripletscope.core.run import Run
from tripletscope.core.scales import MLDS, GroupScales, ScaleComparison
from tripletscope.core.scales.scale_trials import stimulus_of
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.scale_curves import Curve, panel_height, scale_multiples
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.results.scales import groups_aligned, scale_name, stimulus_title
from tripletscope.dashboard.words import unmarked, words

#: People in a sentence, width of their names there, and above small panels, in em.
_NAMED, _NAME, _TITLE = 6, 16.0, 8.0
#: Level of the tests of a common scale.
_UNLIKELY = 0.05


@presents("scales_by", told_in="scales")
def groups_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """A small scale for every group beside that of all answers, by all methods."""
    options = run.options
    runs = {scale_name(one): one for one in shown.all_of(run.task) if one.options == options}
    if run is not next(iter(runs.values())):
        return
    stimulus = stimulus_title(shown, run)
    by = words("by column", by=options["by"]) if options["by"] else ""
    scales = {name: groups_aligned(one.result()) for name, one in runs.items()}
    for name, scale in scales.items():
        if scale.held.any():
            yield Statement(held_said(name, scale))
        if scale.noise is not None and np.isfinite(scale.noise[1:]).any():
            yield Statement(_noise_said(name, scale))
        enough = np.append(True, scale.floor.reached)
        empty = scale.names[np.isnan(scale.values).all(axis=1) & enough].tolist()
        if empty:
            yield Statement(words("no scale for", method=name, names=empty))
    common, panels = _panels(shown, runs, scales)
    pooled = any(scale.pooled.any() for scale in scales.values())
    yield shown.drawing(
        run, "group-scales", panel_height(len(panels)) / SCREEN.width, partial(
            scale_multiples, panels, common, stimulus=stimulus,
            value="perceptual scale (all answers: 0 to 1)",
        ), partial(_of_groups, shown, runs, scales),
        runs=runs.values(), method="; ".join(scales), by=by,
        said=words("scales pooled") if pooled else "", stimulus=stimulus,
        coverage=options["coverage"], over=words(f"each over {options['unit']}", enough=ENOUGH),
    )
    for name, scale in scales.items():
        if said := floor_said(scale.floor, options["by"] or "group"):
            yield Advice(f"{name}: {said[0].lower()}{said[1:]}")


@presents("compare_scales", told_in="scales")
def observers_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Whether observers share one scale, and those of each alone."""
    comparison: ScaleComparison = run.result()
    yield Statement(common_scale_said(comparison))
    yield Numbers(words("observers' own scales"), partial(_own_scales, comparison))
    yield Numbers(words("observers compared"), partial(_compared, comparison))


def common_scale_said(comparison: ScaleComparison) -> str:
    """What the tests say of pooling: only where shapes are not seen to differ, of the noise.

    Then of preferences for an interval, which bend a scale that does not allow for them.
    """
    return f"{_pooling_said(comparison)} {_preferences_said(comparison)}".rstrip()


def _preferences_said(comparison: ScaleComparison) -> str:
    if not comparison.prefers:
        return ""
    labels = short_labels(comparison.names.tolist(), _NAME)
    order = np.argsort(-np.abs(comparison.preference), kind="stable")
    return words("observers prefer", names=words.first([
        f"{unmarked(labels[k])} {comparison.preference[k]:+.2f}" for k in order
    ], _NAMED))


def _pooling_said(comparison: ScaleComparison) -> str:
    table, simulations = comparison.table, len(comparison.simulated_gains)
    (ratio, degrees, p), (by_noise, fewer, p_noise) = comparison.shape, comparison.sensitivity
    labels = [unmarked(one) for one in short_labels(comparison.names.tolist(), _NAME)]
    if not comparison.is_comparable:
        return words("scales not comparable")
    if comparison.shapes_differ:
        gains = table["gain"] - table["usual"]
        differ = np.flatnonzero(table["p"] < _UNLIKELY)
        order = sorted(differ.tolist() or [int(gains.argmax())], key=lambda k: -gains[k])
        some = words.first([labels[k] for k in order], _NAMED)
        # Where all differ from what they share, nobody does so most.
        named = words("most clearly", names=some) if len(order) < len(labels) else ""
        known = np.isfinite(comparison.preference).any()
        return words(
            "scales differ", ratio=words.number(ratio), degrees=degrees, p=p,
            simulations=simulations, named=named, or_else="" if known else words("or preferences"),
        )
    if comparison.is_chance:
        return words("scales at chance")
    if not comparison.rises:
        return words("common scale falls")
    noise = [f"{label} {words.number(sigma)}"
             for label, sigma in zip(labels, comparison.common_noise, strict=True)]
    return words(
        "noises differ" if p_noise < _UNLIKELY else "scales alike", ratio=words.number(ratio),
        degrees=degrees, p=p, by_noise=words.number(by_noise), fewer=fewer, p_noise=p_noise,
        simulations=simulations, noise=words.first(noise, _NAMED),
    )


def _own_scales(comparison: ScaleComparison) -> pd.DataFrame:
    own, errors = comparison.own, comparison.errors
    return pd.concat([
        pd.DataFrame({
            "observer": name, "stimulus": comparison.levels, "value": own[k],
            "standard error": errors[k], "common scale": comparison.common,
            "finite": comparison.finite[k],
        }) for k, name in enumerate(comparison.names)
    ], ignore_index=True)


def _compared(comparison: ScaleComparison) -> pd.DataFrame:
    return comparison.table.dropna(axis=1, how="all").rename(columns={
        "name": "observer", "noise": "noise σ", "common noise": "σ about the common scale",
        "preference": "preference for the second interval, in σ",
        "gain": "deviance saved by the own scale", "usual": "if scales are alike (median)",
        "p": "p, corrected",
    })


def held_said(name: str, scale: GroupScales) -> str:
    """Groups whose scales are held by the common prior alone."""
    held = [unmarked(one) for one in short_labels(scale.names[scale.held].tolist(), _NAME)]
    return words("scales held", method=name, names=words.first(held, _NAMED))


def _noise_said(name: str, scale: GroupScales) -> str:
    known = np.isfinite(scale.noise[1:])
    names = short_labels(scale.names[1:][known].tolist(), _NAME)
    noise = [f"{unmarked(one)} {words.number(sigma)}"
             for one, sigma in zip(names, scale.noise[1:][known], strict=True)]
    return words("scales noise", method=name, noise=words.first(noise, _NAMED),
                 common=scale.noise[0])


def _panels(
    shown: ShownResults, runs: Mapping[str, Run], scales: Mapping[str, GroupScales]
) -> tuple[list[Curve], dict[str, list[Curve]]]:
    """Curves of all answers, and those of each group by its title."""
    first = next(iter(scales.values()))
    reached = np.flatnonzero(np.any([s.floor.reached for s in scales.values()], axis=0)) + 1
    titles = short_labels(first.names.tolist(), _TITLE)
    curves_of = {name: _curve_of(shown, name, runs[name], scale) for name, scale in scales.items()}
    common = [curve(0) for curve in curves_of.values()]
    return common, {
        f"{titles[k]} ({first.n_answers[k]:,})": [curve(k) for curve in curves_of.values()]
        for k in (reached.tolist() or [0])  # all answers alone, where no group has enough
    }


def _curve_of(
    shown: ShownResults, name: str, run: Run, scale: GroupScales
) -> Callable[[int], Curve]:
    """Makes the curve of a group: of difference scaling a value for each of its levels."""
    stimulus, starts = scale.stimulus, np.arange(len(scale.stimulus))
    method = run.fresh()
    if isinstance(method, MLDS):
        try:
            trials = method.set_params(stimulus=run.options["stimulus"]).trials(shown.answers)
        except DataError:  # no answer compares intervals: there is no scale for anybody
            pass
        else:
            stimulus = trials.levels
            starts = np.searchsorted(np.sort(trials.level_of), np.arange(len(stimulus)))
    parts = (scale.values, scale.low, scale.high)
    # All objects of a level have its value, but those that the group was not asked about.
    return lambda k: Curve(name, stimulus, *(np.fmax.reduceat(p[k], starts) for p in parts))


def _of_groups(
    shown: ShownResults, runs: Mapping[str, Run], scales: Mapping[str, GroupScales]
) -> pd.DataFrame:
    stimulus = next(iter(runs.values())).options["stimulus"]
    order = np.argsort(stimulus_of(shown.answers, stimulus), kind="stable")
    objects = np.array(shown.answers.labels, dtype=object)[order]
    return pd.concat([
        pd.DataFrame({
            "method": name, "group": group, "answers": n, "object": objects,
            "stimulus": scale.stimulus,
            "value": scale.values[k], "low": scale.low[k], "high": scale.high[k],
        } | ({} if scale.noise is None else {"noise σ": scale.noise[k]}))
        for name, scale in scales.items()
        for k, (group, n) in enumerate(zip(scale.names, scale.n_answers, strict=True))
    ], ignore_index=True)
