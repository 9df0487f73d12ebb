"""The page Simulate."""
