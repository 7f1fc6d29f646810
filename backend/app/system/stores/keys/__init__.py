"""API keys, kept as digests."""
