"""The documentation, as it was built, beside the pages; every page leads to what is said of it."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import tripletscope
from tripletscope.dashboard.serving.notice import notice

#: Where `make docs` puts the site: inside of the package, so that a wheel has it.
SITE = Path(tripletscope.__file__).resolve().parent / "help"
#: A site that is built again is seen at once; what has not changed is not sent.
_CHECKED = {"Cache-Control": "no-cache"}


class Help(StaticFiles):
    """Serves the site, or says how it is built where it was not.

    site: Folder of the site; it may be built while the server runs.
    """

    def __init__(self, site: Path = SITE) -> None:
        super().__init__(directory=site, html=True, check_dir=False)
        self._site = site

    async def check_config(self) -> None:
        """Nothing: a folder that is not there is no mistake."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file of a path."""
        if not (self._site / "index.html").exists():
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
