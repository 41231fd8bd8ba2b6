"""Keep LLM prompt caches hit."""

__version__ = "0.1.0"
