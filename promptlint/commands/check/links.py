"""Addresses of places on the server that keeps the repository, as far as the environment of a CI job tells it."""

import os
from collections.abc import Sequence

from promptlint.check_facts import CheckedPrompt
from promptlint.config import leads_out


def linked(prompts: Sequence[CheckedPrompt]) -> tuple[CheckedPrompt, ...]:
    """The prompts, each with the address of the line that matters most."""
    begin = address()
    return tuple(prompt._replace(link=_link(prompt, begin)) if begin else prompt for prompt in prompts)


def address() -> str:
    """Where the files of this commit are shown; "" if it is not known.

    GitHub's and GitLab's own variables: docs.github.com/actions/reference/workflows-and-actions/variables,
    docs.gitlab.com/ci/variables/predefined_variables.
    """
    known = os.environ.get
    server, repository, commit = known("GITHUB_SERVER_URL"), known("GITHUB_REPOSITORY"), known("GITHUB_SHA")
    if server and repository and commit:
        return f"{server}/{repository}/blob/{commit}"
    project, commit = known("CI_PROJECT_URL"), known("CI_COMMIT_SHA")
    return f"{project}/-/blob/{commit}" if project and commit else ""


def _link(prompt: CheckedPrompt, begin: str) -> str:
    path, line = (prompt.causes[0].path, prompt.causes[0].line) if prompt.causes else (prompt.path, 1)
    if prompt.change in ("unchanged", "deleted") or leads_out(path):
        return ""
    from urllib.parse import quote

    return f"{begin}/{quote(path)}#L{line}"
