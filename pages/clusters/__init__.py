"""The page Clusters."""
