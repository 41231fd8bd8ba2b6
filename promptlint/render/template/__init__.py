"""Jinja templates, rendered in a limited child process, with the origin of every character."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from promptlint.prompt import Rendering
from promptlint.render.template.process import Renderer
from promptlint.render.template.types import Profile, Template

__all__ = ["Profile", "Renderer", "Template", "render_all"]


def render_all(
    template: Template,
    runs: Sequence[Mapping[str, Any]],
    *,
    now: datetime | None = None,
    profile: Profile = "transformers",
) -> list[Rendering]:
    """The template over each set of variables, all in one child process.

    Variables are JSON data; paths of origins lead into one set. `now`: the clock of `strftime_now`; by default the
    real one. `profile`: who calls a chat template: `apply_chat_template` alone, or vLLM, which changes messages first.
    Raises PromptlintError with template, line and reason: what the template raises, and the limit that it exceeds.
    """
    moment = now or datetime.now()
    with Renderer() as renderer:
        return [renderer.render(template, variables, now=moment, profile=profile) for variables in runs]
