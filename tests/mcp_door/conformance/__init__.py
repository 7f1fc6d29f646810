"""What the official conformance suite needs to examine our server: its fixtures and its list of known failures."""
