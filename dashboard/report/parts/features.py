"""Whether features explain the answers."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.dashboard.report.document import Block
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part


@part("features", "results", 7.5)
def features(material: Material) -> Iterator[Block]:
    """Predictions by features, what each counts, and what they leave over."""
    return material.told_in("features")
