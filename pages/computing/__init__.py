"""The page Computing: where computations run."""
