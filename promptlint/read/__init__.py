"""Bytes from files, pipes and git revisions; JSON text to values; values back to places in the file."""
