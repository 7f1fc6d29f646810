"""Conformance of stores: one suite per port, run by every store."""
