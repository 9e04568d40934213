"""What travels over the wire, and how it becomes arrays; no sockets, no state."""
