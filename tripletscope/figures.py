"""Figures that belong to no result: drawings of your own, trees and tanglegrams."""

from ._names import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
