"""The programs that run inside a worker process."""
