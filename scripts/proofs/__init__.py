"""Proofs: the decisive rules are translated from their own source and shown to hold for all inputs."""
