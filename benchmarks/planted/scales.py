"""Observers whose scales are planted: bands of single people, and what is said of guesses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence
from tests.core.scales.observers import observers
from tripletscope.core.scales import MLDS, bootstrap_scale, compare_scales, scales_by
from tripletscope.dashboard.results.scales import no_scale_said, rises

RUNS = 20


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    yield from _shapes(2 * runs)
    yield from _pooled(5 * runs)
    few, _, _ = _drawn(22, 58, runs)
    before = [_before(22, 58, seed) for seed in range(runs)]
    for usable in (45, 80, 320):
        many, inside, held = _drawn(usable, 0, runs)
        yield Sentence(
            place="Scale, Groups",
            before=f"(80) and a band, which held {np.mean(before):.0%} of the levels",
            now=f"({usable}) and a band, which holds {np.mean(inside):.1%} ± "
            f"{np.std(inside) / np.sqrt(len(inside)):.1%}; held by the prior: {np.mean(held):.0%}",
            null="12 observers, 80 answers each about 12 levels, 22 of them usable: curves drawn",
            alarms_before=(few[1], few[1]), alarms=few, planted=f"{usable} usable answers",
            said=many,
        )


def _shapes(runs: int) -> Iterator[Sentence]:
    """Whether a shape is claimed of guesses and of a scale, and whether the failure stands first.

    Before, a shape was claimed of whatever rose within its band.
    """
    for number in (100, 400):
        guesses, scales = (
            np.array([_said_of_shape(number, seed, has) for seed in range(runs)])
            for has in (False, True)
        )
        yield Sentence(
            place="Scale", before="A monotonic curve fits into the band", now="the same, else "
            "first: No scale is seen", null=f"{number} guesses about 8 levels",
            alarms=(int(guesses[:, 1].sum()), runs), alarms_before=(int(guesses[:, 0].sum()), runs),
            planted="noise of .2 of the scale; before: " f"{scales[:, 0].mean():.0%}",
            said=(int(scales[:, 1].sum()), runs),
        )
        yield Sentence(
            place="Scale", before="", now="No scale is seen (said of a scale)",
            null=f"{number} answers by a scale, noise .2", alarms=(int(scales[:, 2].sum()), runs),
            planted="guesses", said=(int(guesses[:, 2].sum()), runs),
        )


def _pooled(runs: int) -> Iterator[Sentence]:
    """Whether observers of one scale, who differ in noise and lapses, are said to differ."""
    said = [_differ(seed, 0.3) for seed in range(runs)]
    for lapses, method in ((0.0, "none"), (0.05, "none"), (0.05, "each")):
        alarms = [_differ(seed, 0.0, lapses, method) for seed in range(runs)]
        yield Sentence(
            place="Scale, Groups", before="", now="The observers’ scales differ in shape",
            null=f"3 observers of one scale, 300 answers each, noise of each; the first guesses in "
            f"{lapses:.0%}; MLDS(lapses={method!r})",
            alarms=(sum(alarms), runs), planted="exponents with log s.d. .3",
            said=(sum(said), runs),
        )


def _differ(seed: int, shape: float, lapses: float = 0.0, method: str = "none") -> bool:
    data, _ = observers(seed, people=3, usable=300, levels=9, shape=shape)
    rng = np.random.default_rng(seed)
    guessed = (data.answers["participant"] == "p00") & (rng.random(len(data)) < lapses)
    turned = guessed & (rng.random(len(data)) < 0.5)
    rows = np.where(turned.to_numpy()[:, None], data.rows[:, [0, 2, 1]], data.rows)
    answers = ts.Triplets(rows, data.objects, data.answers)
    found = compare_scales(MLDS(stimulus="x", lapses=method), answers, simulations=39, seed=seed)
    return found.shape[2] < 0.05


def _said_of_shape(number: int, seed: int, has: bool) -> tuple[bool, bool, bool]:
    """Whether a shape was claimed before, is now, and whether no scale is said to be there."""
    rng = np.random.default_rng([number, seed, has])
    rows = np.sort([rng.choice(8, 4, replace=False) for _ in range(number)])
    x = has * np.linspace(0, 1, 8) ** 0.7
    lead = x[rows[:, 3]] - x[rows[:, 2]] - x[rows[:, 1]] + x[rows[:, 0]]
    larger = lead + rng.normal(0, 0.2, number) > 0
    answers = ts.Quadruples(np.where(larger[:, None], rows, rows[:, [2, 3, 0, 1]]), 8)
    error = ts.cross_validate(MLDS(), answers)
    found = bootstrap_scale(MLDS(), answers, resamples=200, seed=seed)
    return (
        found.is_monotone(), rises(found, error) is True,
        any(no_scale_said("MLDS", error)),
    )


def _drawn(
    usable: int, outside: int, runs: int
) -> tuple[tuple[int, int], list[float], list[bool]]:
    """Curves drawn, of how many; share of levels in the band of each; whether the prior holds."""
    drawn, curves, inside, held = 0, 0, [], []
    for seed in range(runs):
        data, truth = observers(seed, usable=usable, outside=outside)
        found = scales_by(MLDS(), data, stimulus="x", maps=10)
        shown = np.isfinite(found.values[1:]).all(axis=1)
        drawn, curves = drawn + int(shown.sum()), curves + len(shown)
        order = np.array([int(name[1:]) for name in found.names[1:]])
        within = (found.low[1:] <= truth[order]) & (truth[order] <= found.high[1:])
        inside += within[shown, 1:-1].mean(axis=1).tolist()
        held += found.held[1:].tolist()
    return (drawn, curves), inside, held


def _before(usable: int, outside: int, seed: int) -> float:
    """Share of the levels in bands of two people by themselves, as before."""
    data, truth = observers(seed, usable=usable, outside=outside)
    who = data.answers["participant"].to_numpy()
    held = []
    for person in range(2):
        own = data.take(np.flatnonzero(who == f"p{person:02}"))
        low, high = bootstrap_scale(MLDS(stimulus="x"), own, resamples=200).interval()
        held.append(((low <= truth[person]) & (truth[person] <= high))[1:-1].mean())
    return float(np.mean(held))
