"""The MCP door, asked by the official client."""
