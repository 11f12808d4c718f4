"""What the MCP server says and does, without the protocol: only :mod:`genesys.server` imports mcp."""
