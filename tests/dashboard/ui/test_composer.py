"""The dialog for print: panels of a sheet, also where a button is pressed twice."""

from __future__ import annotations

from tripletscope.dashboard.print.sheet import Panel
from tripletscope.dashboard.ui.composer import _earlier, _take_off

ONE, TWO, THREE = (Panel(name, f"<svg {name}/>", 8.0) for name in "abc")


def test_panels_move_and_go_once():
    panels = [ONE, TWO, THREE]
    _earlier(panels, THREE)
    assert panels == [ONE, THREE, TWO]
    _earlier(panels, ONE)
    assert panels == [ONE, THREE, TWO], "the first stays"
    for _ in range(2):
        _take_off(panels, THREE)
    assert panels == [ONE, TWO]
    _earlier(panels, THREE)
    assert panels == [ONE, TWO]
