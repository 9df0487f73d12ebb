"""A report as PDF, printed by the browser of this machine."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tripletscope.dashboard.print.browser import ExportError, browser_path, kill
from tripletscope.dashboard.report.document import Document
from tripletscope.dashboard.report.html import page

_PATIENCE = 120  # seconds
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer", "--export-tagged-pdf",
    "--generate-pdf-document-outline", "--font-render-hinting=none",
)


def pdf(document: Document) -> bytes:
    """The report as tagged PDF with an outline."""
    browser = browser_path()
    if not browser:
        raise ExportError(
            "A PDF needs a Chrome or Chromium on the server. Install one, or print the web page "
            "with your own browser."
        )
    with tempfile.TemporaryDirectory(
        prefix="tripletscope-", ignore_cleanup_errors=True
    ) as folder:
        source, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page(document, interactive=False), "utf-8")
        command = [browser, *_FLAGS, f"--user-data-dir={folder}/profile",
                   f"--print-to-pdf={target}", source.as_uri()]
        try:
            told = _told(command)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ExportError(
                "The browser on the server did not print the report in time. Print the web page "
                "with your own browser."
            ) from error
        if not target.exists():
            why = told.decode(errors="replace").strip().splitlines()[-1:]
            raise ExportError(
                f"The browser on the server did not print the report: {' '.join(why)} Print the "
                "web page with your own browser."
            )
        return target.read_bytes()


def _told(command: list[str]) -> bytes:
    """What a command says of its errors; after too long it ends, with all that it has started."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as browser:
        try:
            return browser.communicate(timeout=_PATIENCE)[1]
        finally:
            if browser.poll() is None:
                kill(browser)
