"""Uncertainty: how sure positions and answers are, and what to ask next."""

from tripletscope.dashboard.views.page import show_page

show_page("uncertainty", "Uncertainty", "Uncertainty is computed from answers")
