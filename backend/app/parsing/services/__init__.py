"""Answers of outside services: helpers that providers share."""
