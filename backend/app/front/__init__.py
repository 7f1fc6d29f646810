"""The names that a host imports by the package's own name, in two parts that are loaded when one is asked for."""
