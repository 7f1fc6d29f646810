"""Mutation testing: small faults are planted in the core one by one, and the tests must notice each of them."""
