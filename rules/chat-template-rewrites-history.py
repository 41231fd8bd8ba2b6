"""Text of one request that a chat template prints otherwise in the next one, as made-up conversations show."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject

_FIXES = {
    "reasoning-dropped": (
        "Print the reasoning of every turn, at least where the caller asks for it; where the model is meant to forget "
        "it, expect one rewrite with each message of the user."
    ),
    "template-asymmetry": "Open an answer in the history with the same text as the one that is to be generated.",
    "template-moves-text": "Print it once, ahead of the first message.",
    "history-trimmed": "Print all messages, and let the caller trim: rarely, and deeply, so that the cut stays.",
    "content-stubbed": "Print results in full, and let the caller shorten them once, before they are first sent.",
    "counter": "Drop it, or print it behind the last message.",
    "white-space": "Trim each message, or none, whatever follows it.",
}


# What the template of a model has: another one that prints messages makes a prompt of its own with each call.
_MARKS = ("add_generation_prompt", "bos_token", "eos_token", "<|", "<\uff5c", "[INST]", "<start_of_turn>", "im_start")


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each place of the template that does so, once; related: the condition that chooses."""
    text = subject.template.files[0].text
    if not any(mark in text for mark in _MARKS):
        return
    shown = subject.rendered()
    for rewrite in () if shown is None else shown.rewrites:
        values = {
            "what": rewrite.message,
            "conversation": rewrite.conversation,
            "kept": f"{rewrite.shared_tokens:,}",
            "all": f"{rewrite.tokens:,}",
        }
        related = () if rewrite.related is None else (rewrite.related,)
        yield Hit(rewrite.at, values, related, fix=_FIXES.get(rewrite.cause), cause=rewrite.cause)
