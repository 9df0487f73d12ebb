"""A lab's server: only people of the list come in, by a provider that runs here."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import CHROMIUM, needs_browser
from tests.dashboard.serve.test_guard import PLACES, WEBSOCKET
from tests.ports import free_port
from tests.server import UNHURRIED, running
from tests.waiting import PATIENCE
from tripletscope.dashboard.serve.lab import Lab, LabError, read_lab

httpx = pytest.importorskip("httpx")
oidc = pytest.importorskip("oidc_provider_mock")

FILE = """
address = "http://localhost:{port}"
people = ["ann@example.org", "@lab.example.org"]
workspaces = "{workspaces}"
hours = {hours}

[provider]
metadata = "http://localhost:{provider}/.well-known/openid-configuration"
client_id = "scope"
client_secret = "a secret"
"""
PEOPLE = {
    "ann": {"email": "Ann@example.org", "email_verified": True},
    "bob": {"email": "bob@lab.example.org", "email_verified": True},
    "carl": {"email": "carl@lab.example.org"},
    "eve": {"email": "eve@example.org", "email_verified": True},
    "mallory": {"email": "ann@example.org", "email_verified": False},
}
BROWSER = {"Accept": "text/html,*/*"}


@pytest.fixture(scope="module")
def provider():
    users = [oidc.User(sub=sub, claims=claims) for sub, claims in PEOPLE.items()]
    with oidc.run_server_in_thread(user_claims=users) as server:
        for user in users:
            httpx.put(
                f"http://localhost:{server.server_port}/users/{user.sub}", json=PEOPLE[user.sub]
            ).raise_for_status()
        yield server.server_port


@contextmanager
def serving(folder, provider, workspaces="own", hours=12):
    port = free_port()
    file = folder / "lab.toml"
    file.write_text(
        FILE.format(port=port, provider=provider, workspaces=workspaces, hours=hours)
    )
    more = ["--lab", str(file)]
    with running(folder / "workspace", port, more, UNHURRIED) as address:
        yield address


@pytest.fixture(scope="module")
def lab(tmp_path_factory, provider):
    with serving(tmp_path_factory.mktemp("lab"), provider) as address:
        yield address


def visitor(address: str) -> Any:
    return httpx.Client(base_url=address, headers=BROWSER, timeout=PATIENCE)


def sign_in(address: str, name: str) -> Any:
    """A browser in which somebody has signed in with the provider."""
    client = visitor(address)
    page = client.get("/tripletscope/sign-in", follow_redirects=True)
    assert page.url.path == "/oauth2/authorize", page
    answer = client.post(page.url, data={"sub": name})
    assert answer.headers["location"].startswith(f"{address}/oauth2callback?code=")
    client.get(answer.headers["location"])
    return client


@pytest.mark.parametrize(("method", "path", "headers"), PLACES)
def test_nobody_is_answered_without_signing_in(lab, method, path, headers):
    for more in ({}, {"Cookie": "_streamlit_user=x"}, {"X-Tripletscope-Person": "ann@example.org"}):
        headers = {**headers, **more, "Accept": "*/*"}
        answer = httpx.request(method, lab + path, headers=headers, timeout=PATIENCE)
        assert (answer.status_code, answer.text) == (401, "Sign in first")


def test_who_is_on_the_list_comes_in(lab):
    page = visitor(lab).get("/")
    assert page.status_code == 401
    assert 'href="/tripletscope/sign-in"' in page.text
    for name in ("ann", "bob"):
        client = sign_in(lab, name)
        assert client.get("/").status_code == 200
        assert client.get("/tripletscope/health").text == "ok"
        assert client.get("/tripletscope/jobs/a").status_code == 404
        assert client.get("/_stcore/metrics").status_code == 404
        with client.stream("GET", "/_stcore/stream", headers=WEBSOCKET) as stream:
            assert stream.status_code == 101
        client.get("/auth/logout")
        assert client.get("/").status_code == 401


def test_who_is_not_on_the_list_is_told_so(lab):
    client = sign_in(lab, "eve")
    page = client.get("/")
    assert page.status_code == 403
    assert "eve@example.org may not use this dashboard" in page.text
    for method, path, headers in PLACES:
        headers = {**headers, "Accept": "*/*"}
        assert client.request(method, lab + path, headers=headers).status_code == 403


def test_an_address_that_nobody_has_confirmed_is_nobodys(lab):
    for name in ("mallory", "carl"):
        assert sign_in(lab, name).get("/").status_code == 401


def test_a_session_ends(provider, tmp_path):
    with serving(tmp_path, provider, hours=6 / 3600) as address:
        client = sign_in(address, "ann")
        with client.stream("GET", "/_stcore/stream", headers=WEBSOCKET) as stream:
            assert stream.status_code == 101
            said = stream.extensions["network_stream"].read(1000, timeout=PATIENCE)
            assert said == b"", "it is closed before the server asks who is still there"
        page = client.get("/")
        assert page.status_code == 401
        assert "Your session has ended" in page.text
        answer = client.get("/tripletscope/health", headers={"Accept": "*/*"})
        assert (answer.status_code, answer.text) == (401, "Sign in first")


@pytest.mark.parametrize(("change", "message"), [
    (('address = "http', 'address = "ftp'), "address must be"),
    (('"@lab.example.org"', '"everybody"'), "people must be"),
    (("[provider]", "addresses_are_confirmed = 1\n[provider]"), "must be true or false"),
    (('[provider]\nmetadata = "http://', 'addresses_are_confirmed = true\n[provider]\n'
      'metadata = "http://example.org/common/'), "several organisations"),
    (("people = [", "persons = ["), "unknown settings: persons"),
    (('"own"', '"mine"'), "workspaces must be"),
    (("hours = 12", "hours = 0"), "hours must be"),
    (('client_secret = "a secret"', ""), "[provider] must have"),
    (("[provider]", "[provider"), "is not TOML"),
])
def test_a_file_that_cannot_be_used_is_explained(tmp_path, change, message):
    file = tmp_path / "lab.toml"
    file.write_text(FILE.format(port=1, provider=2, workspaces="own", hours=12).replace(*change))
    with pytest.raises(LabError) as caught:
        read_lab(file, tmp_path)
    assert message in str(caught.value)
    with pytest.raises(LabError, match="cannot be read"):
        read_lab(tmp_path / "missing.toml", tmp_path)
    assert not (tmp_path / "lab.secret").exists()


def test_what_signs_the_cookies_is_kept_for_the_account_alone(tmp_path):
    def secret(**change: str) -> str:
        file = tmp_path / "lab.toml"
        text = FILE.format(port=1, provider=2, workspaces="own", hours=12)
        for old, new in change.items():
            text = text.replace(f'{old} = "', f'{old} = "{new}')
        file.write_text(text)
        return read_lab(file, tmp_path / "new").secret

    first, kept = secret(), tmp_path / "new" / "lab.secret"
    assert len(first) == 64
    assert secret(client_secret="another ") == first
    assert secret(metadata="https://else.org/") != first, "it names other people"
    assert secret(client_id="else") != first
    assert list((tmp_path / "new").iterdir()) == [kept]
    harms = [lambda: kept.write_text(""), kept.unlink]
    if os.name != "nt":
        harms.append(lambda: kept.chmod(0o644))
    for harm in harms:
        before = secret()
        harm()
        assert secret() != before
        assert os.name == "nt" or kept.stat().st_mode & 0o777 == 0o600


def test_who_is_signed_in_stays_so_when_the_server_starts_again(provider, tmp_path):
    with serving(tmp_path, provider) as address:
        cookies = sign_in(address, "ann").cookies
    with serving(tmp_path, provider) as address:
        client = visitor(address)
        client.cookies.update(cookies)
        assert client.get("/").status_code == 200


def test_everybody_has_a_workspace_or_all_have_one(tmp_path):
    people = ["ann@example.org", "ann-example@org.org", "a.nn@example.org", "@x", "../../etc@x.y"]
    for shared, different in ((True, 1), (False, len(people))):
        lab = Lab("http://localhost", frozenset(), shared, 1.0, {}, "")
        folders = {lab.folder(tmp_path, person) for person in people}
        assert len(folders) == different
        assert all(folder.resolve().is_relative_to(tmp_path) for folder in folders)


def test_the_list_is_of_addresses_and_domains():
    lab = Lab("", frozenset({"ann@example.org", "@lab.example.org"}), True, 1.0, {}, "")
    listed = [person for person in (
        "ann@example.org", "bob@lab.example.org", "bob@example.org", "bob@xlab.example.org",
        "ann@example.org@evil.org", "bob@lab.example.org.evil.org", "", "@", "lab.example.org",
    ) if lab.lists(person)]
    assert listed == ["ann@example.org", "bob@lab.example.org"]


def test_cookies_are_names_that_the_server_has_signed(lab):
    forged = json.dumps({"email": "ann@example.org", "iat": time.time(), "is_logged_in": True})
    client = visitor(lab)
    client.cookies.set("_streamlit_user", forged.encode().hex())
    assert client.get("/").status_code == 401
    assert urlsplit(lab).hostname == "localhost"


@pytest.mark.browser
@needs_browser
def test_people_work_in_workspaces_of_their_own(lab):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        ann, bob = (open_as(browser, lab, name) for name in ("ann", "bob"))
        asked = []
        ann.on("request", lambda request: asked.append(request.url))
        ann.goto(f"{lab}/?sample=ekman_colors")
        expect(ann.get_by_role("heading", name="Ekman's colours", exact=True)).to_be_visible()
        ann.get_by_test_id("stSidebar").get_by_role("link", name="Embedding", exact=True).click()
        expect(ann.get_by_role("heading", name="Embedding", exact=True)).to_be_visible()
        ann.locator(".st-key-map .nsewdrag").wait_for()
        with ann.expect_download() as waiting:
            ann.get_by_role("button", name="Download figure").click()
            ann.get_by_role("button", name="Numbers (CSV)").click()
        assert waiting.value.failure() is None
        ann.wait_for_timeout(1000)
        jobs = {url for url in asked if "/tripletscope/jobs/" in url}
        assert jobs, "the job of the map was followed"
        for url in jobs:
            assert ann.context.request.get(url, max_retries=3).status in (200, 204)
            assert bob.context.request.get(url, max_retries=3).status == 404
        bob.reload()
        expect(bob.get_by_role("heading", name="Samples", exact=True)).to_be_visible()
        expect(bob.get_by_role("heading", name="Recent", exact=True)).to_have_count(0)
        ann.goto(lab)
        expect(ann.get_by_role("heading", name="Recent", exact=True)).to_be_visible()
        ann.get_by_role("button", name="Sign out").click()
        ann.wait_for_url(lambda url: "end_session" in url)
        assert ann.context.request.get(lab, max_retries=3).status == 401
        assert bob.context.request.get(lab, max_retries=3).status == 200
        browser.close()


def open_as(browser: Browser, address: str, name: str) -> Page:
    """The start page of somebody who signs in."""
    page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    page.set_default_timeout(300_000)
    page.goto(address)
    page.get_by_role("link", name="Sign in").click()
    page.locator("input[name=sub]").fill(name)
    page.locator("input[name=sub]").press("Enter")
    expect(page.get_by_text(PEOPLE[name]["email"].lower())).to_be_visible(timeout=300_000)
    return page
