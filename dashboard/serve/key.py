"""The key of a server, which keeps other accounts of the machine out."""

from __future__ import annotations

import html
import secrets
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tripletscope.dashboard.serve.notice import NEVER, notice

#: Of addresses.
PARAMETER = "key"


class KeyDoor:
    """Asks for the key in the address once, then for a cookie.

    The cookie's name has the port, because a host's ports share its cookies.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        name = f"tripletscope-key-{(scope.get('server') or ('', 0))[1]}"
        key = connection.query_params.get(PARAMETER)
        if key is not None and scope["type"] == "http" and self._is_right(_key_in(key)):
            await self._let_in(connection, name)(scope, receive, send)
        elif self._is_right(connection.cookies.get(name, "")):
            await self._app(scope, receive, send)
        else:
            await _refusal(connection, wrong=key is not None)(scope, receive, send)

    def _is_right(self, key: str) -> bool:
        return secrets.compare_digest(key.encode(), self._key.encode())

    def _let_in(self, connection: HTTPConnection, name: str) -> Response:
        """On to the same address without the key.

        By a page: after a redirection from another site, browsers withhold the cookie.
        """
        url = connection.url
        rest = urlencode([p for p in parse_qsl(url.query, True) if p[0] != PARAMETER])
        # A path that begins with two slashes would name another host.
        where = html.escape("/" + url.path.lstrip("/") + (f"?{rest}" if rest else ""))
        response = HTMLResponse(
            notice(
                "Opening", f'<p><a href="{where}">Open the dashboard</a></p>',
                head=f'<meta http-equiv="refresh" content="0;url={where}">',
            ),
            headers=NEVER,
        )
        response.set_cookie(
            name, self._key, httponly=True, samesite="strict", secure=url.scheme == "https"
        )
        return response


def _key_in(text: str) -> str:
    """The key in a text that is a key, or an address with one."""
    try:
        query = urlsplit(text).query
    except ValueError:  # a malformed address
        return text
    return dict(parse_qsl(query)).get(PARAMETER, text.strip())


def _refusal(connection: HTTPConnection, wrong: bool) -> Response:
    """How to get in, as a page for browsers."""
    if "text/html" not in Headers(scope=connection.scope).get("accept", ""):
        return PlainTextResponse("The key is missing", 401, headers=NEVER)
    kept = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
        for name, value in connection.query_params.multi_items() if name != PARAMETER
    )
    return HTMLResponse(
        notice(
            "The key is not right" if wrong else "The key is missing",
            "<p>TripletScope has a new key each time it starts, so a bookmark, or a tab from "
            "before, lacks it. Nothing is lost.</p>"
            "<ul><li>Copy the address from the terminal in which TripletScope runs, and open it "
            "or put it below.</li>"
            "<li>Without a terminal, start TripletScope again: it opens the browser by itself.</li>"
            "<li>Where nobody else has an account on this machine, "
            "<code>tripletscope --no-key</code> does without a key, and bookmarks stay valid.</li>"
            "</ul>"
            f'<form method="get">{kept}<label>Key, or the address with it'
            f'<input name="{PARAMETER}" autocomplete="off" autofocus></label>'
            "<button>Open</button></form>",
        ),
        401, headers=NEVER,
    )
