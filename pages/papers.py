"""Papers: every figure, table and theorem behind the program, rebuilt."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["papers"])
