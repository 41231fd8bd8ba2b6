"""Text that moves by itself, recognised in one rendered request: its labels must say that it does."""
