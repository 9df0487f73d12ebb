"""The browser that tests use: Chromium, where it is installed."""

from __future__ import annotations

import os
import shutil

import pytest

#: Set where a missing browser must be a failure rather than a reason to skip.
REQUIRED = os.environ.get("TRIPLETSCOPE_REQUIRE_BROWSER") == "1"

#: The shell without windows is the same browser, and takes a sixth less of processor time.
_NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome",
)
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)

needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="no Chrome or Chromium is installed"
)
