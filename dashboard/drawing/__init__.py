"""Figures of results outside of the program: in scripts, notebooks and reports."""

from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.map import UNCERTAIN, MapFigure, Placed, placed
from tripletscope.dashboard.drawing.results import drawings

__all__ = ["UNCERTAIN", "Drawing", "MapFigure", "Placed", "drawings", "placed"]
