"""Clusters: groups of objects, how many there are, and how sure they are."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["clusters"])
