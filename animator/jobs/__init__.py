"""Work outside the request: the queue, the tasks, and news of how far they are."""
