"""What a report says."""

from __future__ import annotations

from tripletscope.dashboard.report.document import Paragraph, Section


def text_of(section: Section) -> str:
    """The paragraphs of a section."""
    return "\n\n".join(block.text for block in section.blocks if isinstance(block, Paragraph))
