"""What a model must offer to be served, and how its class is found."""
