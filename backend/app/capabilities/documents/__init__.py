"""Capabilities over the documents of the user."""
