"""TypeScript and JavaScript source, translated into `code`."""
