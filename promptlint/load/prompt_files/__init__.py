"""Prompts inside documents: which texts of a JSON or YAML value are templates, and how they follow one another."""

from promptlint.load.prompt_files.found import Stored, StoredText
from promptlint.prompt import Json

__all__ = ["Stored", "StoredText", "prompts_in"]


def prompts_in(value: Json) -> list[Stored] | None:
    """The prompts of LangChain, Semantic Kernel, promptfoo or Bedrock in a document; None where it is of none of them.

    Nothing that the document names is read.
    """
    from promptlint.load.prompt_files import bedrock, langchain, promptfoo, semantic_kernel

    for prompts in (langchain.prompts, bedrock.prompts, semantic_kernel.prompts, promptfoo.prompts):
        found = prompts(value)
        if found is not None:
            return found
    return None
