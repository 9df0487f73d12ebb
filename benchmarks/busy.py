"""A process of jobs, or a server, in which every map of more than twenty objects takes for ever."""

from __future__ import annotations

from typing import Any

import tripletscope.core.models.embedding.ordinal as ordinal
from tripletscope.core.engine.progress import silent
from tripletscope.dashboard.jobs.worker import work

__all__ = ["work"]

_fit = ordinal.OrdinalEmbedding.fit


def fit(self: Any, triplets: Any, y: Any = None, *, progress: Any = silent) -> Any:
    """As it is, and then pure Python until somebody stops it."""
    found = _fit(self, triplets, y)
    number = 0
    while progress is not silent and triplets.n_objects > 20:
        for _ in range(100_000):
            number += 1
        if progress(0.5, loss=found.loss_, snapshot=found.embedding_):
            self.stopped_ = True
            break
    return found


ordinal.OrdinalEmbedding.fit = fit
