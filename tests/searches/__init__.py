"""Golden cases of the search capabilities."""
