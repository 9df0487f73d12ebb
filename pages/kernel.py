"""Kernel: similarities from triplets without a map, and what can be learned from them."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.kernel.page import show_kernel
from tripletscope.dashboard.views.opening import opened


def main() -> None:
    current = session()
    info = opened(
        current, "Kernel",
        "Kernels are computed from answers: upload a file on the start page, or open one of the "
        "samples.",
    )
    if info is not None:
        show_kernel(current, info)


main()
