"""Trees: neighbours, classes and numbers from comparisons alone."""

from tripletscope.dashboard.ui.page import show_page
from tripletscope.pages.trees.features import show_table

show_page("trees", without=show_table)
