"""The page Dimensions."""
