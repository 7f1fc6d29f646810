"""Capabilities over scholarly works."""
