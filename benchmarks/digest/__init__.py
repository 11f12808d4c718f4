"""How many of the memories that a digest proposes are right, and how many it misses."""
