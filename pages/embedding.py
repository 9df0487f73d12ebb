"""Embedding: the objects on a map, with the uncertainty of their positions."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["embedding"])
