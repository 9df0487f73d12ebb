"""Compare: which method, how many dimensions, how many answers."""

from tripletscope.dashboard.ui.page import show_page

show_page("compare")
