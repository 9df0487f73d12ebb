"""What is registered is found in the sources, and loaded when it is first asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest

from tests.paths import ROOT
from tripletscope import core
from tripletscope.core.engine import registry as module
from tripletscope.core.engine.registry import TASKS, registry

METHODS_OF = '''
from x import register, task


@register("{kind}")
@dataclass(kw_only=True, eq=False, repr=False)
class Mine(OrdinalEmbedding):
    """A method, fitted by @task("no task")."""

    {line}
    title = "Mine"


@task(
    "Doing much", "embedding", columns=("participant",),
)
def much(method, triplets): ...


@task("Doing less", name="little", needs_data=False)
def doing_less(method, triplets): ...
'''


def after(code: str) -> str:
    """What a fresh process prints that imports nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_that_registers_is_found_in_its_source():
    for each in walk_packages(core.__path__, f"{core.__name__}."):
        import_module(each.name)
    assert len(module._places()) > 60
    for decorator, kind in {place[:2] for place in module._places()}:
        loaded = (registry(kind) if decorator == "register" else TASKS)._loaded.items()
        declared = {(name, getattr(value, "function", value)) for name, value in loaded}
        assert {place[2:] for place in module._places() if place[:2] == (decorator, kind)} == {
            (name, value.__module__, value.__name__) for name, value in declared
            if value.__module__.startswith(core.__name__)
        }


@pytest.mark.parametrize("line", ['name = "mine"', 'name: ClassVar[str] = "mine"'])
def test_a_file_in_a_folder_is_all_that_is_needed(line, tmp_path, monkeypatch):
    (tmp_path / "embedding").mkdir()
    source = METHODS_OF.format(kind="embedding", line=line)
    (tmp_path / "embedding" / "mine.py").write_text(source)
    monkeypatch.setattr(module, "_CORE", tmp_path)
    place = f"{core.__name__}.embedding.mine"
    assert module._places.__wrapped__() == [
        ("register", "embedding", "mine", place, "Mine"), ("task", "", "much", place, "much"),
        ("task", "", "little", place, "doing_less"),
    ]


def test_what_computes_nothing_loads_no_method():
    heavy = ("pandas", "scipy", "sklearn", "numba")
    loaded = after(
        "import tripletscope.core.run\n"
        "from tripletscope.core.engine.registry import _places\n"
        "registered = {place.module for place in _places()}\n"
        f"print(sorted((registered | {{*{heavy!r}}}) & {{*sys.modules}}))"
    )
    assert loaded == "[]"


def test_names_are_known_without_loading():
    assert after(
        "from tripletscope.core.engine.registry import TASKS, registry\n"
        "before = {*sys.modules}\n"
        "assert {'fit', 'bootstrap', 'posterior'} <= {*TASKS} and len(TASKS) == len([*TASKS])\n"
        "assert 'ste' in registry('embedding') and [*registry('kernel')]\n"
        "assert 'nothing' not in TASKS and not registry('nothing') and not registry('task')\n"
        "print({*sys.modules} - before)"
    ) == "set()"


def test_what_is_asked_for_is_loaded_and_its_neighbours_are_not():
    assert after(
        "from tripletscope.core.engine.registry import registry\n"
        "assert registry('embedding')['soe'].title == 'SOE'\n"
        "print([name for name in ('ckl', 'lore', 'nmds')\n"
        "       if f'tripletscope.core.models.embedding.{name}' in sys.modules])"
    ) == "[]"
    with pytest.raises(KeyError, match="nothing"):
        TASKS["nothing"]
