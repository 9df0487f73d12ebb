"""Refuses requests before anything else of the server sees them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tripletscope.dashboard import BROWSER
from tripletscope.dashboard.sandbox.outgoing import held

#: Wraps an app for requests and websockets, and decides who may use it.
Door = Callable[[ASGIApp], ASGIApp]

LOOPBACK = ("localhost", "127.0.0.1")
_ORIGIN = re.compile(r"https?://[^/?#@\s]+", re.IGNORECASE)
_HOST = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?(:[0-9]{1,5})?", re.IGNORECASE)
_USUAL_PORTS = {"http": 80, "https": 443}

# All content comes from this server, whose websocket is 'self', too. Streamlit's front end
# evaluates code and styles elements, which the policy has to allow.
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"content-security-policy": (
        b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
        b"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        b"connect-src 'self' data: blob:; worker-src 'self' blob:; frame-src 'none'; "
        b"object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
}
#: Where Streamlit gives out what it was shown and what is downloaded, below any base path.
_MEDIA = "/media/"
#: The page's first request, before its websocket.
_HEALTH = "/_stcore/health"
#: Streamlit's addresses that the page needs; others reveal the server's state.
_CORE = ("health", "host-config", "stream", "upload_file/", "bidi-components/")


def _browser(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The cookie that names a browser that has no name; scripts cannot read it."""
    if BROWSER in HTTPConnection(scope).cookies:
        return []
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    cookie = f"{BROWSER}={secrets.token_urlsafe(12)}; Path=/; HttpOnly; SameSite=Lax{secure}"
    return [(b"set-cookie", f"{cookie}; Max-Age=31536000".encode())]


class Guard:
    """Admits requests for allowed hosts and from own pages only, and adds headers.

    Streamlit checks its websocket alone, and asks an outside service for our address before it
    refuses an origin.

    hosts: As of `host_and_port`.
    door: Who may come in; by default everybody.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = LOOPBACK, door: Door | None = None
    ) -> None:
        self._unguarded = app
        app = _needed_only(app)
        app = _own_pages(door(app) if door else app, hosts)
        names = [host_and_port(host)[0] for host in hosts]
        self._app = TrustedHostMiddleware(app, allowed_hosts=names, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):  # the start and end of the server
            await self._unguarded(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = [*message.get("headers", [])]
                if _MEDIA in scope["path"]:
                    held(MutableHeaders(raw=headers))
                said = {name.lower() for name, _ in headers}
                headers += [one for one in _HEADERS.items() if one[0] not in said]
                if scope["type"] == "http" and scope["path"] == _HEALTH:
                    headers += _browser(scope)
                message["headers"] = headers
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _own_pages(app: ASGIApp, hosts: Collection[str]) -> ASGIApp:
    """Refuses requests of pages from other origins; programs name no origin."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        _, port = scope.get("server") or (None, None)
        if not all(
            is_own_origin(origin, headers.get("host", ""), port, hosts)
            for origin in headers.getlist("origin")
        ):
            await PlainTextResponse("Foreign origin", 403)(scope, receive, send)
            return
        if scope["type"] == "websocket":
            # A proxy may have changed Host: Streamlit would ask outside about the origin.
            kept = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            scope = {**scope, "headers": kept}
        await app(scope, receive, send)

    return answer


def _needed_only(app: ASGIApp) -> ASGIApp:
    """Hides Streamlit's addresses that watch or drive it."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        # Below any base path.
        _, core, rest = scope["path"].partition("/_stcore/")
        if core and not rest.startswith(_CORE):
            await PlainTextResponse("Not found", 404)(scope, receive, send)
            return
        await app(scope, receive, send)

    return answer


def host_and_port(host: str) -> tuple[str, int | None]:
    """A host's name in small letters, and its port if there is one."""
    if not _HOST.fullmatch(host):
        raise ValueError(
            f"{host!r} is not the name of a host; give it as browsers show it, without https:// "
            "and without a path: scope.example.org, or scope.example.org:8443"
        )
    name, _, port = host.lower().partition(":")
    if port and not 1 <= int(port) <= 65535:
        raise ValueError(f"{port} is not a port, which is a number to 65535")
    return name, int(port) if port else None


def is_own_origin(origin: str, host: str, port: int | None, hosts: Collection[str]) -> bool:
    """Whether a page is one of this server.

    origin, host: Headers of the request; `host` is allowed.
    port: Of this server; other programs of this machine have others.
    hosts: Loopback names, and names of reverse proxies with unusual ports.
    """
    if not _ORIGIN.fullmatch(origin):
        return False
    try:
        page, address = urlsplit(origin), urlsplit(f"//{host}")
        usual = _USUAL_PORTS[page.scheme]
        place = page.hostname, page.port or usual
        if place == (address.hostname, address.port or usual):
            return True
    except ValueError:  # such as a port that is no number
        return False
    places = (host_and_port(allowed) for allowed in hosts)
    return place in [
        (name, port if name in LOOPBACK else named or usual) for name, named in places
    ]
