"""Simulate: how many answers an experiment needs, and the questions for it."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["simulate"])
