"""What is said of kernels."""

from __future__ import annotations

import numpy as np

from tripletscope.core.kernel.spectrum import Spectrum
from tripletscope.dashboard.results.kernels import components_said
from tripletscope.dashboard.wording import ENGLISH


def said(*errors: float) -> str:
    found = Spectrum(np.ones(3), np.zeros((5, 3)), np.array(errors))
    return " ".join(components_said(ENGLISH, found))


def test_no_number_by_less_than_a_point():
    """A number was called lowest by a difference of 0.0001."""
    alike = said(0.3001, 0.3000, 0.3050)
    assert "is .300 with one component, and not lower by more than a point with any" in alike
    assert "with one component, .210 with 2, and not" in said(0.35, 0.21, 0.205)
    assert "Held-out error" not in said(np.nan, np.nan, np.nan)
