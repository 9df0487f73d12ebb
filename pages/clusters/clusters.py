"""Clusters: groups of objects, how many there are, and how sure they are."""

from tripletscope.dashboard.ui.page import show_page

show_page("clusters")
