"""`promptlint check`: the prompts of a project as they render before and after a change."""
