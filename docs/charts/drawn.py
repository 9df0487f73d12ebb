"""Pictures of the items of papers, drawn from the shipped outcomes.

PYTHONPATH=. python -m docs.charts.drawn [ITEM ...]
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image

from docs.charts import CHARTS
from docs.charts.chart import Chart, abreast, chart_figure, panels_of
from tripletscope.dashboard.print.browser import close_browser
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.print.render import render
from tripletscope.reproductions.outcome import Outcome, shipped

PICTURES = Path(__file__).resolve().parents[1] / "pictures" / "papers"
#: As wide as the text of a page of the site, twice as sharp as a plain screen.
_PAGE = Composition(width=150.0, dpi=150)
#: Height of a panel divided by the width of the figure, by how many stand side by side.
_PANEL = {1: 0.55, 2: 0.5, 3: 0.44}


def charts_of(key: str) -> dict[str, Chart]:
    """The charts of an item by the names of their pictures."""
    charts = CHARTS.get(key, ())
    return {
        f"{key}-{number}" if len(charts) > 1 else key: chart
        for number, chart in enumerate(charts, 1)
    }


def legend(chart: Chart) -> str:
    """What is drawn, and how it is read."""
    title = f"{chart.title}." if chart.title else ""
    published = " Hollow: the paper's values." if chart.published else ""
    spread = " Lines through marks: the spread over repetitions." if chart.spread else ""
    return f"{title}{published}{spread}".strip()


def picture(chart: Chart, outcome: Outcome) -> bytes:
    """A chart as WebP."""
    n_panels = len(panels_of(chart, outcome.table))
    wide = abreast(n_panels)
    png = render(
        lambda canvas: chart_figure(chart, outcome.table, canvas=canvas), "png", _PAGE,
        ratio=_PANEL[wide] * -(-n_panels // wide),
    )
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(file, "webp", lossless=True, method=6)
    return file.getvalue()


def main(wanted: list[str]) -> None:
    """Draw the items, all by default."""
    PICTURES.mkdir(exist_ok=True)
    for key in wanted or CHARTS:
        for name, chart in charts_of(key).items():
            (PICTURES / f"{name}.webp").write_bytes(picture(chart, shipped(key)))
    close_browser()


if __name__ == "__main__":
    main(sys.argv[1:])
