"""`promptlint confirm`: a prediction beside what a model or a server does."""
