"""Servers that are asked: what do they themselves report about their cache? The only place that opens a connection."""
