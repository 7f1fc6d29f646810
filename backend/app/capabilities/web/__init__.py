"""Capabilities that read the web."""
