"""Sparse non-negative dimensions from choices among three: SPoSE and VICE."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "spose": ["SPoSE"],
    "vice": ["VICE"],
})
