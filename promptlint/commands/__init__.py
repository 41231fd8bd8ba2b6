"""One file per command: options in, Report out. This is the Python API."""
