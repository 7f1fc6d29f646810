"""What the search capabilities share: inputs, calls, failures, hints, and their view of a result."""
