"""Maps of known dimension: which number is taken, and what that costs in held-out error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.inference.held_out.compare import Suggestion, recommend_dimension

OBJECTS, TRIED, RUNS = 12, range(1, 6), 8
TEST = 4_000
#: (dimensions, answers, noise), in units of the spread of the positions along each axis.
GRID = tuple(product((1, 2, 3), (200, 800, 3_200), (0.5, 1.0)))


def sentences(runs: int | None) -> Iterator[Sentence]:
    """One dimension of a plane; then, of each cell of the grid, chosen, loss and decided."""
    runs = runs or RUNS
    for d, answers, noise in GRID:
        found = [_found(d, answers, noise, seed) for seed in range(runs)]
        old, now, decided, costs = zip(*found, strict=True)
        cost, cost_before = np.mean(costs, axis=0)
        few = sum(k < d for k in now)
        yield Sentence(
            place="Compare, dimensions",
            before=f"k dimensions (the fewest not significantly worse; {100 * cost_before:.1f} "
            "points of error above the best choice)",
            now=f"cannot decide between …; taken: k ({100 * cost:.1f} points above)",
            null=f"fewer than the true {d}; {OBJECTS} objects, {answers:,} answers, noise "
            f"{noise:g}",
            alarms=(few, runs), alarms_before=(sum(k < d for k in old), runs),
            planted=f"exactly {d} taken", said=(sum(k == d for k in now), runs), rate=None,
        )
        yield Sentence(
            place="Compare, dimensions", before="",
            now="k dimensions … fewer would be worse, more better by at most",
            null=f"decided for another number than the true {d}; {answers:,} answers, noise "
            f"{noise:g}", planted="decided for the true one",
            alarms=(sum(k not in (0, d) for k in decided), runs),
            said=(sum(k == d for k in decided), runs),
        )


def _found(
    d: int, answers: int, noise: float, seed: int
) -> tuple[int, int, int, tuple[float, float]]:
    """Taken before, taken now, decided for (0: nothing), and what the two numbers taken cost."""
    rng = np.random.default_rng([d, answers, int(10 * noise), seed])
    positions = rng.normal(size=(OBJECTS, d)) / np.sqrt(d)
    data, unseen = (
        ts.simulate(positions, number, noise="logistic", level=noise, seed=int(rng.integers(2**31)))
        for number in (answers, TEST)
    )
    methods = {k: ts.STE(n_components=k, n_init=1) for k in TRIED}
    suggestion = recommend_dimension(
        {k: ts.cross_validate(method, data) for k, method in methods.items()}, data, 0.25
    )
    losses = {k: 1 - method.fit(data).score(unseen) for k, method in methods.items()}
    old = _before(suggestion)
    return (
        old, suggestion.n_components, suggestion.n_components if suggestion.is_decided else 0,
        tuple(losses[k] - min(losses.values()) for k in (suggestion.n_components, old)),
    )


def _before(suggestion: Suggestion) -> int:
    """The fewest that are not significantly worse, one-sided and corrected, as before."""
    smaller = {d: one for d, one in suggestion.behind.items() if d < suggestion.best}
    order = sorted(smaller, key=lambda d: smaller[d].p_above)
    corrected, highest = {}, 0.0
    for rank, d in enumerate(order):
        highest = max(highest, min((len(order) - rank) * smaller[d].p_above, 1.0))
        corrected[d] = highest
    return min([suggestion.best, *(d for d, p in corrected.items() if p >= suggestion.level)])
