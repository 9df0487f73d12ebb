"""Features and models: whether measurements, ratings or networks explain the answers."""

from tripletscope.dashboard.ui.page import show_page

show_page("features")
