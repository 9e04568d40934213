"""Written by `make proto`; not by hand."""
