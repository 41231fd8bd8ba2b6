"""Reuse rules of providers and engines, one file per kind of cache."""
