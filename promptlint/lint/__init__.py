"""Rules over what will be sent: requests, tool schemas, templates, and pairs of renderings of one prompt."""
