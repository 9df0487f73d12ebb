"""Trees: neighbours, classes and numbers from comparisons alone."""

from tripletscope.dashboard.views.page import show_page

show_page("trees", "Trees", "Comparison trees grow from answers")
