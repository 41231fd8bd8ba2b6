"""What transformers itself renders: the reference for chat templates."""

from typing import Any


def apply(source: str, body: dict[str, Any], **variables: Any) -> str | None:
    """The prompt that `apply_chat_template` makes of a request; None if the template refuses it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    make: Any = PreTrainedTokenizerFast  # is not typed
    tokenizer = make(tokenizer_object=Tokenizer(WordLevel({"x": 0}, unk_token="x")))
    try:
        rendered = tokenizer.apply_chat_template(
            body["messages"],
            tools=body.get("tools"),
            chat_template=source,
            tokenize=False,
            add_generation_prompt=True,
            **variables,
        )
    except Exception:
        return None
    assert isinstance(rendered, str)
    return rendered
