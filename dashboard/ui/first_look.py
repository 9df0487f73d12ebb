"""Where a data set is looked at first."""

from __future__ import annotations

from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.samples import samples
from tripletscope.dashboard.ui.page import go_to, open_page


def first_page(info: DatasetInfo) -> str:
    """Where a data set is looked at first: by its findings, or as a sample says."""
    return next((sample.page for sample in samples() if sample.origin == info.origin), "data")


def look_first(info: DatasetInfo) -> None:
    """Go there."""
    go_to("data", "findings")
    open_page(first_page(info))
