"""A server for those who only ask it something."""

from __future__ import annotations

import pytest

from tests.server import UNHURRIED, running


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    with running(tmp_path_factory.mktemp("workspace"), command=UNHURRIED) as found:
        yield found
