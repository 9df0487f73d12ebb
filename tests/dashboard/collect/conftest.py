"""The browser of participants."""

from __future__ import annotations

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import CHROMIUM


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--autoplay-policy=user-gesture-required"],
        )
        yield browser
        browser.close()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    yield context
    context.close()
