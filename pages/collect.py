"""Collect: experiments of one's own, in the browsers of participants."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["collect"])
