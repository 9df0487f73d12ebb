"""Jobs compute in processes of their own, so that none takes the server down."""
