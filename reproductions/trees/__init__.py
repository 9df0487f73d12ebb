"""Nearest neighbours in comparison trees: the thesis, chapter 2."""
