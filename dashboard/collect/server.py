"""The server of one experiment: its page, its files, and participants' requests.

It knows no dashboard, no workspace and no other experiment: people who reach it reach no more.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.lists import check_questions, person_list
from tripletscope.dashboard.collect import jspsych
from tripletscope.dashboard.collect.people import PREVIEW, SIMULATED, Reception, Reply
from tripletscope.dashboard.collect.requests import (
    MOST_BYTES,
    Malformed,
    read_beginning,
    read_body,
    read_content,
    read_sender,
)
from tripletscope.dashboard.collect.texts import CLIENT, page_data
from tripletscope.dashboard.collect.writer import AnswerLog, NotKept, set_setting, setting
from tripletscope.dashboard.sandbox.outgoing import MEDIA, held

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
#: The types of the page's own files.
_KINDS = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".txt": "text/plain; charset=utf-8",
    ".svg": MEDIA[".svg"],
}
# All content comes from here; isolated pages get the browser's most exact clock.
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-robots-tag", b"noindex"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", (
        b"default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
        b"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )),
]
_NEVER, _ASKED_AGAIN, _AN_HOUR = "no-store", "no-cache", "private, max-age=3600"


def _with_headers(app: ASGIApp) -> ASGIApp:
    """Adds the headers to every response that has no others."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", [])
                said = {name for name, _ in headers}
                message["headers"] = [*headers, *(one for one in _HEADERS if one[0] not in said)]
            await send(message)

        await app(scope, receive, send_with_headers)

    return answer


