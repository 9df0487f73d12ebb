"""What one page hands to another, which then opens with it."""

from __future__ import annotations

from typing import Any

from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui.elements import set_widgets
from tripletscope.dashboard.ui.page import go_to

#: Prefix of the form of Simulate's questions.
LIST = "simulate.list"
#: Where the session notes the folder of Collect's experiment; empty for a new one.
EXPERIMENT = "collect.experiment"
#: Where it notes of which experiment a model is asked questions, and how many of its lists.
QUESTIONS_OF, LISTS = "features.questions.of", "features.lists"


def choose_design(current: Session, design: str = "", slug: str = "", **further: Any) -> None:
    """Go to Simulate's questions with a design and further values, or those of an experiment."""
    values = {"of": slug} | ({"design": design} if design else {}) | further
    set_widgets(current, {f"{LIST}.{name}": value for name, value in values.items()})
    go_to("simulate", "questions")


def choose_experiment(current: Session, slug: str) -> None:
    """Choose an experiment on all tabs of Collect."""
    current.drafts[EXPERIMENT] = slug


def conditions_of(info: DatasetInfo) -> str:
    """Where the session notes for which column Side by side is to show maps, and if it began to."""
    return f"compare.conditions@{info.id}"


def ask_for_conditions(current: Session, info: DatasetInfo, column: str) -> None:
    """Let Side by side show a map for each value of a column of conditions."""
    current.drafts[conditions_of(info)] = [column, False]
