"""The default handlers, and the classes that handlers of users derive from."""
