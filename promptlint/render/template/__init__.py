"""Jinja templates, rendered in a limited child process, with the origin of every character."""

from promptlint.render.template.types import Profile, Template

__all__ = ["Profile", "Template"]
