"""The page Embedding."""
