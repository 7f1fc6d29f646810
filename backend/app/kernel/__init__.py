"""The ground floor: nouns, ports, canonical JSON and errors; it imports nothing of the house."""
