"""Scale: a stimulus as people perceive it, and how people differ."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page
from tripletscope.dashboard.views.scale.uploaded import show_uploaded_alone

show_page(PLACES["scale"], without=show_uploaded_alone)
