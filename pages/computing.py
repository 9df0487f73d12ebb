"""Computing: where computations run, and what is running."""

from tripletscope.dashboard.views.page import show_page

show_page("computing", "Computing", needs_data=False)
