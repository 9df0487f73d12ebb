"""Embedding: the objects on a map, with the uncertainty of their positions."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.embedding.page import show_embedding
from tripletscope.dashboard.views.opening import opened


def main() -> None:
    current = session()
    info = opened(
        current, "Embedding",
        "A map needs answers: upload a file on the start page, or open one of the samples.",
    )
    if info is not None:
        show_embedding(current, info)


main()
