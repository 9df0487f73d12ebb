"""Losses of maps, and what minimises them."""
