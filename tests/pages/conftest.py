"""Sessions with data that have pictures and categories, with and without a map."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dashboard.conftest import _pages_run_without_what_only_the_harness_does, anchor_last
from tests.pages.harness import session_on
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.pages.trees import tree_context

__all__ = ["_pages_run_without_what_only_the_harness_does", "anchor_last"]


@pytest.fixture
def opened(services, planted):
    """Id of a saved session with data that have categories, quantities and pictures open."""
    objects = planted.objects.assign(kind=["a", "b", "c"] * 10, size=np.arange(30.0))
    return session_on(services, Triplets(planted.rows, objects, planted.answers, "Things"))


@pytest.fixture
def mapped(services, opened):
    """The session of `opened`, with a map."""
    (info,) = services.workspace.datasets()
    found = run("fit", STE(n_init=1), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "STE")
    return opened


@pytest.fixture
def grown(monkeypatch) -> list:
    """Grows by one with every tree; none is there yet."""
    tree_context._grown.clear()
    found, real = [], tree_context.fitted_tree
    monkeypatch.setattr(tree_context, "fitted_tree", lambda *given: found.append(1) or real(*given))
    return found
