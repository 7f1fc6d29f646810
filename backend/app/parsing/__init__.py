"""Pure reading of foreign bytes: URLs, documents, provider answers."""
