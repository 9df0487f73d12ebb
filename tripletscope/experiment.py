"""Plan an experiment, conduct it, and read its answers."""

from ._names import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
