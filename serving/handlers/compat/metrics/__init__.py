"""What handlers measure themselves."""
