"""The dashboard on a machine of its own, whose only way out is counted.

Run as a program in a network namespace that nothing else uses, with a folder. Everything that is
not for this machine leaves through one end of a pair of network devices; the other end is
nobody's. Prints, as JSON, what was counted on every page, the packets that left by the dashboard's
doing, and those that left when something was sent on purpose.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import CHROMIUM
from tests.journeys.pages import (
    FLAGS,
    answers_about_towns,
    download,
    go,
    open_page,
    upload,
    wait_for_map,
)
from tests.journeys.tour import toured
from tests.server import UNHURRIED, running

#: Chromium has questions of its own at this name server; pages ask by the address.
SILENT = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
_OUT, _NOBODY = "10.113.7.1", "10.113.7.2"
_NAME_SERVER = "10.113.7.53"


def devices() -> None:
    """A way to this machine itself, and one to anywhere else that can be counted."""
    # With IPv6, devices greet each other on their own.
    Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
    for command in (
        "link set lo up",
        "link add out type veth peer name nobody",
        "link set nobody up",
        "link set out up",
        f"address add {_OUT}/24 dev out",
        # Whoever looks for the way is told where, so that packets are not held back.
        f"neighbour add {_NOBODY} lladdr 02:00:00:00:00:01 dev out",
        f"neighbour add {_NAME_SERVER} lladdr 02:00:00:00:00:01 dev out",
        f"route add default via {_NOBODY}",
    ):
        subprocess.run(["ip", *command.split()], check=True)


def ask_there_for_names(folder: Path) -> None:
    """Questions for the address of a name have to leave the machine, too."""
    file = folder / "resolv.conf"
    file.write_text(f"nameserver {_NAME_SERVER}\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", str(file), "/etc/resolv.conf"], check=True)


def left() -> int:
    """Packets that have left the machine."""
    return psutil.net_io_counters(pernic=True)["out"].packets_sent


def use_the_dashboard(folder: Path) -> list[tuple[str, dict]]:
    with running(folder / "workspace", command=UNHURRIED) as address, \
            sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, SILENT])
        page = open_page(browser, address)
        try:
            pages = toured(page, address)
            use(page, folder)
        except Exception as error:
            error.add_note(f"The page says:\n{page.inner_text('body')}")
            raise
        assert not page.elsewhere, page.elsewhere
        browser.close()
    return pages


def use(page: Page, folder: Path) -> None:
    go(page, "Embedding")
    wait_for_map(page)
    download(page, "Download everything")
    go(page, "Start")
    upload(page, answers_about_towns(folder))
    page.get_by_role("button", name="Keep this data set").click()
    expect(page.get_by_role("radio", name="Findings")).to_be_checked()


def main() -> None:
    folder = Path(sys.argv[1])
    devices()
    ask_there_for_names(folder)
    time.sleep(1.0)  # what the devices say to each other
    before = left()
    pages = use_the_dashboard(folder)
    after = left()
    probe = (
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', ('192.0.2.1', 9))\n"
        "try: socket.getaddrinfo('somewhere.example', 80)\nexcept OSError: pass"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)
    print(json.dumps({"pages": pages, "ours": after - before, "on purpose": left() - after}))


if __name__ == "__main__":
    main()
