"""Running experiments: the page that participants see, the server behind it, and its log."""
