"""Questions as prompts for a language or vision model, and its replies as answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "prompts": ["Questions", "questions_of", "write_prompts"],
    "replies": ["Replies", "read_replies", "with_observer"],
})
