"""Web pages and feeds: main content, metadata, hidden text."""
