"""Report: what was found, as text, figures and tables for a paper."""

from tripletscope.dashboard.ui.page import show_page

show_page("report")
