"""Training of the window scorer: texts, features, fits, and what is found in sources that were left out."""
