"""Kernel: similarities from triplets without a map, and what can be learned from them."""

from tripletscope.dashboard.ui.page import show_page

show_page("kernel")
