"""Results of a study on a JATOS server: what has finished since they were fetched last.

JATOS hands out metadata and data of results to anyone with a token of a member of the study
(https://www.jatos.org/JATOS-API.html). The token is sent, and kept nowhere. What comes is kept as
it is, and read like any upload.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.dashboard.door.workers import File
from tripletscope.dashboard.keeping.files import slug, whole_file
from tripletscope.dashboard.wording.formats import count

_RESULTS = "/jatos/api/v1/results"
#: In a workspace: what was fetched.
FETCHED, _LOG = "fetched", "log.json"
_PATIENCE, _CHUNK, _MOST_METADATA = 60.0, 2**16, 2**26  # seconds, bytes, bytes
_TOKEN = re.compile(r"[\w.~+/=-]+", re.ASCII)
_fetching: dict[Path, threading.Lock] = {}


@dataclass(frozen=True)
class JatosStudy:
    """A study on a JATOS server."""

    address: str
    study: int

    @property
    def url(self) -> SplitResult:
        """The parts of the address; `DataError` if it is none."""
        try:
            url = urlsplit(self.address.strip().rstrip("/"))
            is_sound = url.scheme in ("http", "https") and url.hostname and "@" not in url.netloc
            url.port  # noqa: B018 - or it is no number
        except ValueError:
            is_sound = False
        if not is_sound:
            raise self.problem("the address is none of a server", "Write https://name.of.server.")
        return url

    @property
    def name(self) -> str:
        """What its results are called: the same whenever they are fetched."""
        host = re.sub(r"\W+", "-", self.url.netloc)
        return f"{host} study {self.study} JATOS results"

    def problem(self, what: str, remedy: str = "Check address, study and token.") -> DataError:
        """What is wrong, in words that tell nothing of the token."""
        return DataError(what, file=f"JATOS study {self.study}", remedy=remedy)


def fetched(workspace: Path, source: JatosStudy) -> list[dict[str, Any]]:
    """What was fetched of a study: when, which results, and in which file."""
    try:
        log = json.loads((workspace / FETCHED / slug(source.name) / _LOG).read_bytes())
        return [one for one in log["fetched"] if isinstance(one["results"], list)
                and (workspace / FETCHED / slug(source.name) / Path(one["file"]).name).exists()]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def fetch(
    workspace: Path, source: JatosStudy, token: str, *, is_shared: bool, most: int,
    progress: Progress = silent,
) -> list[File]:
    """Fetch the finished results that were not fetched before; all that were fetched, as files.

    is_shared: Whether others work on this server, who may reach public addresses alone.
    most: Bytes that are taken.
    """
    folder = workspace / FETCHED / slug(source.name)
    if not _TOKEN.fullmatch(token.strip()):
        raise source.problem("the token is none of JATOS", "Copy it from your user menu in JATOS.")
    with _fetching.setdefault(folder, threading.Lock()):
        log = fetched(workspace, source)
        there = {result for one in log for result in one["results"]}
        server = _Server(source, token.strip(), is_shared, progress)
        finished, unfinished = _finished(source, server)
        new = sorted(set(finished) - there)
        if not new and not log:
            raise source.problem(
                f"no result has finished yet ({unfinished:,} under way or stopped)",
                "Fetch again when participants have finished.",
            )
        if new:
            content = server.post("/data", {"studyResultIds": new}, most)
            if not content.lstrip(b" ").startswith(b"PK"):
                raise source.problem("the server sent no ZIP of results")
            log.append({
                "at": datetime.now(UTC).isoformat(timespec="seconds"), "results": new,
                "bytes": len(content), "file": f"{len(log) + 1}.zip", "unfinished": unfinished,
            })
            folder.mkdir(parents=True, exist_ok=True)
            with whole_file(folder / log[-1]["file"]) as file:
                file.write(content.lstrip(b" "))  # which keep a slow connection alive
            said = {"address": source.address, "study": source.study, "fetched": log}
            with whole_file(folder / _LOG) as file:
                file.write(json.dumps(said, indent=1).encode())
        return [(source.name, (folder / one["file"]).read_bytes()) for one in log]


def log_said(log: list[dict[str, Any]]) -> list[str]:
    """Each time that results were fetched, in a line."""
    return [
        f"{one['at'].replace('T', ' ')[:16]} UTC: {count(len(one['results']), 'new result')} "
        f"({one['bytes'] / 1e6:,.1f} MB), {one['unfinished']:,} not finished"
        for one in log
    ]


def _finished(source: JatosStudy, server: _Server) -> tuple[list[int], int]:
    """Numbers of the results that have finished, and how many have not."""
    content = server.post("/metadata", {"studyIds": [source.study]}, _MOST_METADATA)
    try:
        results = [
            (int(result["id"]), str(result["studyState"]))
            for study in json.loads(content)["data"] for result in study["studyResults"]
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise source.problem("the server does not answer as JATOS does") from error
    finished = [number for number, state in results if state == "FINISHED"]
    return finished, len(results) - len(finished)


class _Server:
    """A JATOS server at an address that may be asked."""

    def __init__(
        self, source: JatosStudy, token: str, is_shared: bool, progress: Progress
    ) -> None:
        self._source, self._token, self._progress = source, token, progress
        url = source.url
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        try:
            places = socket.getaddrinfo(url.hostname, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise source.problem(f"there is no server {url.hostname}") from error
        self._place = places[0][4][:2]
        place = ipaddress.ip_address(self._place[0].partition("%")[0])
        place = getattr(place, "ipv4_mapped", None) or place
        if is_shared and (not place.is_global or place.is_multicast):
            raise source.problem(
                f"{url.hostname} is an address within this server's network",
                "A server for several people reaches public addresses alone.",
            )
        if url.scheme == "http" and not place.is_loopback:
            raise source.problem("the token would be sent unencrypted", "Write https://.")

    def post(self, path: str, asked: Mapping[str, Any], most: int) -> bytes:
        """What the server answers, of at most so many bytes. No redirection is followed."""
        url = self._source.url
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = kind(url.hostname, url.port, timeout=_PATIENCE)
        # At the address that was checked: by now the name may stand for another.
        connection._create_connection = lambda _, *given: socket.create_connection(
            self._place, *given
        )
        try:
            connection.request("POST", url.path + _RESULTS + path, json.dumps(asked), {
                "Authorization": f"Bearer {self._token}", "Content-Type": "application/json",
            })
            answer = connection.getresponse()
            if answer.status in (401, 403):
                raise self._source.problem("the server refuses the token for this study")
            if answer.status != 200:
                raise self._source.problem(f"the server answers with status {answer.status}")
            content = bytearray()
            while piece := answer.read(_CHUNK):
                content += piece
                if len(content) > most:
                    raise self._source.problem(f"it has more than {most / 1e6:,.0f} MB", "Export "
                                               "parts of it in JATOS, and upload these.")
                if self._progress(min(len(content) / most, 1.0)):
                    raise Stopped
            return bytes(content)
        except (OSError, HTTPException) as error:
            raise self._source.problem(
                f"{url.hostname} cannot be reached ({type(error).__name__})"
            ) from error
        finally:
            connection.close()
