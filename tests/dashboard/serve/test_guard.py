"""Who may ask the server for what."""

from __future__ import annotations

import http.client
import re
import urllib.error
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser import CHROMIUM, needs_browser
from tests.dashboard.serve.test_cli import get
from tests.server import UNHURRIED, running
from tripletscope.dashboard.serve.guard import is_own_origin


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """The address of a server that asks for its key, with the key."""
    more = ["--key", "--sample", "ekman_colors", "--host", "scope.example.org:8443"]
    with running(tmp_path_factory.mktemp("locked"), more=more, command=UNHURRIED) as found:
        yield found


@pytest.mark.parametrize(("origin", "host", "own"), [
    ("http://localhost:8501", "localhost:8501", True),
    ("http://localhost:8501", "127.0.0.1:8501", True),
    ("HTTP://LOCALHOST:8501", "localhost:8501", True),
    ("http://localhost:9000", "localhost:9000", True),  # through a tunnel
    ("http://localhost:9000", "localhost:8501", False),
    ("http://localhost", "localhost:8501", False),
    ("https://scope.example.org", "scope.example.org", True),
    ("https://scope.example.org:443", "scope.example.org", True),
    ("https://scope.example.org:8443", "scope.example.org:8443", True),
    ("https://scope.example.org:8443", "scope.example.org", False),
    ("https://scope.example.org", "localhost:8501", True),  # a proxy that names itself
    ("http://scope.example.org:8501", "localhost:8501", False),
    ("https://far.example.org:8443", "localhost:8501", True),
    ("https://far.example.org", "localhost:8501", False),
    ("https://example.org", "scope.example.org", False),
    ("https://scope.example.org.elsewhere.org", "scope.example.org", False),
    ("https://a.wild.org", "a.wild.org", True),
    ("https://b.wild.org", "a.wild.org", False),
    ("null", "localhost:8501", False),
    ("", "localhost:8501", False),
    ("file://", "localhost:8501", False),
    ("ftp://localhost:8501", "localhost:8501", False),
    ("http://localhost:8501@elsewhere.org", "localhost:8501", False),
    ("http://elsewhere.org@localhost:8501", "localhost:8501", False),
    ("http://localhost:8501/page", "localhost:8501", False),
    ("http://localhost:x", "localhost:8501", False),
    ("http://[localhost", "localhost:8501", False),
])
def test_own_pages_are_told_from_others(origin, host, own):
    hosts = ["localhost", "127.0.0.1", "scope.example.org", "*.wild.org", "Far.example.org:8443"]
    assert is_own_origin(origin, host, 8501, hosts) == own


