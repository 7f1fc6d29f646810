"""The guides for adding a provider, a capability or a tool, each followed literally."""
