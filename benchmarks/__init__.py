"""Benchmarks: each prints one JSON document; figures are ratios within one run."""
