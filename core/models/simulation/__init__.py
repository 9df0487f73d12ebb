"""Known truths, and simulated observers of them."""
