"""Report: what was found, as text, figures and tables for a paper."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["report"])
