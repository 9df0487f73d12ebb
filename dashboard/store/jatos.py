"""Finished results of a study on a JATOS server (https://www.jatos.org/JATOS-API.html).

They are read like an upload. The token is sent and never kept.
"""

from __future__ import annotations

import io
import ipaddress
import json
import re
import secrets
import socket
import threading
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.dashboard.files.contents import content_of, json_of, opened
from tripletscope.dashboard.files.storage import hash_of, slug, whole_file
from tripletscope.dashboard.sandbox.workers import File

_RESULTS = "/jatos/api/v1/results"
#: In a workspace: what was fetched, and the log of each study.
FETCHED, _LOG = "fetched", "log.json"
_PATIENCE, _LONGEST = 60.0, 1800.0  # seconds without an answer, and for all of it
_CHUNK, _MOST_METADATA = 2**16, 2**26  # bytes
#: IPv6 addresses of the public net, and those among them that stand for others.
_PUBLIC, _TUNNELS = ipaddress.ip_network("2000::/3"), ipaddress.ip_network("2001::/23")
#: Numbers of results are below this; longer ones are no numbers of JATOS.
_MOST_RESULTS = 2**63
_TOKEN = re.compile(r"[\w.~+/=-]+", re.ASCII)
_FILE = re.compile(r"[\w-]+\.zip", re.ASCII)
_fetching: dict[Path, threading.Lock] = {}


@dataclass(frozen=True)
class JatosStudy:
    address: str
    study: int

    @property
    def url(self) -> SplitResult:
        """The parts of the address; `DataError` if it is none."""
        try:
            url = urlsplit(self.address.strip().rstrip("/"))
            is_plain = "@" not in url.netloc and not url.query and not url.fragment
            if url.scheme in ("http", "https") and url.hostname and is_plain:
                return url._replace(netloc=f"{url.hostname}:{url.port}" if url.port else url.netloc)
        except ValueError:  # its port is no number
            pass
        raise self.problem("this is no address of a server", "Write https://name.of.server.")

    @property
    def name(self) -> str:
        """Name of its results, the same each time."""
        return f"{re.sub(r'[^a-z0-9]+', '-', self.url.netloc)} study {self.study} JATOS results"

    @property
    def base(self) -> str:
        """The path before JATOS's addresses, also where that of a page was copied."""
        return self.url.path.removesuffix("/jatos")

    @property
    def folder(self) -> str:
        """Name of its folder, unique for the study."""
        which = hash_of(f"{self.url.netloc}{self.base} {self.study}".encode())
        return f"{slug(self.name)}-{which[:12]}"

    def problem(self, what: str, remedy: str = "Check address, study and token.") -> DataError:
        """An error that does not contain the token."""
        return DataError(what, file=f"JATOS study {self.study}", remedy=remedy)


