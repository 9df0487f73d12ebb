"""Features and models: whether measurements, ratings or networks explain the answers."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page

show_page(PLACES["features"])
