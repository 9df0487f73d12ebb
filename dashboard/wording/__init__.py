"""Words of reports and figures in the languages that papers are written in."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "words": ["ENGLISH", "LANGUAGES", "Words", "distinct", "literal", "plain", "uncited"],
})
