"""Journals: the hash-chained lines of sessions."""
