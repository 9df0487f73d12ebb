"""A process of jobs in which every map takes ten minutes, if nobody stops it."""

from __future__ import annotations

import time

import tripletscope.core.models.embedding.ordinal as ordinal
from tripletscope.dashboard.jobs import prepare
from tripletscope.dashboard.jobs.worker import work

__all__ = ["work"]

_fit = ordinal.OrdinalEmbedding.fit


def endless(progress, **details) -> None:
    begun = time.monotonic()
    while not progress(min((time.monotonic() - begun) / 600, 0.9), **details):
        time.sleep(0.02)


def fit(self, triplets, y=None, *, progress=ordinal.silent):
    found = _fit(self, triplets, y)
    endless(progress, loss=found.loss_, snapshot=found.embedding_)
    self.stopped_ = True
    return self


ordinal.OrdinalEmbedding.fit = fit
prepare.PARTS = ()  # or they would take as long
