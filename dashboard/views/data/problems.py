"""What goes wrong is said where it is seen, and the page goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from tripletscope.dashboard.interface import panels


@contextmanager
def problems_shown(
    *kinds: type[Exception], file: str = "", show: Callable[..., Any] = st.error,
    icon: str = "error",
) -> Iterator[None]:
    """Say what goes wrong in a block, of which the rest is left out.

    file: That a `DataError` is about, where it does not say so.
    """
    try:
        yield
    except kinds as error:
        text = str(error.at(file) if file else error)
        show(panels.plain(text), icon=f":material/{icon}:")
