"""Every figure of every page as it is printed, from 3 to 50,000 objects, to be looked at.

    python benchmarks/gallery.py [--only NAME ...] [--pages PAGE ...] [--folder docs/gallery]

Goes through all tabs of the dashboard, without a browser of its own, computes what can be computed
there by its buttons, and saves each figure that the program offers for download, at 85 and 180 mm,
with a page that shows them side by side. Three colours, Ekman's fourteen and 300 alien eggs are
the samples; 36 and 1,797 handwritten digits come with scikit-learn, and answers about them are
simulated from their pixels; 50,000 objects are points drawn at random.

What would take minutes is left out: from 1,000 objects on no button is pressed, so that there is
only what pages compute by themselves, and from 10,000 on only the pages are visited whose figures
show single objects. Figures that cannot be drawn are listed; their number is the exit code.
"""

from __future__ import annotations

import argparse
import html
import io
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_digits

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.pages.harness import PAGES, on_tab, start
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.print.browser import close_browser
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE, services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.composer import Printable
from tripletscope.dashboard.ui.page import tabs_of

WIDTHS = (85, 180)
DPI = 130
#: What buttons are called that compute something, and how long that may take.
COMPUTE = {"Compute", "Fit", "Cluster", "Predict each participant"}
PATIENCE = 300.0
#: From so many objects on no button is pressed, and only these pages are visited.
LARGE, MANY = 1_000, 10_000
PAGES_OF_MANY = ("data", "embedding", "kernel", "clusters")


@dataclass(frozen=True)
class Shown:
    """A figure that a tab offers for download."""

    page: str
    tab: str
    printable: Printable


def of_sample(name: str, few: int | None = None) -> Callable[[], str]:
    """Opens a sample, or its answers about its first objects; tells the data set's id."""

    def opened() -> str:
        (sample,) = [sample for sample in samples() if sample.name == name]
        info = open_sample(sample)
        if few is None:
            return info.id
        whole = services().workspace.triplets(info)
        rows = whole.rows[(whole.rows < few).all(axis=1)]
        return kept(Triplets(rows, whole.objects[:few], name=f"{few} of {info.name}"))

    return opened


def of_digits(n: int, n_answers: int) -> Callable[[], str]:
    """Answers about handwritten digits, simulated from their pixels."""

    def opened() -> str:
        digits = load_digits()
        pictures = {f"digit-{k}.png": _png(digits.images[k]) for k in range(n)}
        answers = simulate(digits.data[:n] / 16, n_answers, noise="logistic", seed=1)
        people = pd.DataFrame({"participant": [f"person {k % 12}" for k in range(n_answers)]})
        objects = pd.DataFrame({
            "id": [f"digit {k}" for k in range(n)], "image": list(pictures),
            "class": digits.target[:n].astype(str), "ink": digits.data[:n].mean(axis=1),
        })
        return kept(Triplets(answers.rows, objects, people, f"{n:,} digits"), pictures)

    return opened


def of_points(n: int, n_answers: int) -> str:
    points = np.random.default_rng(0).normal(size=(n, 2))
    answers = simulate(points, n_answers, noise="logistic", seed=1).renamed(f"{n:,} points")
    dataset = kept(answers)
    info = services().workspace.dataset(dataset)
    services().workspace.add_run(info, run("fit", TSTE(n_init=1, max_iter=100), answers), "t-STE")
    return dataset


DATA: dict[str, Callable[[], str]] = {
    "3-colours": of_sample("ekman_colors", few=3),
    "14-colours": of_sample("ekman_colors"),
    "36-digits": of_digits(36, 3_000),
    "300-eggs": of_sample("alien_eggs"),
    "1797-digits": of_digits(1_797, 60_000),
    "50000-points": lambda: of_points(50_000, 600_000),
}


def kept(answers: Triplets, pictures: dict[str, bytes] | None = None) -> str:
    workspace = services().workspace
    return workspace.add_dataset(answers, origin="gallery", report=[], pictures=pictures).id


