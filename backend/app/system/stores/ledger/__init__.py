"""Ledgers: rate, budget and idempotency."""
