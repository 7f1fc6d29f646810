"""Pure measures over evidence: ranking quality, excerpts, coverage."""
