"""`animator serve`: which processes run here, started in order, watched, stopped in order."""
