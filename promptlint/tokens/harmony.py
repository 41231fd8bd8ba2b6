"""The vocabulary of harmony (gpt-oss): the ranks of o200k_base, in the file form that openai-harmony loads."""

from promptlint.errors import PromptlintError
from promptlint.tokens.o200k import O200k
from promptlint.tokens.table import Table


def official_ranks() -> bytes:
    """The file o200k_base.tiktoken, made from the embedded table in 0.2 s. PromptlintError if it is not that file."""
    from base64 import b64encode
    from hashlib import sha256

    tokens = enumerate(Table().tokens)
    data = b"".join([b"%s %d\n" % (b64encode(token), rank) for rank, token in tokens])
    if sha256(data).hexdigest() != O200k.digest:
        raise PromptlintError("the embedded vocabulary is damaged", "install promptlint-cache again")
    return data
