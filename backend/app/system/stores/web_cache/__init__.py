"""Caches of fetched responses."""