class ExperimentServer:
    """Endpoints of one experiment; `instance` is what ``/health`` says."""

    def __init__(self, folder: Path, instance: str) -> None:
        self._instance = instance
        self.experiment = Experiment.load(folder)
        check_questions(self.experiment)
        person_list(self.experiment, 0)  # fails now rather than for each participant
        self._answers = AnswerLog(folder)
        try:
            name = self._answers.ask(self._its_log).result()
            data = page_data(self.experiment, name)
            self._data = json.dumps(data, ensure_ascii=False).encode()
        except BaseException:
            self._answers.close()
            raise
        self._reception = Reception(self.experiment, self._answers.clock)
        self._files = StaticFiles(directory=folder, check_dir=False)
        self._stimuli = folder / STIMULI
        self._names = {*self.experiment.files}
        self._lists = ThreadPoolExecutor(1, "lists of questions")
        self._simulated = asyncio.Lock()

    def close(self) -> None:
        """Finish waiting jobs, and close the log."""
        self._lists.shutdown()
        self._answers.close()

    def routes(self) -> list[Route]:
        """All addresses."""
        return [
            Route("/", self._page), Route("/health", self._health),
            Route("/experiment.json", self._experiment),
            Route("/client/{file}", self._client), Route("/jspsych/{file}", self._jspsych),
            Route("/stimuli/{file}", self._stimulus),
            *(Route(f"/{what}", self._endpoint(what), methods=["POST"])
              for what in ("begin", "next", "answers", "events", "end")),
        ]

    def _its_log(self, log: Connection) -> str:
        """The name of the log, which never mixes answers to different tasks or objects."""
        now = json.dumps([self.experiment.task, sorted(o.id for o in self.experiment.objects)])
        before = setting(log, "asked_about", now)
        if before != now and log.execute("SELECT 1 FROM people").fetchone():
            raise DataError(
                "the task or the objects have changed since people began",
                file=self.experiment.title,
                remedy="Make a new experiment of it, in a folder of its own.",
            )
        set_setting(log, "asked_about", now)
        name = str(setting(log, "name") or secrets.token_hex(8))
        set_setting(log, "name", name)
        set_setting(log, PREVIEW, str(setting(log, PREVIEW) or secrets.token_urlsafe(12)))
        return name

    # Files --------------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        return self._file(request, CLIENT / "page.html", _ASKED_AGAIN)

    async def _health(self, request: Request) -> Response:
        return _json({"instance": self._instance})

    async def _experiment(self, request: Request) -> Response:
        return Response(self._data, media_type="application/json",
                        headers={"Cache-Control": _NEVER})

    async def _client(self, request: Request) -> Response:
        return self._file(request, CLIENT / _plain_name(request), _ASKED_AGAIN)

    async def _jspsych(self, request: Request) -> Response:
        missing = jspsych.missing()
        if missing:
            raise HTTPException(404, missing)
        return self._file(request, jspsych.FOLDER / _plain_name(request), _ASKED_AGAIN)

    async def _stimulus(self, request: Request) -> Response:
        name = _plain_name(request)
        if name not in self._names:
            raise HTTPException(404)
        response = self._file(request, self._stimuli / name, _AN_HOUR, MEDIA)
        held(response.headers)
        return response

    def _file(
        self, request: Request, path: Path, kept: str, kinds: Mapping[str, str] = _KINDS
    ) -> Response:
        """A file directly inside a public folder, of a known type."""
        try:
            whole = path.resolve(strict=True)
            status = whole.stat()
        except OSError:
            raise HTTPException(404) from None
        kind = kinds.get(path.suffix.lower())
        if kind is None or whole.parent != path.parent.resolve() or not whole.is_file():
            raise HTTPException(404)
        response = self._files.file_response(whole, status, request.scope)
        response.headers["Content-Type"] = kind
        response.headers["Cache-Control"] = kept
        return response

    # Requests -----------------------------------------------------------------------------------

    def _endpoint(self, what: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                reply = await self._answer(what, read_body(await _body(request)))
            except Malformed as error:
                await self._note(what, str(error))
                return _json({"why": str(error), "state": error.page}, 400)
            except HTTPException as error:
                await self._note(what, error.detail)
                raise
            except NotKept as error:
                return _json(
                    {"why": "Nothing can be stored at the moment; send it again later."},
                    507 if error.is_full else 503,
                )
            return _json(reply.content, reply.status)

        return endpoint

    async def _note(self, what: str, why: str) -> None:
        """Log a refusal, if that is possible."""
        with suppress(NotKept):
            await self._do(self._reception.refuse, None, what, why, "")

    async def _do(self, job: Callable[..., Any], *content: Any) -> Any:
        return await asyncio.wrap_future(self._answers.ask(lambda log: job(log, *content)))

    async def _answer(self, what: str, body: Mapping[str, Any]) -> Reply:
        if what != "begin":
            return await self._do(
                self._reception.request, what, *read_sender(body), *read_content(what, body)
            )
        reply = await self._do(self._reception.begin, read_beginning(body))
        if reply.number is not None:
            # One list is made at a time, so that answers do not wait for many; and only one
            # simulated person queues, so that participants do not wait for many of those.
            async with self._simulated if reply.number >= SIMULATED else nullcontext():
                questions = await asyncio.get_running_loop().run_in_executor(
                    self._lists, self._reception.questions_for, reply.number
                )
            reply.content["left"] = await self._do(
                self._reception.hand_out, reply.number, questions
            )
        return reply


async def _body(request: Request) -> bytes:
    """The content of a request, up to `MOST_BYTES`."""
    content = bytearray()
    try:
        async for part in request.stream():
            content += part
            if len(content) > MOST_BYTES:
                raise HTTPException(413, f"A request may have {MOST_BYTES:,} bytes.")
    except ClientDisconnect:
        raise HTTPException(400, "The connection was lost.") from None
    return bytes(content)


def _plain_name(request: Request) -> str:
    name = request.path_params["file"]
    if not _FILE.fullmatch(name):
        raise HTTPException(404)
    return name


def _json(what: Mapping[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(what), status, {"Cache-Control": _NEVER},
                    media_type="application/json")


async def _refused(request: Request, error: HTTPException) -> Response:
    why = "There is nothing here." if error.detail == "Not Found" else error.detail
    response = _json({"why": why}, error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    return _json({"why": "The server failed; send it again later."}, 500)


def make_experiment_server(folder: Path, instance: str = "") -> Starlette:
    """The app of the experiment in a folder, for any ASGI server with a single process."""
    server = ExperimentServer(folder, instance)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            server.close()

    app = Starlette(
        routes=server.routes(), lifespan=lifespan, middleware=[Middleware(_with_headers)],
        exception_handlers={HTTPException: _refused, Exception: _failed},
    )
    app.router.redirect_slashes = False  # redirections would miss a proxy's prefix
    return app
