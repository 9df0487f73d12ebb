"""Dimensions: what objects have more or less of, found in choices and named by people."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["dimensions"])
