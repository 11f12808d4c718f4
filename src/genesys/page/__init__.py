"""A vault's memory as one HTML page that loads nothing."""
