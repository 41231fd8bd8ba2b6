"""Keep LLM prompt caches hit.

PYTEST_DONT_REWRITE: pytest would warn whoever imports this package ahead of pytest, because it brings a plugin.
"""

__version__ = "0.1.0"
