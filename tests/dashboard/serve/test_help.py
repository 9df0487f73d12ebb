"""The documentation beside the pages."""

from __future__ import annotations

import asyncio
import urllib.error
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.dashboard.serve.test_cli import get
from tests.paths import ROOT
from tests.server import UNHURRIED, running
from tripletscope.dashboard.serve.server import SITE, Help
from tripletscope.dashboard.ui.guide import HELP


@pytest.fixture
def site(tmp_path):
    return tmp_path / "help"


@pytest.fixture
def ask(site) -> Callable[..., httpx.Response]:
    """Asks a server for a place below Help."""
    transport = httpx.ASGITransport(Starlette(routes=[Mount(HELP, Help(site))]))

    async def asked(place: str, **headers: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(f"{HELP}/{place}", headers=headers)

    return lambda place, **headers: asyncio.run(asked(place, **headers))


def test_where_it_was_not_built_it_says_how(ask):
    for place in ("", "index.html", "pages/data.html"):
        answer = ask(place)
        assert answer.status_code == 404
        assert "<code>make docs</code>" in answer.text


def test_what_is_built_while_the_server_runs_is_served(ask, site):
    assert ask("").status_code == 404
    (site / "pages").mkdir(parents=True)
    (site / "index.html").write_text("<h1>Help</h1>")
    (site / "pages" / "data.html").write_text("<h1>Data</h1>")
    assert ask("").text == "<h1>Help</h1>"
    page = ask("pages/data.html")
    assert (page.status_code, page.text) == (200, "<h1>Data</h1>")
    again = ask("pages/data.html", **{"if-none-match": page.headers["etag"]})
    assert again.status_code == 304
    assert ask("pages/nothing.html").status_code == 404
    (site / "index.html").write_text("<h1>Other</h1>")
    assert ask("").text == "<h1>Other</h1>"


def test_nothing_outside_of_the_site_is_served(ask, site):
    site.mkdir()
    (site / "index.html").write_text("")
    (site.parent / "secret.txt").write_text("secret")
    for way in ("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt"):
        assert "secret" not in ask(way).text


def test_it_is_where_the_site_is_built():
    make = (ROOT / "Makefile").read_text()
    assert f"{SITE.relative_to(ROOT)}" in make


def test_the_server_serves_it_to_those_whom_it_lets_in(tmp_path):
    with running(tmp_path, more=["--key"], command=UNHURRIED) as address:
        parts = urlsplit(address)
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(f"{parts.scheme}://{parts.netloc}{HELP}/index.html")
        assert refused.value.code == 401
        assert refused.value.headers["content-security-policy"]
