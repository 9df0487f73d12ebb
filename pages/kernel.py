"""Kernel: similarities from triplets without a map, and what can be learned from them."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["kernel"])
