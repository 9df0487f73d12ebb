"""Progress that can stop a computation, and work in parallel."""
