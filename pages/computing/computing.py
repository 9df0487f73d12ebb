"""Computing: where computations run, and what is running."""

from tripletscope.dashboard.ui.page import show_page

show_page("computing")
