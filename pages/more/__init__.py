"""The page More analyses."""
