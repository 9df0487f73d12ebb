"""Which method, how many dimensions, whether the answers are enough; maps side by side."""

from __future__ import annotations

from tripletscope.dashboard.interface.controls import tabs
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.compare.comparing import PAGE
from tripletscope.dashboard.views.compare.dimensions import show_dimensions
from tripletscope.dashboard.views.compare.learning import show_learning, show_tuning
from tripletscope.dashboard.views.compare.side_by_side import show_maps

_VIEWS = {
    "dimensions": ("Methods and dimensions", show_dimensions),
    "maps": ("Maps side by side", show_maps),
    "enough": ("Learning curve", show_learning),
    "tune": ("Hyperparameters", show_tuning),
}


def show_compare(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    job = services().jobs.latest(current.id, current.slot(PAGE))
    titles = {name: title for name, (title, _) in _VIEWS.items()}
    _, show = _VIEWS[tabs(current, "compare.view", "View", titles)]
    show(current, info, current.triplets(), job)