def _png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    grey = Image.fromarray((255 - 15.9375 * pixels).astype(np.uint8))
    grey.resize((64, 64), Image.Resampling.NEAREST).save(buffer, "PNG")
    return buffer.getvalue()


def figures(dataset: str, wanted: Collection[str]) -> Iterator[Shown]:
    """What every tab offers for download, once it has computed what it can."""
    offered: dict[str, Printable] = {}
    panels.compose_button = lambda _, printable: offered.update({printable.key: printable})
    session = Session(f"gallery-{dataset}")
    session.open(dataset)
    session.save()
    n = services().workspace.dataset(dataset).n_objects
    there = PAGES_OF_MANY if n >= MANY else list(PAGES)[1:]
    for page in (page for page in there if page in wanted):
        app = start(page, session.id)
        for tab in tabs_of(page).values():
            with suppress(AssertionError):  # the tab has shown why it cannot be shown
                if len(tabs_of(page)) > 1:
                    on_tab(app, page, tab.name)
                offered.clear()
                _compute(app, session.id, buttons=n < LARGE)
                app.run()
            yield from (Shown(page, tab.title, printable) for printable in offered.values())


def _compute(app, session: str, *, buttons: bool) -> None:
    """Wait for what a tab computes by itself, and press what it offers to compute."""
    pressed: set[str] = set()
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for job in services().jobs.of(session):
            job.wait(max(until - time.monotonic(), 0))
        app.run()
        new = [button for button in app.main.button
               if button.label in COMPUTE and not button.disabled and button.key not in pressed]
        if not new or not buttons:
            return
        pressed.add(new[0].key)
        new[0].click().run()


def save(shown: Shown, folder: Path, name: str) -> list[str]:
    """Files of a figure, one for each width."""
    made = []
    for width in WIDTHS:
        file = f"{name}--{shown.page}--{shown.printable.key}--{width}.png".replace("@", "-")
        composition = Composition(width=float(width), dpi=DPI)
        content = shown.printable.file("png", composition)
        picture = Image.open(io.BytesIO(content)).convert("RGB")
        picture.quantize(128, dither=Image.Dither.NONE).save(folder / file, optimize=True)
        made.append(file)
    return made


def page_of(folder: Path) -> str:
    """A page with all figures of a folder at the size that they have on paper."""
    parts = ["<!doctype html><meta charset=utf-8><title>TripletScope: gallery</title>"
             "<style>body{font:15px sans-serif;margin:2em}figure{display:inline-block;"
             "vertical-align:top;margin:1em}</style><h1>Gallery</h1>"]
    for name in DATA:
        narrow = sorted(folder.glob(f"{name}--*--{WIDTHS[0]}.png"))
        parts += [f"<h2>{html.escape(name)}</h2>"] if narrow else []
        for file in narrow:
            page, key = file.stem.split("--")[1:3]
            files = [file.name.replace(f"--{WIDTHS[0]}.", f"--{width}.") for width in WIDTHS]
            parts.append(f"<h3>{html.escape(f'{page.capitalize()}: {key}')}</h3>")
            parts += [f'<figure><img src="{file}" style="width:{width}mm"></figure>'
                      for file, width in zip(files, WIDTHS, strict=True)]
    return "\n".join(parts)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", nargs="*", choices=DATA, default=list(DATA))
    options.add_argument("--folder", type=Path, default=Path("docs/gallery"))
    options.add_argument("--pages", nargs="*", choices=PAGES, default=list(PAGES))
    given = options.parse_args()
    logging.disable(logging.WARNING)  # pages are drawn without a server, and Streamlit says so
    given.folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as workspace:
        os.environ[WORKSPACE_VARIABLE] = workspace
        for name in given.only:
            for shown in figures(DATA[name](), given.pages):
                try:
                    files = save(shown, given.folder, name)
                except Exception as error:  # the rest is looked at all the same
                    failed.append(f"{name}: {shown.page} > {shown.tab}: {error!r}")
                    print(failed[-1], flush=True)
                    continue
                print(files[0], flush=True)
        (given.folder / "index.html").write_text(page_of(given.folder))
        close_browser()
        services().close()
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
