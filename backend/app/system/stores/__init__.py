"""Stores under the data folder: ledger, journal, content, document index."""
