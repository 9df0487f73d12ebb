"""Pages' settings for a data set, in archives and back on pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tripletscope.core.run import Run
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.store.dataset import DatasetInfo

#: Placeholder of the data set, whose id differs between workspaces.
_DATA_SET = "{data set}"
#: Prefix of the keys of composed figures.
_COMPOSER = "composer"


def kept_settings(
    info: DatasetInfo, runs: Sequence[Run], settings: Mapping[str, Any],
    hidden: Collection[str] = (),
) -> dict[str, Any]:
    """Settings of pages for a data set and its results, independent of its id.

    hidden: Names of participants; settings that mention one are left out.
    """
    chosen = {
        name: value for name, value in settings.items()
        if _is_about(name, info, runs) or (name.startswith(_COMPOSER) and isinstance(value, dict))
    }
    texts = {name: json.dumps([name, value]) for name, value in chosen.items()}
    names = [json.dumps(name)[1:-1] for name in hidden]
    chosen = {name: value for name, value in chosen.items()
              if not any(hidden in texts[name] for hidden in names)}
    word = re.compile(_place(info))
    return _reworded(json.loads(json.dumps(chosen)), lambda text: word.sub(_DATA_SET, text))


def sound_settings(settings: Any, info: DatasetInfo, runs: Sequence[Run]) -> dict[str, Any]:
    """An archive's valid settings for a data set, under its id here."""
    if not isinstance(settings, dict):
        return {}
    chosen = _reworded(settings, lambda text: text.replace(_DATA_SET, info.id))
    sound = {
        name: value for name, value in chosen.items()
        if _is_about(name, info, runs) and _is_usual(name, value, info.n_objects)
    }
    for name, value in chosen.items():
        if name.startswith(_COMPOSER) and isinstance(value, dict):
            sound[name] = {
                part: what for part, what in value.items()
                if getattr(Composition.from_dict({part: what}), part, None) == what
            }
    return sound


def _is_about(name: str, info: DatasetInfo, runs: Sequence[Run]) -> bool:
    return bool(re.search(_place(info), name)) or any(run.key in name for run in runs)


def _place(info: DatasetInfo) -> str:
    """Pattern of a data set's id: after the @ of a key, or before the / of a result's place."""
    one = re.escape(info.id)
    return rf"(?<=@){one}(?=\.|\Z)|\A{one}(?=/)"


def _reworded(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_reworded(one, change) for one in value]
    if isinstance(value, dict):
        return {change(name): _reworded(one, change) for name, one in value.items()}
    return value


def _is_usual(name: str, value: Any, n_objects: int) -> bool:
    """Whether a page may have noted a value under a name."""
    for start, is_sound in _SHAPED.items():
        if name.startswith(start):
            return is_sound(value, n_objects)
    if isinstance(value, list) and ".shown@" not in name:
        return all(isinstance(one, str | int | float) for one in value)
    return value is None or isinstance(value, str | int | float)


def _are_offsets(value: Any, n_objects: int) -> bool:
    return isinstance(value, dict) and all(
        isinstance(at, list) and len(at) == 2 and all(_is_finite(x) for x in at)
        for at in value.values()
    )


def _is_cut(value: Any, n_objects: int) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    number, height = value
    return _are_positions([number], n_objects + 1) and number > 0 and (
        height is None or _is_finite(height)
    )


def _are_positions(value: Any, n_objects: int) -> bool:
    return isinstance(value, list) and all(
        type(one) is int and 0 <= one < n_objects for one in value
    )


def _are_answers(value: Any, n_objects: int) -> bool:
    return isinstance(value, list) and all(
        _are_positions(row, n_objects) and len(row) == 3 for row in value
    )


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e9


#: Checks of notes that are no values of widgets, by prefix of their names.
_SHAPED: dict[str, Callable[[Any, int], bool]] = {
    "map.labels@": _are_offsets, "clusters.cut@": _is_cut, "trees.chosen@": _are_positions,
    "trees.given@": _are_answers,
}
