"""The page Kernel."""
