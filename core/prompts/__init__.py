"""Questions as prompts for a language or vision model, and its replies as answers."""
