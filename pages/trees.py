"""Trees: neighbours, classes and numbers from comparisons alone."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page
from tripletscope.dashboard.views.trees.features import show_table

show_page(PLACES["trees"], without=show_table)
