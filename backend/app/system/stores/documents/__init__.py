"""The index of a folder of documents."""
