"""Trees: neighbours, classes and numbers from comparisons alone."""

from tripletscope.dashboard.views.page import show_page
from tripletscope.dashboard.views.trees.features import show_table

show_page("trees", "Trees", without=show_table, without_map=True)
