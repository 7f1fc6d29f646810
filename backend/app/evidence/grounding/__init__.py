"""Whether a passage speaks to a question. Sealed: a verdict depends on it."""
