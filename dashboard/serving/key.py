"""The key of a server: who has been told its address comes in, other accounts do not."""

from __future__ import annotations

import html
import secrets
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tripletscope.dashboard.serving.notice import notice

#: What the key is called in an address.
PARAMETER = "key"
_NEVER = {"Cache-Control": "no-store"}


def new_key() -> str:
    """A key that cannot be guessed; another one for every start.

    While no server runs, any account may listen at its port, and a browser with an open tab hands
    it the cookie: a key that were kept would open the next server to it.
    """
    return secrets.token_urlsafe(24)


def with_key(key: str) -> Callable[[ASGIApp], ASGIApp]:
    """The door of a server that asks for a key."""
    return lambda app: _Key(app, key)


class _Key:
    """Asks for the key once, in the address, and from then on for the cookie that it gives.

    A cookie of a host goes to all of its ports: its name has the port, so that servers side by
    side do not take each other's away.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        name = f"tripletscope-key-{(scope.get('server') or ('', 0))[1]}"
        given = connection.query_params.get(PARAMETER)
        if given is not None and scope["type"] == "http" and self._is_right(_told(given)):
            await self._let_in(connection, name)(scope, receive, send)
        elif self._is_right(connection.cookies.get(name, "")):
            await self._app(scope, receive, send)
        else:
            await _refusal(connection, wrong=given is not None)(scope, receive, send)

    def _is_right(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._key.encode())

    def _let_in(self, connection: HTTPConnection, name: str) -> Response:
        """On to the same address without the key, which is nobody else's to read there.

        By a page of ours, not by a redirection: after one from another place browsers keep the
        cookie back.
        """
        url = connection.url
        rest = urlencode([p for p in parse_qsl(url.query, True) if p[0] != PARAMETER])
        # A path of two slashes at its beginning would be another host.
        where = html.escape("/" + url.path.lstrip("/") + (f"?{rest}" if rest else ""))
        response = HTMLResponse(
            notice(
                "Opening", f'<p><a href="{where}">Open the dashboard</a></p>',
                head=f'<meta http-equiv="refresh" content="0;url={where}">',
            ),
            headers=_NEVER,
        )
        response.set_cookie(
            name, self._key, httponly=True, samesite="strict", secure=url.scheme == "https"
        )
        return response


def _told(given: str) -> str:
    """A key that was given alone, or as part of an address."""
    try:
        query = urlsplit(given).query
    except ValueError:  # no address, though it looks like one
        return given
    return dict(parse_qsl(query)).get(PARAMETER, given.strip())


def _refusal(connection: HTTPConnection, wrong: bool) -> Response:
    """How to get in, as a page for those who look for one."""
    if "text/html" not in Headers(scope=connection.scope).get("accept", ""):
        return PlainTextResponse("The key is missing", 401, headers=_NEVER)
    kept = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
        for name, value in connection.query_params.multi_items() if name != PARAMETER
    )
    return HTMLResponse(
        notice(
            "The key is not right" if wrong else "The key is missing",
            "<p>This dashboard needs its address with the key. The terminal that started it shows "
            "both; a key is valid until the program ends.</p>"
            f'<form method="get">{kept}<label>Key, or the address with it'
            f'<input name="{PARAMETER}" autocomplete="off" autofocus></label>'
            "<button>Open</button></form>",
        ),
        401, headers=_NEVER,
    )
