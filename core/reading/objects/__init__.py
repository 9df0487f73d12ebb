"""Tables and pictures of the objects."""
