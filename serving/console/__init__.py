"""Console: commands that talk with a running server's management port."""
