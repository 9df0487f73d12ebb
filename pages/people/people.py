"""People: what each attends to, groups among them, and conditions."""

from tripletscope.dashboard.ui.page import show_page

show_page("people")
