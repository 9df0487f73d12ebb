"""Lines, clouds and circles: what Spectrum and Circle or helix say of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.inference.evaluation.paired import paired_difference
from tripletscope.core.kernel.spectrum import spectrum

OBJECTS, ANSWERS, RUNS = 14, 2_500, 12


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    circles = sum(_round("circle", seed)[1] for seed in range(runs))
    for shape in ("straight cloud", "half a circle", "cloud in no order"):
        found = [_round(shape, seed) for seed in range(runs)]
        yield Sentence(
            place="Scale, Circle or helix", before="changes by 187°: the stimulus nearly closes",
            now="closes on itself, with test; or: no circle is seen",
            null=f"{shape}, {OBJECTS} objects, {ANSWERS:,} answers (before: within 90° of a turn)",
            alarms=(sum(now for _, now in found), runs),
            alarms_before=(sum(before for before, _ in found), runs),
            planted="0.9 of a circle", said=(circles, runs),
        )
    several, cost = 0, []
    for seed in range(runs):
        answers = ts.simulate(
            np.linspace(0, 3, 40)[:, None], 4_000, noise="logistic", level=0.3, seed=seed
        )
        found = spectrum(ts.K1(), answers, shuffles=10, seed=seed)
        several += found.n_signal > 1
        cost.append(found.errors[0] - found.errors.min())
    yield Sentence(
        place="Kernel, Spectrum", before="k components are significant",
        now="k eigenvalues …; these are not dimensions; held-out error with 1 component, lowest "
        f"with k (here {100 * np.mean(cost):.1f} points lower)",
        null="one line of 40 objects, 4,000 answers (before: more than one called significant; "
        "now: the lowest error more than a point below that of one component)",
        alarms=(sum(one > 0.01 for one in cost), runs), alarms_before=(several, runs),
    )


def _round(shape: str, seed: int) -> tuple[bool, bool]:
    """Whether it was said before that a stimulus closes on itself, and whether it is now."""
    rng = np.random.default_rng([seed, len(shape)])
    along = np.linspace(0, 1, OBJECTS)
    if shape == "straight cloud":
        positions = np.c_[3 * along, 0.3 * rng.normal(size=OBJECTS)]
    elif shape == "cloud in no order":
        positions = rng.normal(size=(OBJECTS, 2))
    else:
        turn = np.pi * along * (1.0 if shape == "half a circle" else 1.8)
        positions = np.c_[np.cos(turn), np.sin(turn)]
    data = ts.simulate(positions, ANSWERS, noise="flip", level=0.05, seed=seed)
    method = ts.STE(n_init=1)
    found = ts.ordinal_scale(method, data, n_components=2, maps=20, seed=seed)
    before = abs(np.degrees(found.angles[-1]) - 360) <= 90
    line, plane = (
        ts.cross_validate(ts.STE(n_components=d, n_init=1), data, seed=seed) for d in (1, 2)
    )
    above = paired_difference(line, plane, data, 0.25)
    return bool(before), above.p_above < 0.05 and not found.not_round()
