"""Properties that are computed once, whichever thread asks first."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """A property that is computed once for each instance, and never waits.

        That of Python 3.11 has one lock for all instances of a class: a slow one holds up all
        others, and two threads that take two properties in opposite order stop each other. Here
        threads that ask at the same time may compute it twice; all are given the first result.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))
