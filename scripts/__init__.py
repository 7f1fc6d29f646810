"""Maintenance commands; `make help` lists them."""
