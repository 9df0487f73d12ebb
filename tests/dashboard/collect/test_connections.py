"""Connections that say nothing, and say it often, keep nobody out."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from tests.dashboard.collect.serving import Page, asked, experiment_in, serving
from tests.waiting import PATIENCE, becomes
from tripletscope.core.studies.experiment.experiment import STIMULI
from tripletscope.dashboard.collect import command, connections
from tripletscope.dashboard.collect.connections import MOST_CONNECTIONS, Room

HALF_A_BODY = b"POST /answers HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
#: More than the buffers of both ends hold.
MUCH = 50_000_000


@pytest.fixture
def folder(tmp_path):
    return experiment_in(tmp_path / "experiment")


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def closed(connection: socket.socket) -> bool:
    """Whether the server has closed a connection, within some minutes."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def answered_all(port: int, person: str) -> bool:
    page = Page(port, person)
    page.begin()
    return page.answer_all() == 10


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: ", HALF_A_BODY])
def test_a_request_that_does_not_arrive_is_given_up(folder, monkeypatch, said):
    monkeypatch.setattr(connections, "_ARRIVAL", 0.2)
    with serving(folder) as port, connected(port) as slow:
        slow.sendall(said)
        assert closed(slow)


@pytest.mark.parametrize("said", [
    b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: ", HALF_A_BODY,
    b"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",  # answered before
    b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /hea",  # answered, and the next one begun
])
def test_a_request_that_drips_is_given_up(folder, monkeypatch, said):
    monkeypatch.setattr(connections, "_ARRIVAL", 0.5)
    with serving(folder) as port, connected(port) as slow:
        slow.sendall(said)
        with pytest.raises(ConnectionError):
            becomes(lambda: slow.sendall(b"1"))


def test_a_connection_at_rest_is_closed_in_the_end(folder, monkeypatch):
    monkeypatch.setattr(connections, "_IDLE", 0.2)
    with serving(folder) as port, connected(port) as idle:
        idle.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(1000).startswith(b"HTTP/1.1 200")
        idle.settimeout(PATIENCE)
        while idle.recv(1000):
            pass


@pytest.mark.parametrize("more", [b"", b"Connection: close\r\n"])
def test_what_nobody_takes_is_not_kept_for_ever(folder, monkeypatch, more):
    monkeypatch.setattr(connections, "_TAKING", 0.3)
    (folder / STIMULI / "egg.png").write_bytes(bytes(MUCH))
    room, held = Room(), []
    monkeypatch.setattr(room, "hold", lambda *given: (
        Room.hold(room, *given), held.append(given)
    )[0])
    with serving(folder, room=room) as port, connected(port) as slow:
        slow.sendall(b"GET /stimuli/egg.png HTTP/1.1\r\nHost: x\r\n" + more + b"\r\n")
        assert becomes(lambda: held and not room._holder)
        assert asked(port, "/health")[0] == 200


def test_where_it_is_full_who_has_waited_longest_goes(folder):
    with serving(folder, room=Room(most=5)) as port, ExitStack() as open_:
        idle = [open_.enter_context(connected(port)) for _ in range(9)]
        assert all(closed(one) for one in idle[:4])
        assert answered_all(port, "ann")
        assert closed(idle[4])
        assert answered_all(port, "bob")
        idle[-1].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle[-1].recv(9) == b"HTTP/1.1 ", "who came last is still there"


def test_behind_a_proxy_one_participant_holds_so_many_requests_and_others_theirs(folder):
    room = Room(most_of_one=2, proxies=["127.0.0.1"])

    def half(address: str) -> socket.socket:
        connection = open_.enter_context(connected(port))
        told = f"POST /next HTTP/1.1\r\nX-Forwarded-For: {address}\r\nHost: x\r\n"
        connection.sendall(f"{told}Content-Length: 9\r\n\r\n".encode())
        sent[address] += 1
        held = min(sent[address], 2)
        assert becomes(lambda: room._held[address.rpartition(" ")[2]] >= held)
        return connection

    with serving(folder, room=room) as port, ExitStack() as open_:
        sent = dict.fromkeys(("192.0.2.2", "192.0.2.1, 192.0.2.9"), 0)
        other = half("192.0.2.2")
        greedy = [half("192.0.2.1, 192.0.2.9") for _ in range(3)]
        assert closed(greedy[0])
        for connection in (other, *greedy[1:]):
            connection.sendall(b"x" * 9)
            assert connection.recv(12) == b"HTTP/1.1 400"
        assert answered_all(port, "ann"), "what the proxy says nothing of is everybody's"


