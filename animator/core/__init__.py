"""The nouns: what flows from room to room. Imports numpy and msgspec only."""
