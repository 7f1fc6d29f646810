"""The certification gate: executes every check of the manifest and writes the certificate."""
