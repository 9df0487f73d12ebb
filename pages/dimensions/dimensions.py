"""Dimensions: what objects have more or less of, found in choices and named by people."""

from tripletscope.dashboard.ui.page import show_page

show_page("dimensions")
