"""What people touch: controls, panels, charts, the theme."""
