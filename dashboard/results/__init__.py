"""Figures and sentences of results, also for scripts, notebooks and reports."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "drawing": ["Drawing"],
    "features": ["AccuracyLook"],
    "kernels": ["KernelLook"],
    "map_recipe": ["UNCERTAIN", "MapLook", "Placed", "TreeLook", "Turn", "placed"],
    "observers": ["ObserverLook"],
    "registry": ["drawings", "sentences"],
    "scales": ["ScaleLook"],
    "multiverse": ["MultiverseLook"],
    "trees": ["ForestLook", "SearchLook"],
})
