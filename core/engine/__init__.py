"""What everything runs on: declarations, methods and tasks by name, progress, work in parallel."""
