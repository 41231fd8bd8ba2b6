"""The pytest plugin: does what my code sends keep the prompt cache?

It is loaded by every run of pytest where promptlint is installed, so nothing else of promptlint is imported before a
test asks for it. The functions work without pytest's fixtures as well, in unittest for instance.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from promptlint.testing.stable import Comparison, assert_prefix_stable

if TYPE_CHECKING:
    from promptlint.testing.recorder import Recorder

__all__ = ["Comparison", "assert_prefix_stable", "promptlint_requests"]


@pytest.fixture
def promptlint_requests() -> "Iterator[Recorder]":
    """The prompts that SDKs built on httpx (or httpx2) send during this test, in the order in which they are sent.

    `promptlint_requests.requests` are the records, `promptlint_requests.assert_prefix_stable()` compares them.
    Nothing is sent that the test does not send: what answers the SDK is up to the test, a MockTransport for instance.
    """
    from promptlint.errors import PromptlintError
    from promptlint.testing.recorder import record_requests

    try:
        with record_requests() as recorder:
            yield recorder
    except PromptlintError as error:  # nothing to record
        pytest.fail(f"promptlint_requests: {error}", pytrace=False)
