"""A server for a lab: listed people sign in with their institution.

Streamlit and authlib speak OpenID Connect, and keep the person in a signed cookie. The door checks
it before anything else of the server sees a request.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import html
import json
import os
import re
import secrets
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tripletscope.dashboard.serve.notice import NEVER, notice
from tripletscope.dashboard.store.services import for_people, work_in, workspace_folder
from tripletscope.dashboard.streamlit_parts import (
    can_sign_in,
    sign_in_path,
    signed_in,
    user_of_script,
)

#: Header in which the door names the person for Streamlit; a browser's own is removed.
HEADER = "x-tripletscope-person"
_SIGN_IN = "/tripletscope/sign-in"
#: Streamlit's addresses for signing in and out.
_OPEN = ("/auth/login", "/auth/logout", "/oauth2callback")
_SECRET = re.compile("[0-9a-f]{64}")
#: Folder of personal workspaces.
_PEOPLE = "people"
#: Microsoft's metadata for people of any organisation.
_OF_ANYBODY = re.compile(r"/(common|organizations|consumers)/", re.IGNORECASE)
_LISTED = re.compile(r"[^@\s]*@[^@\s]+")


class LabError(Exception):
    """A lab's file cannot be used."""


@dataclass(frozen=True)
class Lab:
    """Who may come in, and where they work.

    address: Of the dashboard, without a path.
    people: Addresses, and domains as ``@example.org``, in small letters.
    shared: Whether all work in one workspace; else everybody has their own.
    hours: Length of a session.
    provider: ``metadata``, ``client_id``, ``client_secret``.
    secret: Signs the cookies; the same after a restart with the same provider.
    confirmed: Whether addresses need no confirmation by the provider.
    """

    address: str
    people: frozenset[str]
    shared: bool
    hours: float
    provider: dict[str, str]
    secret: str
    confirmed: bool = False

    @property
    def host(self) -> str:
        """Name and port under which browsers reach the server."""
        return urlsplit(self.address).netloc

    @property
    def secrets(self) -> dict[str, Any]:
        """Streamlit's settings for signing in."""
        return {"auth": {
            "redirect_uri": f"{self.address}/oauth2callback", "cookie_secret": self.secret,
            "client_id": self.provider["client_id"],
            "client_secret": self.provider["client_secret"],
            "server_metadata_url": self.provider["metadata"],
        }}

    def lists(self, person: str) -> bool:
        """Whether an address is on the list, or its domain is."""
        name, _, domain = person.rpartition("@")
        return bool(name) and (person in self.people or f"@{domain}" in self.people)

    def folder(self, workspace: Path, person: str) -> Path:
        """The workspace of a person."""
        if self.shared:
            return workspace
        # Readable for administrators, and unique.
        readable = re.sub(r"[^a-z0-9]+", "-", person)[:60].strip("-")
        digest = hashlib.sha256(person.encode()).hexdigest()
        return workspace / _PEOPLE / f"{readable}-{digest[:12]}"


def read_lab(path: Path, workspace: Path) -> Lab:
    """A lab's file.

    workspace: Folder in which the secret is kept.
    """
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"{path} is not TOML: {error}") from None
    if not can_sign_in():
        raise LabError(
            "Signing in needs authlib. Install it in a copy of the repository: pip install '.[lab]'"
        )
    try:
        return _checked(settings, workspace)
    except ValueError as error:
        raise LabError(f"{path}: {error}") from None
    except OSError as error:
        raise LabError(f"{workspace} cannot be written ({error.strerror})") from None


def _checked(settings: dict[str, Any], workspace: Path) -> Lab:
    unknown = set(settings) - {
        "address", "people", "workspaces", "hours", "provider", "addresses_are_confirmed",
    }
    if unknown:
        raise ValueError(f"unknown settings: {', '.join(sorted(unknown))}")
    address = settings.get("address")
    if not isinstance(address, str) or not re.fullmatch(r"https?://[^/\s@]+/?", address):
        raise ValueError('address must be where people open the dashboard: "https://example.org"')
    people = settings.get("people")
    if not isinstance(people, list) or not people or not all(
        isinstance(person, str) and _LISTED.fullmatch(person) for person in people
    ):
        raise ValueError('people must be a list of addresses, or domains as "@example.org"')
    workspaces = settings.get("workspaces", "own")
    if workspaces not in ("own", "shared"):
        raise ValueError('workspaces must be "own" or "shared"')
    hours = settings.get("hours", 12)
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not hours > 0:
        raise ValueError("hours must be a number above 0")
    provider = settings.get("provider")
    wanted = {"metadata", "client_id", "client_secret"}
    if not isinstance(provider, dict) or set(provider) != wanted or not all(
        isinstance(value, str) and value for value in provider.values()
    ):
        raise ValueError("[provider] must have metadata, client_id and client_secret")
    confirmed = settings.get("addresses_are_confirmed", False)
    if not isinstance(confirmed, bool):
        raise ValueError("addresses_are_confirmed must be true or false")
    if confirmed and _OF_ANYBODY.search(provider["metadata"]):
        raise ValueError(
            "addresses_are_confirmed cannot be true for a provider of several organisations, as "
            "each names its people as it likes; use your organisation's metadata"
        )
    return Lab(
        address.rstrip("/"), frozenset(person.lower() for person in people),
        workspaces == "shared", float(hours), provider,
        _secret(workspace, provider), confirmed,
    )


