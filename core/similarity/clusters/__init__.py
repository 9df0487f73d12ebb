"""Clustering: what the modules of this package register."""

from tripletscope.core.engine.registry import exports

__getattr__, __dir__, __all__ = exports(__name__)
