"""Compare: which method, how many dimensions, how many answers."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["compare"])
