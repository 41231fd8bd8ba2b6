"""Values that differ from request to request, followed through source code to the prompts that they reach."""
