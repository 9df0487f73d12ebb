"""Observers whose scales are planted: whether bands of single people hold them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planted import Sentence
from tests.core.scale.observers import observers
from tripletscope.core.scale import MLDS, bootstrap_scale, scales_by

RUNS = 20


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
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
