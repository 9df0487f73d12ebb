"""Methods and tasks by their names; their modules are loaded on first use.

Decorators such as ``@register("embedding")`` or ``@task("Resampling answers", "embedding")`` are
searched for in the sources of core, so that a file in any of its folders adds a method.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import lazy_loader

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.named import one_of

_CORE = Path(__file__).parent.parent
_PACKAGE = __package__.rpartition(".")[0]
_METHOD = re.compile(
    r'\n@register\("(?P<kind>\w+)"\)\n(?:@.*\n)*class (?P<attribute>\w+)'
    r'(?:.*\n)+?    name\b.*? = "(?P<name>\w+)"'
)
_TASK = re.compile(
    r'\n@task\((?:[^@]*?name="(?P<name>\w+)")?[^@]*?\)\n(?:@.*\n)*def (?P<attribute>\w+)'
)


class _Place(NamedTuple):
    decorator: str
    kind: str
    name: str
    module: str
    attribute: str


@cache
def _places() -> list[_Place]:
    """All registered classes and functions, in the order of the modules' names."""
    places = []
    for path in sorted(_CORE.rglob("*.py")):
        source = path.read_text("utf-8")
        parts = path.relative_to(_CORE).with_suffix("").parts
        module = ".".join([_PACKAGE, *parts]).removesuffix(".__init__")
        places += [
            _Place("register", match["kind"], match["name"], module, match["attribute"])
            for match in _METHOD.finditer(source)
        ]
        places += [
            _Place("task", "", match["name"] or match["attribute"], module, match["attribute"])
            for match in _TASK.finditer(source)
        ]
    return places


class Registry(Mapping[str, Any]):
    """Registered things by name. Iteration loads nothing."""

    def __init__(self, *decorator: str) -> None:
        self._decorator = decorator
        kind = decorator[-1].replace("_", " ")
        self._what = f"{kind} method" if kind else "task"
        self._loaded: dict[str, Any] = {}

    @cached_property
    def _modules(self) -> dict[str, str]:
        return {place.name: place.module for place in _places() if place[:2] == self._decorator}

    def add(self, name: str, value: Any) -> None:
        self._loaded[name] = value

    def __getitem__(self, name: str) -> Any:
        if name in self._modules:  # even if it is there: another thread may still be loading it
            import_module(self._modules[name])
        elif name not in self._loaded:
            one_of(self, name, self._what)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter({**self._modules, **self._loaded})

    def __len__(self) -> int:
        return len({**self._modules, **self._loaded})


#: Everything that can be computed, by name.
TASKS = Registry("task", "")
_methods: dict[str, Registry] = {}


def registry(kind: str) -> Registry:
    return _methods.setdefault(kind, Registry("register", kind))  # the same for all threads


def kinds() -> list[str]:
    """Kinds of methods."""
    return list(dict.fromkeys(place.kind for place in _places() if place.decorator == "register"))


def classes(package: str) -> dict[str, str]:
    """Modules of the methods in a folder, by the names of their classes."""
    return {
        place.attribute: place.module for place in _places()
        if place.decorator == "register" and place.module.startswith(f"{package}.")
    }


def exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a folder that exports its methods."""
    inside: dict[str, list[str]] = {}
    for name, module in classes(package).items():
        inside.setdefault(module.removeprefix(f"{package}."), []).append(name)
    return lazy_loader.attach(package, submod_attrs=inside)
