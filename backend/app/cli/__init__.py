"""The command line: a door that translates words into requests."""
