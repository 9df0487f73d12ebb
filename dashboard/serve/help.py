"""Serves the built documentation beside the pages."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import tripletscope
from tripletscope.dashboard.serve.notice import notice

#: From `make docs`; inside the package for wheels.
SITE = Path(tripletscope.__file__).resolve().parent / "help"
_CHECKED = {"Cache-Control": "no-cache"}  # the browser asks whether it has changed


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