def _secret(workspace: Path, provider: dict[str, str]) -> str:
    """Signs the cookies; derived from a stored secret and the provider."""
    path = workspace / "lab.secret"
    if not (path.is_file() and _is_private(path) and _SECRET.fullmatch(path.read_text())):
        workspace.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        partial.replace(path)
    about = json.dumps([provider["metadata"], provider["client_id"]])
    return hmac.new(path.read_bytes(), about.encode(), "sha256").hexdigest()


def _is_private(path: Path) -> bool:
    """Whether no other account may read a file; Windows has other means."""
    return os.name == "nt" or not path.stat().st_mode & 0o077


def open_lab(path: Path) -> Lab:
    """Read a lab's file, and choose workspaces by it from now on."""
    workspace = workspace_folder()
    lab = read_lab(path, workspace)

    def folder_of_script() -> Path | None:
        person = user_of_script().get("person")
        return lab.folder(workspace, person) if person else None

    for_people(folder_of_script)
    return lab


class SignedIn:
    """The door of a lab's server: sends people to sign in, and names them to Streamlit."""

    def __init__(self, app: ASGIApp, lab: Lab, workspace: Path) -> None:
        self._app = app
        self._lab = lab
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        kept = [(name, value) for name, value in scope["headers"] if name != HEADER.encode()]
        if scope.get("method") == "GET" and scope["path"] in _OPEN:
            await self._app({**scope, "headers": kept}, receive, send)
            return
        if scope.get("method") == "GET" and scope["path"] == _SIGN_IN:
            where = f"{self._lab.address}{sign_in_path()}"
            await RedirectResponse(where, 303, headers=NEVER)(scope, receive, send)
            return
        person, left = _who(connection, self._lab)
        if person is None or left <= 0 or not self._lab.lists(person):
            await _refusal(connection, self._lab, person, left)(scope, receive, send)
            return
        work_in(self._lab.folder(self._workspace, person))
        scope = {**scope, "headers": [*kept, (HEADER.encode(), person.encode())]}
        if scope["type"] == "websocket":
            receive = _until(time.monotonic() + left, receive)
        await self._app(scope, receive, send)


def _who(connection: HTTPConnection, lab: Lab) -> tuple[str | None, float]:
    """The person in the cookie, and the seconds until it expires."""
    claims = signed_in(connection.cookies, lab.secret)
    person, since = claims.get("email"), claims.get("iat")
    if (
        not isinstance(person, str) or not person.isprintable() or not person.isascii()
        or not isinstance(since, int | float)
        # Some providers let people write any address into their profile.
        or claims.get("email_verified", lab.confirmed) is not True
    ):
        return None, 0.0
    return person.lower(), since + 3600 * lab.hours - time.time()


def _until(end: float, receive: Receive) -> Receive:
    """The messages of a websocket, which closes at a time of the monotonic clock."""

    async def limited() -> Message:
        try:
            return await asyncio.wait_for(receive(), max(end - time.monotonic(), 0))
        except TimeoutError:
            return {"type": "websocket.disconnect", "code": 1008}

    return limited


def _refusal(connection: HTTPConnection, lab: Lab, person: str | None, left: float) -> Response:
    listed = person is None or lab.lists(person)
    status = 401 if listed else 403
    if "text/html" not in Headers(scope=connection.scope).get("accept", ""):
        return PlainTextResponse("Sign in first" if listed else "Not on the list", status)
    way_in = f'<p><a href="{_SIGN_IN}">Sign in</a></p>'
    if not listed:
        title, body = "You are not on the list", (
            f"<p>{html.escape(str(person))} may not use this dashboard. Ask its administrator, or "
            '<a href="/auth/logout">sign out</a> and come in under another address.</p>'
        )
    elif person is not None and left <= 0:
        title, body = "Your session has ended", f"<p>Your work is kept.</p>{way_in}"
    else:
        title, body = "TripletScope", way_in
    return HTMLResponse(notice(title, body), status, headers=NEVER)
