"""Comparison-based random forests: their paper, and chapter 3 of the thesis."""
