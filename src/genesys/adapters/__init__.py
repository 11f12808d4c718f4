"""The memory as tools of other programs' models; each module is for one way of calling tools.

They offer the tools of the MCP server, from the same table, and answer with the same text: what notes say
stands quoted in it, as data.
"""

__all__ = ["langchain", "openai", "toolbox"]
