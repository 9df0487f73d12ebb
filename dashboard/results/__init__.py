"""Figures of results outside of the program: in scripts, notebooks and reports."""

from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map import UNCERTAIN, MapFigure, Placed, placed
from tripletscope.dashboard.results.showing import drawings

__all__ = ["UNCERTAIN", "Drawing", "MapFigure", "Placed", "drawings", "placed"]
