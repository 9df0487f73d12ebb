"""The page Uncertainty."""
