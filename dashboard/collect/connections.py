"""Limits on connections, so that nobody keeps others out.

Requests have to arrive, and responses to be taken, in time. Without room for a new connection, the
address with most connections loses the one that has waited longest.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Collection
from functools import lru_cache, partial
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections in all, and of one address.
MOST_CONNECTIONS, MOST_OF_ONE = 4_000, 1_000
#: Seconds for a whole request to arrive, and for a response to be taken.
_ARRIVAL, _TAKING = 20.0, 60.0
#: Seconds between requests of one connection: longer than most answers take.
_IDLE = 75
_GRACE = 5  # seconds for requests under way when the server ends
_FORWARDED = b"x-forwarded-for"


class Room:
    """The connections of a server by address.

    most, most_of_one: Connections in all, and of one address.
    proxies: Reverse proxies, of which alone X-Forwarded-For is believed.
    """

    def __init__(
        self, most: int = MOST_CONNECTIONS, most_of_one: int = MOST_OF_ONE,
        proxies: Collection[str] = (),
    ) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._proxies = frozenset(map(_plain, proxies))
        self._holder: dict[WatchedConnection, str] = {}
        self._held: Counter[str] = Counter()
        self._waiting: dict[WatchedConnection, None] = {}  # the one that has waited longest first

    def hold(self, connection: WatchedConnection, holder: str, waits: bool) -> bool:
        """Note the address of a connection and whether its client is awaited; whether it stays."""
        if self._holder.get(connection) != holder:
            if not self._has_room(holder, connection not in self._holder):
                return False
            self.release(connection)
            self._holder[connection] = holder
            self._held[holder] += 1
        if not waits:
            self._waiting.pop(connection, None)
        else:
            self._waiting.setdefault(connection)
        return True

    def release(self, connection: WatchedConnection) -> None:
        """Forget a connection, if it is known."""
        holder = self._holder.pop(connection, None)
        self._waiting.pop(connection, None)
        if holder is not None:
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]

    def _has_room(self, holder: str, is_new: bool) -> bool:
        """Whether there is room for one more of an address, maybe after ending another."""
        if self._held[holder] >= self._most_of_one and not self._is_shared(holder):
            crowd = holder
        elif is_new and len(self._holder) >= self._most:
            crowd = max(self._held, key=self._held.get)
        else:
            return True
        longest = next((one for one in self._waiting if self._holder[one] == crowd), None)
        if longest is not None:
            self.release(longest)
            longest.transport.abort()
        return longest is not None

    def _is_shared(self, address: str) -> bool:
        """Whether everybody comes from this address: a proxy or this machine."""
        return address in self._proxies or address in ("", "127.0.0.1", "::1")

    def holder_of(self, peer: str, headers: list[tuple[bytes, bytes]] | None) -> str:
        """The address of a connection or, behind a proxy, of its request."""
        peer = _plain(peer)
        if peer in self._proxies and headers:
            # The proxy's own entry stands last; clients can write the others.
            values = [value for name, value in headers if name == _FORWARDED]
            return _plain(values[-1].decode("latin-1").rpartition(",")[2]) if values else peer
        return peer


class WatchedConnection(H11Protocol):
    """A connection of uvicorn with time limits."""

    def __init__(self, *arguments: Any, room: Room, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._room = room
        self._arrival: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._watch(is_begun=True)

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.release(self)
        for timer in (self._arrival, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch(is_begun=True)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_after(_TAKING)  # the rest of the response
        self._watch(is_begun=False)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taking = self._abort_after(_TAKING)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def timeout_keep_alive_handler(self) -> None:
        self.transport.abort()

    def _watch(self, is_begun: bool) -> None:
        """Limit the time of an incomplete request, and note its address."""
        state = self.conn.their_state
        waits = state in (h11.IDLE, h11.SEND_BODY)
        if self._arrival is None and waits and (is_begun or state is h11.SEND_BODY):
            self._arrival = self._abort_after(_ARRIVAL)
        elif self._arrival is not None and not waits:
            self._arrival.cancel()
            self._arrival = None
        headers = None if state is h11.IDLE else self.headers
        peer = self.client[0] if self.client else ""
        if not self._room.hold(self, self._room.holder_of(peer, headers), waits):
            self.transport.abort()

    def _abort_after(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.transport.abort)


@lru_cache(maxsize=MOST_CONNECTIONS)
def _plain(address: str) -> str:
    """An address without its port; of IPv6 the /64 network, which one customer has."""
    text = address.strip()
    if text.startswith("[") or text.count(":") == 1:
        text = text.lstrip("[").partition("]" if "]" in text else ":")[0]
    try:
        plain = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    plain = getattr(plain, "ipv4_mapped", None) or plain
    if plain.version == 6 and not plain.is_loopback:
        return str(ipaddress.ip_network((plain, 64), strict=False))
    return str(plain)


def patient_server(app: ASGIApp, room: Room) -> uvicorn.Server:
    """The HTTP server of an app, for listening sockets."""
    return uvicorn.Server(uvicorn.Config(
        app, http=partial(WatchedConnection, room=room), log_config=None, log_level="error",
        access_log=False,  # there are ids in addresses
        ws="none", server_header=False, proxy_headers=False, timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_GRACE,
    ))
