"""Genesys: your Obsidian vault is Claude's memory."""

__version__ = "0.1.0"
