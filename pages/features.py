"""Features and models: whether measurements, ratings or networks explain the answers."""

from tripletscope.dashboard.views.page import show_page

show_page("features", "Features and models", with_pairs=True, without_map=True)
