"""Python source, translated into `code`."""
