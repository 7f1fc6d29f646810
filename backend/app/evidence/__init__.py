"""Pure work on evidence: rankings, excerpts, citations, coverage."""
