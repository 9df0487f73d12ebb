"""The page on where computations run."""
