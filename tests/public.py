"""The public face: what ``import tripletscope as ts`` gives, and its modules."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import tripletscope as ts


def public_things() -> dict[str, Any]:
    """Every public class and function by its name, such as ``people.compare_people``."""
    found: dict[str, Any] = {}
    for name in ts.__all__:
        one = getattr(ts, name)
        if isinstance(one, ModuleType):
            found |= {f"{name}.{inner}": getattr(one, inner) for inner in one.__all__}
        else:
            found[name] = one
    return found
