"""The walls round a worker: Landlock, seccomp, limits."""
