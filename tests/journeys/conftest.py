"""One server for all journeys of a process; each brings data of its own."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

from tests.browser import CHROMIUM
from tests.journeys.pages import FLAGS, answers_about_towns, context_of
from tests.ports import free_port
from tests.server import UNHURRIED, running


class House:
    """A server that stays, and can be started anew at its address."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self._port = free_port()
        self._server = ExitStack()
        self.start()

    def start(self) -> None:
        self.address = self._server.enter_context(
            running(self.workspace, self._port, command=UNHURRIED)
        )

    def stop(self) -> None:
        self._server.close()


@pytest.fixture(scope="session")
def house(tmp_path_factory) -> Iterator[House]:
    found = House(tmp_path_factory.mktemp("house"))
    yield found
    found.stop()


@pytest.fixture
def address(house) -> str:
    return house.address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """What the pages of a file share: the program that is loaded."""
    # Playwright keeps its event loop, beside which tests of other files could not run theirs.
    assert CHROMIUM, "these tests need Chromium, which is not installed"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield context_of(found)
        found.close()


@pytest.fixture(autouse=True)
def _pages_are_closed(request) -> Iterator[None]:
    """Pages that stay open go on drawing what their sessions show, beside the next tests."""
    yield
    if "browser" in request.fixturenames:
        context = request.getfixturevalue("browser")
        for other in context.browser.contexts:
            if other != context:
                other.close()
        for page in context.pages:
            page.close()
        context.clear_cookies()


@pytest.fixture
def answers(tmp_path, request) -> Path:
    """A file of answers about towns that no other test has."""
    name = request.node.name.removeprefix("test_")
    return answers_about_towns(tmp_path, name, zlib.crc32(name.encode()))
