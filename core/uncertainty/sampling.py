"""Running chains until they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, Stopped
from tripletscope.core.declared import Number
from tripletscope.core.optimise.layout import AnswerLayout
from tripletscope.core.optimise.loss import Loss
from tripletscope.core.uncertainty.chain import Chain
from tripletscope.core.uncertainty.curvature import Normal

#: Distances from which convergence is judged, at most.
JUDGED = 60
#: Where the largest R-hat is lower, chains agree. The usual 1.01 is for one quantity; the largest
#: of many is above it by chance even in perfect chains of this length.
AGREED = 1.05
#: Looks at progress between two judgements.
_LOOKS = 8
#: Maps that a chain keeps at least: from fewer, R-hat is mostly chance.
_HELD = 200

Effective = Annotated[
    int,
    Number(
        20, 10_000, "Effective samples",
        "Sampling continues until the draws are worth this many independent ones.",
    ),
]
Most = Annotated[
    int,
    Number(
        100, 10_000_000, "Max. draws per chain", "Sampling stops here, even if the effective "
        "samples are too few.",
        advanced=True,
    ),
]
Chains = Annotated[
    int,
    Number(
        1, 64, "Chains", "Independent chains, which must converge to the same distribution.",
        advanced=True
    ),
]
WarmUp = Annotated[
    float,
    Number(
        0.0, 0.9, "Burn-in", "Proportion at the start of every chain that is discarded.",
        advanced=True,
    ),
]


@dataclass(frozen=True)
class Lengths:
    """How long chains are to be.

    effective: Effective draws that are wanted, of all chains together.
    most: Draws of each chain at most.
    warm_up: Share of the draws that is left out.
    """

    effective: int
    most: int
    chains: int
    warm_up: float

    @property
    def held(self) -> int:
        """Draws that every chain keeps at most."""
        return max(2 * self.effective // self.chains, _HELD)


def drawn(
    runs: list[Chain],
    judged: Callable[[np.ndarray], np.ndarray],
    show: Callable[[np.ndarray], np.ndarray],
    lengths: Lengths,
    progress: Progress,
) -> tuple[np.ndarray, float, float | None]:
    """Draws of all chains (c, m, d, n) after warming up, effective sample size and R-hat.

    Chains are judged each time they have twice as many draws; they keep about twice as many maps
    as are wanted, evenly spread over all draws.
    """
    held = lengths.held
    states = [run.state for run in runs]
    thin, done, fraction, stopped = 1, 0, 0.0, False
    kept: np.ndarray | None = None
    while True:
        stage = min(held * thin - done, lengths.most - done) // thin * thin
        for part in np.diff(np.linspace(0, stage // thin, _LOOKS + 1).astype(int)) * thin:
            if not part:
                continue
            items = [
                (*run.setting, state, int(part), thin)
                for run, state in zip(runs, states, strict=True)
            ]
            result, states = zip(*in_parallel(_run, items), strict=True)
            result = np.array(result)
            kept = result if kept is None else np.concatenate([kept, result], axis=1)
            done += int(part)
            fraction = max(fraction, done / lengths.most)
            stopped = progress(fraction, snapshot=show(result[0, -1]))
            if stopped:
                break
        used = kept[:, int(lengths.warm_up * kept.shape[1]) :]
        if used.shape[0] * used.shape[1] < 2:
            raise Stopped
        size, rhat = convergence(judged(used))
        enough = size >= lengths.effective and rhat is not None and rhat <= AGREED
        if stopped or enough or done + 2 * thin > lengths.most:
            return used, size, rhat
        fraction = max(fraction, min(size / lengths.effective, 0.5))
        kept, thin = kept[:, 1::2], 2 * thin


def _run(
    answers: AnswerLayout, loss: Loss, normal: Normal, precision: float, state: tuple,
    draws: int, thin: int, halt: Halt,
) -> tuple[np.ndarray, tuple]:
    """Further draws of a chain, and the state that it is in then."""
    chain = Chain.at((answers, loss, normal, precision), state)
    return chain.run(draws, thin, halt), chain.state


def convergence(values: np.ndarray) -> tuple[float, float | None]:
    """How far chains have come.

    values (c, m, q): Of q quantities, in m draws of c chains.
    Returns: effective: Median over the quantities of the bulk effective sample size; rhat: Their
        largest rank-normalised split R-hat. None for under four draws.
    """
    from arviz_stats.base import array_stats  # imported late: that takes a second

    if values.shape[1] < 4:
        return float(values.shape[0]), None
    size = array_stats.ess(values, chain_axis=0, draw_axis=1)
    rhat = array_stats.rhat(values, chain_axis=0, draw_axis=1)
    return float(np.median(size)), float(np.max(rhat))
