"""What tests of the dashboard share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.models.simulation.simulate import simulate


@pytest.fixture(scope="session")
def anchor_last() -> bytes:
    """Answers about points in the plane: nearer, farther, anchor, without names of columns."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    rows = simulate(points, 1500, noise="logistic", seed=1).rows[:, [1, 2, 0]]
    return pd.DataFrame(rows).to_csv(index=False, header=False).encode()
