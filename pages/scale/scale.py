"""Scale: a stimulus as people perceive it, and how people differ."""

from tripletscope.dashboard.ui.page import show_page
from tripletscope.pages.scale.conjoint import show_conjoint_alone

show_page("scale", without=show_conjoint_alone)