def test_pages_come_with_security_headers(address):
    headers = get(address).headers
    assert headers["x-content-type-options"] == "nosniff"
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'self'"
    assert policy["object-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["connect-src"] == "'self' data: blob:"


@pytest.mark.parametrize("path", [
    "metrics", "script-health-check", "agent/openapi.json", "agent/mcp", "agent/interact",
    "anything",
])
def test_nothing_is_told_about_the_server(address, path):
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(f"{address}/_stcore/{path}")
    assert caught.value.code == 404
    assert caught.value.read() == b"Not found"


def test_what_the_page_asks_of_the_server_tells_nothing(address):
    assert get(f"{address}/_stcore/health").read() == b"ok"
    assert get(f"{address}/tripletscope/health").read() == b"ok"
    assert b'"allowedOrigins":[]' in get(f"{address}/_stcore/host-config").read()


# The key -------------------------------------------------------------------------------------


def ask(
    locked: str, path: str, method: str = "GET", **headers: str
) -> tuple[int, http.client.HTTPMessage, str]:
    """Status, headers and text of what is asked without following anything."""
    connection = http.client.HTTPConnection(urlsplit(locked).netloc, timeout=300)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode(errors="replace")


WEBSOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
PLACES = [
    ("GET", "/", {}), ("GET", "/embedding", {}), ("GET", "/static/js/anything.js", {}),
    ("GET", "/_stcore/health", {}), ("GET", "/_stcore/host-config", {}),
    ("GET", "/_stcore/metrics", {}), ("GET", "/media/anything", {}),
    ("PUT", "/_stcore/upload_file/session/file", {}), ("GET", "/tripletscope/health", {}),
    ("GET", "/tripletscope/pictures/a.png", {}), ("GET", "/tripletscope/jobs/a", {}),
    ("GET", "/tripletscope/jobs/a/map", {}), ("GET", "/_stcore/stream", WEBSOCKET),
    ("GET", "/nothing", {}), ("POST", "/auth/login", {}), ("GET", "//elsewhere.org/", {}),
]


@pytest.mark.parametrize(("method", "path", "headers"), PLACES)
def test_without_the_key_nothing_is_answered(locked, method, path, headers):
    port = urlsplit(locked).port
    for cookie in ({}, {"Cookie": f"tripletscope-key-{port}=wrong"},
                   {"Cookie": f"tripletscope-key-{port}=\xe4"}):
        status, _, text = ask(locked, path, method, **headers, **cookie)
        assert (status, text) == (401, "The key is missing")


def test_the_key_in_the_address_becomes_a_cookie(locked):
    (key,) = parse_qs(urlsplit(locked).query)["key"]
    status, headers, text = ask(locked, f"/embedding?a=%26%22x&key={key}&b=")
    assert status == 200
    assert 'content="0;url=/embedding?a=%26%22x&amp;b="' in text, "and leaves the address"
    assert key not in text
    cookie, *flags = headers["set-cookie"].split("; ")
    assert cookie == f"tripletscope-key-{urlsplit(locked).port}={key}"
    assert {"HttpOnly", "SameSite=strict", "Path=/"} == set(flags)
    assert headers["cache-control"] == "no-store"
    assert ask(locked, "/tripletscope/health", Cookie=cookie)[::2] == (200, "ok")
    assert ask(locked, "/_stcore/stream", **WEBSOCKET, Cookie=cookie)[0] == 101
    assert 'url=/elsewhere.org/"' in ask(locked, f"//elsewhere.org/?key={key}")[2]
    forwarded = {"X-Forwarded-Proto": "https", "Host": "scope.example.org:8443"}
    assert "Secure" in ask(locked, f"/?key={key}", **forwarded)[1]["set-cookie"]


@pytest.mark.parametrize("given", ["http://[", "%ff%fe", "%ed%a0%80", "//[x]?key=1", ""])
def test_what_is_no_key_is_no_fault_of_the_server(locked, given):
    assert ask(locked, f"/?key={given}", Accept="text/html")[0] == 401


def test_every_server_has_another_key(locked, tmp_path):
    with running(tmp_path, more=["--key"], command=UNHURRIED) as other:
        keys = [parse_qs(urlsplit(address).query)["key"][0] for address in (locked, other)]
        assert len(set(keys)) == 2
        assert min(map(len, keys)) >= 32
        assert ask(other, f"/?key={keys[0]}")[0] == 401


def test_who_has_no_key_is_told_how_to_get_in(locked):
    browser = {"Accept": "text/html,*/*"}
    status, _, text = ask(locked, '/data?session=a"b&key=wrong', **browser)
    assert status == 401
    assert "The key is not right" in text
    assert '<input type="hidden" name="session" value="a&quot;b">' in text
    assert "The key is missing" in ask(locked, "/", **browser)[2]


@pytest.mark.browser
@needs_browser
def test_a_browser_comes_in_and_everything_works(locked):
    """Under a proxy's name; what the policy forbids would be told on the console."""
    (key,) = parse_qs(urlsplit(locked).query)["key"]
    port = urlsplit(locked).port
    flags = ["--no-sandbox", f"--host-resolver-rules=MAP scope.example.org 127.0.0.1:{port}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(300_000)
        told = []
        page.on("console", lambda message: told.append(message.text))
        page.goto("http://scope.example.org/?sample=ekman_colors")
        expect(page.get_by_role("heading", name="The key is missing")).to_be_visible()
        told.clear()  # browsers say that they were refused
        page.get_by_label("Key").fill(f"http://localhost:{port}/?key={key}")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("heading", name="Ekman's colours", exact=True)).to_be_visible(
            timeout=300_000
        )
        page.locator(".st-key-findings-map .js-plotly-plot").wait_for()
        assert "key=" not in page.url
        assert re.search(r"session=[\w-]", page.url)
        page.get_by_test_id("stSidebarNav").get_by_role("link", name="Start").click()
        page.locator(".st-key-upload input[type=file]").set_input_files({
            "name": "few.csv", "mimeType": "text/csv", "buffer": b"head,left,right,winner\n" +
            b"".join(b"%d,%d,%d,%d\n" % (k % 5, (k + 1) % 5, (k + 2) % 5, (k + 1) % 5)
                     for k in range(60)),
        })
        expect(page.get_by_role("heading", name="Reading few.csv")).to_be_visible(timeout=300_000)
        assert [text for text in told if "Content Security Policy" in text] == []
        browser.close()