def fetched(workspace: Path, source: JatosStudy) -> list[dict[str, Any]]:
    """Earlier fetches of a study: time, results and file; none if the log is damaged."""
    folder = workspace / FETCHED / source.folder
    try:
        log = json_of(content_of(folder / _LOG))["fetched"]
        return [
            one for one in log if _FILE.fullmatch(one["file"]) and (folder / one["file"]).exists()
            and all(isinstance(n, int) for n in (one["unfinished"], *one["results"]))
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def fetch(
    workspace: Path, source: JatosStudy, token: str, *, is_shared: bool, most: int,
    progress: Progress = silent,
) -> list[File]:
    """Fetch the results that have finished since; all files so far, of at most `most` bytes.

    is_shared: Whether several people use this server; then it reaches only public addresses.
    """
    folder, token = workspace / FETCHED / source.folder, token.strip()
    if not _TOKEN.fullmatch(token):
        raise source.problem("this is no token of JATOS", "Copy it from your user menu in JATOS.")
    with _fetching.setdefault(folder, threading.Lock()):
        log, place = fetched(workspace, source), _place_of(source, is_shared)
        content = _post(source, place, token, "/metadata", {"studyIds": [source.study]},
                        _MOST_METADATA, progress)
        try:
            states = {
                int(result["id"]): result["studyState"]
                for study in json.loads(content)["data"] for result in study["studyResults"]
            }
            if not all(0 <= number < _MOST_RESULTS for number in states):
                raise OverflowError
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise source.problem("the server does not answer as JATOS does") from error
        finished = {number for number, state in states.items() if state == "FINISHED"}
        if new := sorted(finished.difference(*(one["results"] for one in log))):
            content = _post(source, place, token, "/data", {"studyResultIds": new}, most, progress)
            content = content.lstrip(b" ")  # they keep a slow connection alive
            if not content.startswith(b"PK") or not zipfile.is_zipfile(io.BytesIO(content)):
                raise source.problem("the server sent no complete ZIP of results")
            log.append({
                "at": datetime.now(UTC).isoformat(timespec="seconds"), "results": new,
                "unfinished": len(states) - len(finished),
                "file": f"{new[0]}-{secrets.token_hex(3)}.zip",
            })
            folder.mkdir(parents=True, exist_ok=True)
            said = {"address": source.address, "study": source.study, "fetched": log}
            for name, part in ((log[-1]["file"], content), (_LOG, json.dumps(said).encode())):
                with whole_file(folder / name) as file:
                    file.write(part)
        if not log:
            raise source.problem("no result has finished yet", "Fetch again when some have.")
        return [(source.name, _whole(folder / one["file"])) for one in log]


def _whole(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def _place_of(source: JatosStudy, is_shared: bool) -> tuple[str, int]:
    """Address and port, if the server may be asked."""
    url = source.url
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    try:
        (host, *_), *_ = (
            place for *_, place in socket.getaddrinfo(url.hostname, port, type=socket.SOCK_STREAM)
        )
    except (OSError, UnicodeError) as error:
        raise source.problem(f"there is no server {url.hostname}") from error
    place = ipaddress.ip_address(host.partition("%")[0])
    for hidden in ("ipv4_mapped", "sixtofour"):
        place = getattr(place, hidden, None) or place
    if is_shared and not _is_public(place):
        raise source.problem(f"{url.hostname} is an address within this server's network",
                             "A server for several people reaches only public addresses.")
    if url.scheme == "http" and not place.is_loopback:
        raise source.problem("the token would be sent unencrypted", "Write https://.")
    return host, port


def _is_public(place: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address leads out of every private network, whatever it may be translated to."""
    if place.version == 6 and (place not in _PUBLIC or place in _TUNNELS):
        return False
    return place.is_global and not place.is_multicast


def _post(
    source: JatosStudy, place: tuple[str, int], token: str, path: str, question: dict[str, Any],
    most: int, progress: Progress,
) -> bytes:
    """The server's answer, up to a number of bytes. Redirections are not followed."""
    url = source.url
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = kind(url.hostname, url.port, timeout=_PATIENCE)
    lines: list[socket.socket] = []

    def connected(_: object, *arguments: Any) -> socket.socket:
        # To the checked address: the name may have another by now.
        line = socket.create_connection(place, *arguments)
        lines.append(line.dup())
        return line

    def hang_up() -> None:  # also where the server sends headers without end
        for line in lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    connection._create_connection = connected
    patience = threading.Timer(_LONGEST, hang_up)
    patience.daemon = True
    patience.start()
    try:
        connection.request("POST", source.base + _RESULTS + path, json.dumps(question), {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json",
        })
        answer, content = connection.getresponse(), bytearray()
        if answer.status in (401, 403):
            raise source.problem("the server refuses the token for this study")
        if answer.status != 200:
            raise source.problem(f"the server answers with status {answer.status}")
        while piece := answer.read1(_CHUNK):
            content += piece
            if len(content) > most:
                raise source.problem(f"it has more than {most / 1e6:,.0f} MB",
                                     "Export parts of it in JATOS, and upload these.")
            if progress(len(content) / most):
                raise Stopped
        if not patience.is_alive() or answer.length:
            raise TimeoutError
        return bytes(content)
    except (OSError, HTTPException, UnicodeError) as error:
        why = type(error).__name__
        raise source.problem(f"{url.hostname} cannot be reached ({why})") from error
    finally:
        patience.cancel()
        connection.close()
        for line in lines:
            line.close()
