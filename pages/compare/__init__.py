"""The page Compare."""
