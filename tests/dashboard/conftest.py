"""What tests of the dashboard share."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from streamlit import config
from streamlit.testing.v1 import app_test

from tripletscope.core.models.simulation.simulate import simulate


@pytest.fixture(scope="session", autouse=True)
def _pages_run_without_what_only_the_harness_does():
    """The server counts no commands, and has one runtime; a mock of it takes as long as a page."""
    config.set_option("browser.gatherUsageStats", False)
    app_test.MagicMock = functools.cache(app_test.MagicMock)


@pytest.fixture(scope="session")
def anchor_last() -> bytes:
    """Answers about points in the plane: nearer, farther, anchor, without names of columns."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    rows = simulate(points, 1500, noise="logistic", seed=1).rows[:, [1, 2, 0]]
    return pd.DataFrame(rows).to_csv(index=False, header=False).encode()
