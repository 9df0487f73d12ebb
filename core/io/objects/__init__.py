"""What is known of the objects: tables and pictures."""
