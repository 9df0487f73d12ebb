"""What is written from the program itself: options of its command, layouts that it writes."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.docstrings import type_of
from tripletscope.core.engine.registry import TASKS
from tripletscope.core.run import run
from tripletscope.core.writing import WRITERS, write_answers
from tripletscope.dashboard.collect.command import collect_parser
from tripletscope.dashboard.serve.cli import parser


def options_of(command: argparse.ArgumentParser) -> list[str]:
    """The options of a command, in Markdown."""
    lines = [f":::{{program}} {command.prog}", ":::", ""]
    for action in command._actions:
        if not action.option_strings:
            lines += [f"`{action.metavar}`", f": {action.help}", ""]
            continue
        shown = action.metavar or ("{" + ",".join(action.choices) + "}" if action.choices else "")
        names = [f"{name} {shown}".rstrip() for name in action.option_strings]
        words = re.sub(r"(--[\w-]+)", r"`\1`", action.help)
        lines += [f":::{{option}} {', '.join(names)}", words, ":::", ""]
    return lines


def writers() -> list[str]:
    """The layouts that `write_answers` writes, in Markdown."""
    return [
        line for writer in WRITERS.values()
        for line in (f"`{writer.name}`", f": {writer.title}. {writer.help}", "")
    ]


def tasks() -> list[str]:
    """The tasks of `run` with their methods and options, in Markdown."""
    lines = []
    for name, found in sorted(TASKS.items()):
        kinds = f" Methods: {', '.join(found.kinds)}." if found.kinds else ""
        lines += [f"`{name}`", f": {found.words}.{kinds}", ""]
        for p in parameters(found.function):
            said = " ".join(filter(None, [f"{p.spec.label.rstrip('.')}.", p.spec.help]))
            lines.append(f"  - `{p.name}` ({type_of(p)}): {said}")
        lines.append("")
    return lines


class Written(SphinxDirective):
    """Text that the program knows, in place of the directive."""

    source: Callable

    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        for file in (inspect.getfile(self.source), __file__):
            self.env.note_dependency(file)
        place = nodes.container()
        lines = StringList(self.lines(), source=self.env.doc2path(self.env.docname))
        self.state.nested_parse(lines, self.content_offset, place)
        return place.children


class CommandLine(Written):
    """The options of ``tripletscope``, as its ``--help`` tells them."""

    source = staticmethod(parser)

    def lines(self) -> list[str]:
        return options_of(parser())


class CollectCommand(Written):
    """The options of ``tripletscope collect``."""

    source = staticmethod(collect_parser)

    def lines(self) -> list[str]:
        return options_of(collect_parser())


class Writers(Written):
    """The layouts that can be written."""

    source = staticmethod(write_answers)

    def lines(self) -> list[str]:
        return writers()


class Tasks(Written):
    """The tasks that can be computed."""

    source = staticmethod(run)

    def lines(self) -> list[str]:
        return tasks()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command-line", CommandLine)
    app.add_directive("collect-command", CollectCommand)
    app.add_directive("writers", Writers)
    app.add_directive("tasks", Tasks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
