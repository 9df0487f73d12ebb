"""Imports point one way: pages, dashboard, core; and within core from results to data."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.conftest import LONG as HANDED_OUT_FIRST
from tests.paths import ROOT
from tests.sources import tree_of
from tripletscope.dashboard.ui.page_table import PAGES

#: Rooms of core by floor, from the ground up: what is in one imports from it or from lower floors.
FLOORS = [
    ["data"],
    ["engine"],
    ["ratings"],
    ["reading"],
    ["prompts", "writing"],
    ["models.optimise"],
    ["models.embedding"],
    ["models.simulation"],
    ["inference.held_out"],
    ["inference.uncertainty"],
    ["similarity.kernels"],
    ["similarity.clusters", "models.dimensions"],
    ["inference.validity"],
    ["people", "trees"],
    ["features", "scales"],
    ["studies.quality", "studies.multiverse"],
    ["studies.design"],
    ["studies.experiment"],
    ["studies.preregistration"],
    ["presets"],
    ["run"],
]
#: The same of the dashboard, whose modules beside its rooms have floors of their own.
STOREYS = [
    ["files", "streamlit_parts", "words"], ["figures"], ["print"], ["jobs"],
    ["results", "sandbox"], ["store"], ["state"], ["archive"], ["upload"], ["collect"], ["ui"],
    ["report"], ["serve"], ["app"],
]
PACKAGE = "tripletscope"
#: What only the repository calls so: installed, these names belong to others.
FOLDERS = {"core", "reproductions", "dashboard", "pages", "sample_data"}
FORBIDDEN_IN_CORE = {"streamlit", "plotly"}
ABOVE_CORE = tuple(f"{PACKAGE}.{folder}" for folder in ("reproductions", "dashboard", "pages"))


@cache
def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def imports(path: Path) -> set[str]:
    found, todo = set(), [tree_of(path)]
    while todo:  # through statements alone: expressions import nothing
        node = todo.pop()
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, inner, ())
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def place(module: str) -> tuple[int, str] | None:
    """Floor and room of a module of core."""
    for floor, rooms in enumerate(FLOORS):
        for room in rooms:
            if f"{module}.".startswith(f"{PACKAGE}.core.{room}."):
                return floor, room
    return None


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([PACKAGE, *parts]).removesuffix(".__init__")


def imported(*folders: str) -> Iterator[tuple[str, str]]:
    """Names of the modules of folders, each with everything that it imports."""
    for path in modules(*folders):
        for module in imports(path):
            yield name_of(path), module


def forbidden_in_core(module: str) -> bool:
    return module.split(".")[0] in FORBIDDEN_IN_CORE or module.startswith(ABOVE_CORE)


def test_core_imports_downwards_only():
    without_room = [path for path in modules("core")
                    if place(name_of(path)) is None and path.name != "__init__.py"]
    assert not without_room
    upwards = []
    for name, module in imported("core"):
        here, there = place(name), place(module)
        below = there is None or there == here or (here and there[0] < here[0])
        if forbidden_in_core(module) or not below:
            upwards.append((name, module))
    assert not upwards


def test_folders_load_none_of_their_modules():
    """Two threads that load modules of one folder lock each other out if the folder loads any.

    The server loads what pages need while the first page runs. What a folder hands on is loaded
    when it is asked for; see https://github.com/python/cpython/issues/83065.
    """
    assert not [
        (name_of(path), module) for path in modules("core", "dashboard", "pages", "reproductions")
        if path.stem == "__init__" for module in imports(path)
        if module.startswith(f"{name_of(path)}.")
    ]


def test_properties_wait_for_no_other_thread():
    """In Python 3.11 `functools.cached_property` has one lock for all instances of a class."""
    own = f"{PACKAGE}.core.data.lazy"
    everywhere = ("core", "dashboard", "reproductions", "pages", "tests", "benchmarks", "docs")
    assert not [
        path for path in modules(*everywhere)
        if name_of(path) != own and path != Path(__file__)
        and re.search(r"functools(\.| import .*\b)cached_property", path.read_text())
    ]


def storey(module: str) -> tuple[int, str] | None:
    """Floor and room of a module of the dashboard."""
    package, _, rest = module.partition(".dashboard.")
    room = rest.partition(".")[0]
    floors = [number for number, rooms in enumerate(STOREYS) if room in rooms]
    return (floors[0], room) if package == PACKAGE and floors else None


def test_dashboard_imports_downwards_only():
    upwards = []
    for name, module in imported("dashboard"):
        here, there = storey(name), storey(module)
        if here and there and there != here and there[0] >= here[0]:
            upwards.append((name, module))
    assert not upwards


def rooms_in(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / folder).iterdir() if path.name[0] not in "._"}


def test_every_room_is_on_a_floor():
    """Rooms that stand together, such as those of models, have a folder about them."""
    assert rooms_in("core") == {room.partition(".")[0] for floor in FLOORS for room in floor}
    assert rooms_in("dashboard") == {room for floor in STOREYS for room in floor}


def test_reproductions_import_core_and_nothing_above():
    assert not [
        (name, module) for name, module in imported("reproductions")
        if forbidden_in_core(module) and not module.startswith(ABOVE_CORE[0])
    ]


def test_only_the_way_from_help_imports_reproductions():
    """What analyses data does not depend on what judges papers."""
    assert not [
        name for name, module in imported("dashboard", "pages", PACKAGE)
        if module.startswith(ABOVE_CORE[0]) and not name.endswith(".pages.start.from_paper")
    ]


def test_dashboard_does_not_know_pages():
    assert not [name for name, module in imported("dashboard")
                if module.startswith(f"{PACKAGE}.pages")]


def test_pages_do_not_know_one_another():
    """What two of them share stands in the dashboard."""
    def page(module: str) -> str:
        return module.removeprefix(f"{PACKAGE}.pages").split(".")[1]

    inside = f"{PACKAGE}.pages."
    assert not [(name, module) for name, module in imported("pages")
                if module.startswith(inside) and page(module) != page(name)]
    above = tuple(f"{PACKAGE}.dashboard.{room}" for floor in STOREYS[-2:] for room in floor)
    assert not [(name, module) for name, module in imported("pages") if module.startswith(above)]


def test_every_page_is_in_the_table():
    assert rooms_in("pages") == {*PAGES}


def test_everything_is_called_by_the_one_name():
    """A folder of the same name beside an analysis, or in another wheel, would come in between."""
    word = re.compile(rf"import\b.*\b({'|'.join(FOLDERS)})\b|from\s+({'|'.join(FOLDERS)})\b")
    everything = modules(*sorted(FOLDERS), "tests", "benchmarks", PACKAGE)
    may_be = [path for path in everything if word.search(path.read_text())]
    assert not [
        (name_of(path), module) for path in may_be for module in imports(path)
        if module.split(".")[0] in FOLDERS
    ]


def test_only_one_module_uses_the_session_state():
    users = {
        name_of(path)
        for path in modules("dashboard", "pages")
        if "st.session_state" in path.read_text()
    }
    assert users == {"tripletscope.dashboard.state"}


def test_public_names_print_nothing_and_need_no_page():
    code = (
        "import sys, tripletscope as ts\n"
        "from types import ModuleType\n"
        "for name in {*ts.__all__} - {'drawings', 'figures', 'sentences'}:\n"
        "    one = getattr(ts, name)\n"
        "    for inner in one.__all__ if isinstance(one, ModuleType) else (): getattr(one, inner)\n"
        "rooms = {name.split('.')[2] for name in sys.modules\n"
        "         if name.startswith('tripletscope.dashboard.')}\n"
        "assert rooms == {'store', 'files'}, rooms\n"
        "assert not {'streamlit', 'plotly'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_drawing_shows_every_room_on_its_floor():
    drawing = (ROOT / "docs" / "pictures" / "house.svg").read_text()
    heights = {
        name: float(y) for y, text in re.findall(r'<text [^>]*?y="([\d.]+)"[^>]*>([^<]+)<', drawing)
        for name in re.findall(r"\w+", text)
    }
    floors = [[room.split(".")[-1] for room in floor] for floor in FLOORS] + STOREYS[:-1]
    for lower, upper in pairwise(floors):
        assert min(map(heights.get, lower)) >= max(map(heights.get, upper)), (lower, upper)


def test_nothing_runs_parts_of_pages_by_a_clock():
    """A part that is about to run when another page is opened would empty that page."""
    by_a_clock = [path for path in modules("dashboard", "pages") if "run_every" in path.read_text()]
    assert not by_a_clock, "follow jobs by ui.watching"


def test_files_that_are_handed_out_first_exist():
    assert [start for start in HANDED_OUT_FIRST if not (ROOT / start).exists()] == []
