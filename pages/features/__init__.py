"""The page Features."""
