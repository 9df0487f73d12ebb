"""Words of reports and figures in the languages that papers are written in."""

from tripletscope.dashboard.wording.words import ENGLISH, LANGUAGES, Words, plain

__all__ = ["ENGLISH", "LANGUAGES", "Words", "plain"]
