"""Scale: a stimulus as people perceive it, and how people differ."""

from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page
from tripletscope.dashboard.views.scale.conjoint import show_conjoint_alone

show_page(PLACES["scale"], without=show_conjoint_alone)
