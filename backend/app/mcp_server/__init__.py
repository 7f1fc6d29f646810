"""The MCP door: every capability as a tool for MCP clients, over stdio and streamable HTTP."""
