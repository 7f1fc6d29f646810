"""Scenarios: worlds of sessions as plain data, made from a seed; nothing here knows the product."""
