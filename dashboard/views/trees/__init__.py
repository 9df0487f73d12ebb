"""The page Trees."""
