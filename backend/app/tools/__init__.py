"""Everything that touches the outside; only the adapter reaches in here."""
