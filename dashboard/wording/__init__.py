"""Words of reports and figures in the languages that papers are written in."""

from tripletscope.dashboard.wording.words import ENGLISH, LANGUAGES, Words

__all__ = ["ENGLISH", "LANGUAGES", "Words"]
