"""The server: the app with its routes, its start and its end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import tripletscope
from tripletscope.dashboard.collect.following import state_told
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.pool import close_pool, pool
from tripletscope.dashboard.jobs.queue import Failed
from tripletscope.dashboard.sandbox.outgoing import held, type_of
from tripletscope.dashboard.serve.guard import LOOPBACK, Door, Guard
from tripletscope.dashboard.serve.notice import NEVER, notice
from tripletscope.dashboard.serve.watchdog import watch_pages
from tripletscope.dashboard.store.experiments import experiment_folder, stimulus_file
from tripletscope.dashboard.store.services import close_all, services
from tripletscope.dashboard.ui.guide import HELP, help_on
from tripletscope.dashboard.ui.watching import state_of
from tripletscope.dashboard.words.formats import plain

log = logging.getLogger(__name__)

APP = Path(__file__).resolve().parent.parent / "app.py"
_FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
#: Seconds without compilation, for the first pages and jobs.
_FIRST = 5.0
_PICTURE_SIZES = (64, 128, 320)
#: From `make docs`; inside the package for wheels.
SITE = Path(tripletscope.__file__).resolve().parent / "help"
_CHECKED = {"Cache-Control": "no-cache"}  # the browser asks whether it has changed


def _plotly(request: Request) -> Response:
    return Response(get_plotlyjs(), media_type="text/javascript", headers=_FOREVER)


def _picture(request: Request) -> Response:
    """A picture, whole or, with ``?size=``, small; its name is never used again."""
    size = request.query_params.get("size")
    if size is not None and size not in map(str, _PICTURE_SIZES):
        raise HTTPException(404)
    try:
        path = services().workspace.picture(request.path_params["file"], size and int(size))
    except (OSError, WorkspaceError):
        raise HTTPException(404) from None
    return _users_file(path, _FOREVER)


def _stimulus(request: Request) -> Response:
    """A stimulus of a kept experiment; a new one may have the same name."""
    path = stimulus_file(
        services().workspace, request.path_params["slug"], request.path_params["file"]
    )
    if path is None:
        raise HTTPException(404)
    return _users_file(path, {"Cache-Control": "no-cache"})


def _users_file(path: Path, headers: Mapping[str, str]) -> Response:
    response = FileResponse(path, media_type=type_of(path), headers=headers)
    held(response.headers)
    return response


def _experiment(request: Request) -> Response:
    """The state of a running experiment."""
    folder = experiment_folder(services().workspace, request.path_params["slug"])
    state = None if folder is None else state_told(folder)
    if state is None:
        raise HTTPException(404)
    return JSONResponse(dict(state), headers=NEVER)


def _job(request: Request) -> Response:
    """The state of a job, or one of its views."""
    job = services().job(request.path_params["job"])
    if job is None:
        raise HTTPException(404)
    services().jobs.seen(job.owner)
    name = request.path_params.get("view")
    if name is None:
        return JSONResponse(state_of(job), headers=NEVER)
    make = job.views.get(name)
    view = make() if make else None
    if view is None:
        return Response(status_code=204, headers=NEVER)
    return Response(view, media_type="application/json", headers=NEVER)


def _health(request: Request) -> Response:
    return PlainTextResponse("ok")


def _get_ready() -> None:
    """Load pages, start a process for the first job, then compile for the pages."""
    import_module("tripletscope.pages.start.recent")  # while a browser starts
    with suppress(Failed), pool().taken():
        pass
    time.sleep(_FIRST)
    from tripletscope.dashboard.jobs.prepare import compile_all

    compile_all()


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    pool().warm()
    watch_pages()
    threading.Thread(target=_get_ready, name="compiler", daemon=True).start()
    try:
        yield
    finally:
        from tripletscope.dashboard.print.browser import close_browser

        close_all()
        close_pool()
        close_browser()


def _explain(error: Exception) -> bool:
    """Show an error without the program's insides."""
    if isinstance(error, WorkspaceError):
        st.error(plain(str(error)), icon=":material/error:")
        return True
    log.error("a page failed", exc_info=error)
    st.error(
        "Something went wrong on this page. Your data and results are kept. Reload the page; if "
        "it happens again, send the server's log to the developers."
        f"{help_on(trouble='faults')}", icon=":material/error:",
    )
    return True


def routes() -> list[BaseRoute]:
    """All addresses beside Streamlit's."""
    return [
        Route(f"/tripletscope/plotly-{get_plotlyjs_version()}.min.js", _plotly),
        Route("/tripletscope/pictures/{file:path}", _picture),
        Route("/tripletscope/experiments/{slug}", _experiment),
        Route("/tripletscope/experiments/{slug}/{file}", _stimulus),
        Route("/tripletscope/jobs/{job}", _job),
        Route("/tripletscope/jobs/{job}/{view}", _job),
        Route("/tripletscope/health", _health),
        Mount(HELP, Help()),
    ]


def make_app(
    hosts: Sequence[str] = LOOPBACK, door: Door | None = None,
    secrets: Mapping[str, Any] | None = None,
) -> st.App:
    """The whole application, for any ASGI server with a single process.

    hosts, door: As of `Guard`.
    secrets: Streamlit's settings for signing in.
    """
    return st.App(
        APP,
        lifespan=_lifespan,
        routes=routes(),
        middleware=[Middleware(Guard, hosts=hosts, door=door)],
        on_script_error=_explain,
        secrets=secrets,
    )


class Help(StaticFiles):
    """Serves the site, which may be built later, or how to build it."""

    def __init__(self, site: Path = SITE) -> None:
        super().__init__(directory=site, html=True, check_dir=False)

    async def check_config(self) -> None:
        """Nothing: the folder may be missing."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file of a path."""
        if not Path(self.directory, "index.html").exists():
            return HTMLResponse(
                notice(
                    "Help is not here yet",
                    "<p>The documentation was not built with this copy of TripletScope; the "
                    "command <code>make docs</code> in its repository builds it.</p>",
                ),
                404, headers=_CHECKED,
            )
        response = await super().get_response(path, scope)
        response.headers.update(_CHECKED)
        return response
