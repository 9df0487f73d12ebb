"""A server for those who only ask it something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import UNHURRIED, running


@pytest.fixture(scope="session")
def workspace(tmp_path_factory) -> Path:
    """What it serves."""
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="session")
def address(workspace) -> Iterator[str]:
    with running(workspace, command=UNHURRIED) as found:
        yield found
