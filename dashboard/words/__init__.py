"""Words of reports and figures."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "sentences": ["LinkedSentence", "distinct", "literal", "uncited", "unmarked", "words"],
})
