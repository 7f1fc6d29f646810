"""Selecting sentences: lexical features in whole numbers, and a small fitted scorer over them."""
