"""Kernels from triplets: Kleindessner & von Luxburg (2017)."""