# Who holds what ---------------------------------------------------------------------------------


@dataclass(eq=False)
class Connection:
    """A connection as far as a room knows it."""

    aborted: bool = False
    transport: Connection = field(init=False)

    def __post_init__(self) -> None:
        self.transport = self

    def abort(self) -> None:
        self.aborted = True


def test_the_address_that_holds_most_gives_way():
    room = Room(most=6, most_of_one=4)
    honest = [Connection() for _ in range(2)]
    for number, one in enumerate(honest):
        assert room.hold(one, f"192.0.2.{number}", waits=True)
    greedy = [Connection() for _ in range(9)]
    assert all(room.hold(one, "192.0.2.9", waits=True) for one in greedy)
    assert [one.aborted for one in greedy] == [True] * 5 + [False] * 4
    late = Connection()
    assert room.hold(late, "192.0.2.7", waits=True), "though there are six"
    assert [one.aborted for one in greedy] == [True] * 6 + [False] * 3
    assert not any(one.aborted for one in honest)


def test_what_is_being_answered_gives_way_to_nobody():
    room = Room(most=2, most_of_one=2)
    busy = [Connection() for _ in range(2)]
    for one in busy:
        assert room.hold(one, "192.0.2.9", waits=True)
        assert room.hold(one, "192.0.2.9", waits=False)
    assert not room.hold(Connection(), "192.0.2.9", waits=True)
    assert not room.hold(Connection(), "192.0.2.1", waits=True)
    assert room.hold(busy[0], "192.0.2.9", waits=True)
    assert room.hold(Connection(), "192.0.2.1", waits=True)
    assert [one.aborted for one in busy] == [True, False]
    for one in busy:
        room.release(one)
        room.release(one)
    assert len(room._held) == 1, "nothing is left of who went"


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "", "192.0.2.5"])
def test_a_proxy_or_tunnel_of_this_machine_is_everybodys(peer):
    room = Room(most_of_one=1, proxies=["192.0.2.5"])
    assert all(room.hold(Connection(), room.holder_of(peer, None), True) for _ in range(3))


@pytest.mark.parametrize(("told", "holder"), [
    (["192.0.2.1"], "192.0.2.1"), (["forged, 192.0.2.1"], "192.0.2.1"),
    (["forged", "192.0.2.1"], "192.0.2.1"), (["192.0.2.1:5000"], "192.0.2.1"),
    (["[2001:db8:1:2:3::4]:5000"], "2001:db8:1:2::/64"), (["2001:db8:1:2::9"], "2001:db8:1:2::/64"),
    (["::ffff:192.0.2.1"], "192.0.2.1"), (["unknown"], "unknown"), ([], "192.0.2.5"),
])
def test_only_a_proxy_that_was_named_says_whose_a_request_is(told, holder):
    headers = [(b"host", b"x"), *((b"x-forwarded-for", one.encode()) for one in told)]
    assert Room(proxies=["192.0.2.5"]).holder_of("192.0.2.5", headers) == holder
    for room in (Room(), Room(proxies=["192.0.2.6"])):
        assert room.holder_of("192.0.2.5", headers) == "192.0.2.5"


@pytest.mark.parametrize(("allowed", "expected"), [
    ((256, 1024), 462), ((1024, 8000), 3950), ((256, 100_000), 3950), ((9000, 9000), 4000),
])
def test_there_are_no_more_connections_than_files(monkeypatch, allowed, expected):
    resource = pytest.importorskip("resource")
    asked_for = []
    monkeypatch.setattr(resource, "getrlimit", lambda of: allowed)
    monkeypatch.setattr(resource, "setrlimit", lambda of, limits: asked_for.append(limits))
    assert command._connections_allowed() == expected <= MOST_CONNECTIONS
    assert asked_for in ([], [(min(8000, allowed[1]), allowed[1])])
