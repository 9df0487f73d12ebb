"""Tests. They load the compiled code that the command keeps, and has prepared."""

from tripletscope.dashboard.serving.cli import _choose_cache

_choose_cache()  # before numba is loaded
