"""What runs a model's file: one small protocol, and a module for each runtime."""
