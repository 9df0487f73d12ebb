"""The server: the app with its routes, headers, and what happens at start and end."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import plotly
import streamlit as st
from plotly.offline import get_plotlyjs_version
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tripletscope.dashboard.interface.panels import plain
from tripletscope.dashboard.interface.watching import state_of
from tripletscope.dashboard.keeping.catalogue import WorkspaceError
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.serving.prepare import compile_all

log = logging.getLogger(__name__)

APP = Path(__file__).resolve().parent.parent / "app.py"
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_NEVER = {"Cache-Control": "no-store"}
_PICTURE_SIZES = (64, 128, 320)
_LOOPBACK = ("localhost", "127.0.0.1")
_ORIGIN = re.compile(r"https?://[^/?#@\s]+", re.IGNORECASE)
_USUAL_PORTS = {"http": 80, "https": 443}

# Everything the page needs comes from this server. Streamlit's own front end evaluates code and
# styles elements, which the policy has to allow.
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"SAMEORIGIN",
    b"referrer-policy": b"no-referrer",
    b"content-security-policy": (
        b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
        b"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        b"connect-src 'self' ws: wss: data: blob:; worker-src 'self' blob:; frame-src 'self' blob:"
    ),
}


class _Guard:
    """Answers requests for the allowed host names and from own pages only, and adds the headers.

    Streamlit itself checks its websocket alone; pictures are worth as much. And before it refuses
    a foreign origin, it asks a service elsewhere for our address, while everybody waits.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._unguarded = app

    @cached_property
    def _app(self) -> ASGIApp:
        # The configuration is complete only when the server is running.
        hosts = [host.lower() for host in st.get_option("server.allowedHosts") or ["*"]]
        app = _OwnPages(self._unguarded, hosts)
        return TrustedHostMiddleware(app, allowed_hosts=hosts, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS.items()]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class _OwnPages:
    """Refuses what pages of other origins ask for; whoever is no browser names no origin."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            _, port = scope.get("server") or (None, None)
            if not all(
                is_own_origin(origin, headers.get("host", ""), port, self._hosts)
                for origin in headers.getlist("origin")
            ):
                await PlainTextResponse("Foreign origin", 403)(scope, receive, send)
                return
        if scope["type"] == "websocket":
            # Or Streamlit would ask elsewhere about one that a proxy has made differ from Host.
            kept = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            scope = {**scope, "headers": kept}
        await self._app(scope, receive, send)


def is_own_origin(origin: str, host: str, port: int | None, hosts: Collection[str]) -> bool:
    """Whether a page is one of this server.

    Parameters
    ----------
    origin, host : str
        Headers of the request; `host` is allowed.
    port : int or None
        Where this server listens; another program of this machine listens at another.
    hosts : collection of str
        The allowed host names. All but those of this machine are names of a reverse proxy.
    """
    if not _ORIGIN.fullmatch(origin):
        return False
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        usual = _USUAL_PORTS[page.scheme]
        place = page.hostname, page.port or usual
        if place == (asked.hostname, asked.port or usual):
            return True
    except ValueError:  # a port that is no number, or the like
        return False
    return page.hostname in hosts and place[1] == (port if page.hostname in _LOOPBACK else usual)


def _plotly(request: Request) -> Response:
    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return FileResponse(script, media_type="text/javascript", headers=_FOREVER)


def _picture(request: Request) -> Response:
    """A picture, whole or, with ``?size=``, small. Its name is the hash of its content."""
    size = request.query_params.get("size")
    if size is not None and size not in map(str, _PICTURE_SIZES):
        raise HTTPException(404)
    try:
        path = services().workspace.picture(request.path_params["file"], size and int(size))
    except (OSError, WorkspaceError):
        raise HTTPException(404) from None
    return FileResponse(path, headers=_FOREVER)


def _job(request: Request) -> Response:
    """The state of a job, or with the name of a view, what there is to see of it."""
    job = services().jobs.get(request.path_params["job"])
    if job is None:
        raise HTTPException(404)
    view = request.path_params.get("view")
    if view is None:
        return JSONResponse(state_of(job), headers=_NEVER)
    make = job.views.get(view)
    made = make() if make else None
    if made is None:
        return Response(status_code=204, headers=_NEVER)
    return Response(made, media_type="application/json", headers=_NEVER)


def _health(request: Request) -> Response:
    return PlainTextResponse("ok")


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    threading.Thread(target=compile_all, name="compiler", daemon=True).start()
    try:
        yield
    finally:
        from tripletscope.dashboard.export import close_browser

        with suppress(WorkspaceError):  # there was none that could be used
            services().close()
        close_browser()


def _explain(error: Exception) -> bool:
    """Show what went wrong without showing the program's insides."""
    if isinstance(error, WorkspaceError):
        st.error(plain(str(error)), icon=":material/error:")
        return True
    log.error("a page failed", exc_info=error)
    st.error(
        "Something went wrong on this page. Your data and results are kept. Reload the page; if "
        "it happens again, the server's log says what the developers need to know.",
        icon=":material/error:",
    )
    return True


def make_app() -> st.App:
    """The whole application, for any ASGI server with a single process."""
    return st.App(
        APP,
        lifespan=_lifespan,
        routes=[
            Route(f"/tripletscope/plotly-{get_plotlyjs_version()}.min.js", _plotly),
            Route("/tripletscope/pictures/{file}", _picture),
            Route("/tripletscope/jobs/{job}", _job),
            Route("/tripletscope/jobs/{job}/{view}", _job),
            Route("/tripletscope/health", _health),
        ],
        middleware=[Middleware(_Guard)],
        on_script_error=_explain,
    )
