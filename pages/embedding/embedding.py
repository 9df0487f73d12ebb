"""Embedding: the objects on a map, with the uncertainty of their positions."""

from tripletscope.dashboard.ui.page import show_page

show_page("embedding")
