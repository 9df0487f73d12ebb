"""Simulate: how many answers an experiment needs, and the questions for it."""

from tripletscope.dashboard.ui.page import show_page

show_page("simulate")
