"""The dashboard: presents what `core` computes."""
