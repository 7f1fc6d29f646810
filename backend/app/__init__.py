"""Portcullis: the research mode of a chat backend, behind one gate."""
