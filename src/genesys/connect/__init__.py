"""What connects a vault to Claude: entries in other programs' files, planned, applied and undone."""
