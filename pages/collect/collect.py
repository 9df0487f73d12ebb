"""Collect: experiments of one's own, in the browsers of participants."""

from tripletscope.dashboard.ui.page import show_page

show_page("collect")
