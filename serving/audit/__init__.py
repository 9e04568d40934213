"""Audit: who changed what, when, from what to what; a chain of hashes shows tampering."""
