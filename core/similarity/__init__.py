"""Similarities from answers: kernels, and clusters by them."""
