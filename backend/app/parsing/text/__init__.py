"""Plain text and data files: decoding, cleaning, cutting, words."""
