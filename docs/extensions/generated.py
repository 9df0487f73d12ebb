"""What is written from the program itself: the options of its command."""

from __future__ import annotations

import argparse

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tripletscope.dashboard.serving.cli import parser


def options_of(command: argparse.ArgumentParser) -> list[str]:
    """The options of a command, in reStructuredText."""
    lines = [f".. program:: {command.prog}", ""]
    for action in command._actions:
        shown = action.metavar or ("{" + ",".join(action.choices) + "}" if action.choices else "")
        names = [f"{name} {shown}".rstrip() for name in action.option_strings]
        lines += [f".. option:: {', '.join(names)}", "", f"   {action.help}", ""]
    return lines


class CommandLine(SphinxDirective):
    """The options of ``tripletscope``, as its ``--help`` tells them."""

    def run(self) -> list[nodes.Node]:
        place = nodes.container()
        lines = StringList(options_of(parser()), source=self.env.doc2path(self.env.docname))
        self.state.nested_parse(lines, self.content_offset, place)
        return place.children


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
