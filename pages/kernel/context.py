"""What the views of the page Kernel share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tripletscope.core.similarity.kernels.kernel import Kernel
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import method_form

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
    def about(self) -> str:
        """Kernel and data, for captions."""
        return f"{analysis.describe(self.method)}. {self.size}"


def choose_kernel(context: Context) -> KernelContext:
    """Ask for a kernel."""
    picture, side = context.picture_and_side()
    with side:
        kernel = context.settled(method_form(
            context.session, "kernel", PAGE, "k1", label="Kernel", automatic=analysis.FROM_ANSWERS
        ))
    return KernelContext.of(context, method=kernel, picture=picture, side=side)
