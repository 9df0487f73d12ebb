"""Sparse non-negative dimensions from choices among three: SPoSE and VICE."""

from tripletscope.core.dimensions.spose import SPoSE
from tripletscope.core.dimensions.vice import VICE

__all__ = ["VICE", "SPoSE"]
