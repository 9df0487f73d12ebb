"""Options of many methods and tasks."""

from __future__ import annotations

from typing import Annotated

from tripletscope.core.engine.declared import Number

Seed = Annotated[int, Number(
    0, 2**31 - 1, "Seed", "The same seed gives the same result, bit for bit.", advanced=True
)]
