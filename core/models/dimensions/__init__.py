"""Sparse non-negative dimensions of choices among three (SPoSE, VICE) and of similarities."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "spose": ["SPoSE"],
    "symmetric": ["SymmetricNMF"],
    "vice": ["VICE"],
})
