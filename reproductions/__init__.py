"""The papers that the program's methods come from: every figure, table and theorem, rebuilt."""

from tripletscope._names import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
