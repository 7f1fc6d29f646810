"""Answering: sentences picked from sources, contradictions between them, and a readable text with its citations."""
