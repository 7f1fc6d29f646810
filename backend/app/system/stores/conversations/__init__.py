"""Stores of conversations: turns with their actions, never a text."""
