"""What the views of the page Kernel share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tripletscope.core.kernel.kernel import Kernel
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.controls import method_form
from tripletscope.dashboard.views.context import Context

PAGE = "kernel"


@dataclass(frozen=True)
class KernelContext(Context):
    """A kernel as it is set, with the places for what is seen and for what it is set by."""

    method: Kernel
    picture: Any
    side: Any

    def picture_and_side(self) -> tuple[Any, Any]:
        """The places that the kernel was asked for in."""
        return self.picture, self.side

    @property
    def kernel(self) -> Kernel:
        """What is computed for."""
        return self.method

    @property
    def about(self) -> str:
        """Kernel and data, for captions."""
        return f"{analysis.describe(self.kernel)}. {self.size}"

    def computed(self, task: str, options: Mapping[str, Any], about: str) -> Run | None:
        """The result of a task, where it is there, and the button that computes it."""
        found = self.find(self.kernel, task, options)
        with self.side:
            self.compute_button(
                f"{PAGE}.{task}.run", self.kernel.title,
                [] if found else [(self.kernel, task, options)], about,
            )
        return found


def choose_kernel(context: Context) -> KernelContext:
    """Ask for a kernel."""
    picture, side = context.picture_and_side()
    with side:
        kernel = method_form(context.session, "kernel", PAGE, "k1", label="Kernel")
    return KernelContext.of(context, method=kernel, picture=picture, side=side)
