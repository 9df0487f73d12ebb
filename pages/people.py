"""People: what each attends to, groups among them, and conditions."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["people"])
