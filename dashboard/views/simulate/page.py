"""The page Simulate: experiments that nobody has made yet."""

from __future__ import annotations

from tripletscope.dashboard.interface.controls import tabs
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.simulate.dimension import show_dimension
from tripletscope.dashboard.views.simulate.people import show_people
from tripletscope.dashboard.views.simulate.planning import show_planning
from tripletscope.dashboard.views.simulate.questions import show_questions
from tripletscope.dashboard.views.simulate.setting import PAGE

_VIEWS = {
    "plan": ("How many answers?", show_planning),
    "dimension": ("How many dimensions?", show_dimension),
    "list": ("List of questions", show_questions),
    "data": ("Simulated answers", show_people),
}


def show_simulate(current: Session) -> None:
    """The whole page; it needs no data set."""
    titles = {name: title for name, (title, _) in _VIEWS.items()}
    _VIEWS[tabs(current, f"{PAGE}.view", "View", titles)][1](current)
