"""The values that were used last stay in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class Recent(OrderedDict[Any, Any]):
    """Values by key, for several threads; the one used last is always among them.

    most: Values, or the sum of their sizes where these can be measured.
    """

    def __init__(self, most: int, size: Callable[[Any], int] | None = None) -> None:
        super().__init__()
        self.most, self._size, self._lock = most, size, threading.Lock()

    def get(self, key: Any) -> Any:
        with self._lock:
            if key in self:
                self.move_to_end(key)
            return super().get(key)

    def keep(self, key: Any, value: Any) -> None:
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > 1 and self._used() > self.most:
                self.popitem(last=False)

    def _used(self) -> int:
        return sum(map(self._size, self.values())) if self._size else len(self)
