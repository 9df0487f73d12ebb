"""What the views of the page People share: the column of people, and the model of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tripletscope.core.people import WeightedEuclidean
from tripletscope.core.run import Run
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import parameter_form
from tripletscope.dashboard.ui.page import link_to
from tripletscope.dashboard.ui.watching import watch

PAGE = "people"


@dataclass(frozen=True)
class PeopleContext(Context):
    """The open data set, and the people who gave its answers.

    picture, side: Places for what is seen, and for settings.
    """

    picture: Any
    side: Any

    @property
    def groups(self) -> list[str]:
        """Columns that divide the answers: that of participants first."""
        return dividing_columns(self.answers.answers)

    def model(self, **given: Any) -> WeightedEuclidean:
        """Ask for the model of people, whose settings all tabs share."""
        values = parameter_form(
            self.session, WeightedEuclidean, f"{PAGE}.model@{self.info.id}",
            hidden=("alike", *given), columns={"answers": self.groups},
        )
        return WeightedEuclidean(**values, **given)

    def compared(self, method: WeightedEuclidean) -> Run | None:
        """The newest comparison of views of people under a model, if there is one."""
        return self.find(method, "compare_people")


def with_people(context: Context) -> PeopleContext | None:
    """The answers of at least two people; None where nobody is named."""
    if not dividing_columns(context.answers.answers):
        watch(context.job)
        panels.empty(
            "No participants",
            "These answers have no column of participants. Choose one when the file is read, on "
            "the page Data.",
        )
        link_to("data")
        return None
    picture, side = context.picture_and_side()
    return PeopleContext.of(context, picture=picture, side=side)
