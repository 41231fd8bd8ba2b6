"""Write fixtures/tokens/llama_cpp.json: how llama.cpp itself tokenizes, for each way in which it splits texts.

usage: python tests/benchmarks/llama_cpp.py    (pip install xllamacpp)

The vocabularies are those of tests/token_ggufs.py. They stand in the file as well, since training may differ between
versions of the library.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import token_ggufs
import token_texts
from promptlint import facts

TARGET = Path(__file__).parents[2] / "fixtures" / "tokens" / "llama_cpp.json"
TEXTS = 60


def texts() -> list[str]:
    """Without characters that the Unicode tables of one side may not have."""
    rng = random.Random(53)
    found = ["", " ", "a<|im_start|>b<|fim_prefix|> c", "'\u017f 'S \u00e9\u00c9 e\u0301E\u0301x \u01c5a 12345"]
    while len(found) < TEXTS:
        text = token_texts.text(rng)[:80]
        if not any(unicodedata.category(character) in ("Cn", "Co") for character in text):
            found.append(text)
    return found


def main() -> None:
    pres = {names[0] for names in facts.table("tokenizers")["splits"]["names"].values()}
    vocabularies = {pre: token_ggufs.byte_pairs(pre) for pre in sorted(pres)}
    for prefix in (True, False):
        vocabularies[f"space prefix {prefix}"] = token_ggufs.scored(add_space_prefix=prefix)
    wanted = texts()
    shared = {"byte_pairs": token_ggufs.byte_pairs(""), "scored": token_ggufs.scored()}
    cases: dict[str, Any] = {}
    for name, metadata in vocabularies.items():
        kind = "scored" if "tokenizer.ggml.scores" in metadata else "byte_pairs"
        own: dict[str, Any] = {key: value for key, value in metadata.items() if shared[kind].get(key) != value}
        cases[name] = {"metadata": {"like": kind} | own, "ids": tokenized(metadata, wanted)}
    body = {"texts": wanted, "vocabularies": shared, "cases": cases}
    rows = (f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in body.items())
    TARGET.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8", newline="\n")


def tokenized(metadata: dict[str, object], wanted: list[str]) -> list[list[int]]:
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        file.write(token_ggufs.loadable(metadata))
        file.flush()
        line = [sys.executable, __file__, file.name]
        done = subprocess.run(line, input=json.dumps(wanted), capture_output=True, text=True, check=True, timeout=60)
    ids: list[list[int]] = json.loads(done.stdout.splitlines()[-1])
    return ids


def serve(model: str) -> None:
    """llama.cpp's own server with one model: the ids of the texts on standard input. A process can start one only."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.warmup = model, 512, False
    server = xllamacpp.Server(parameters)
    address = server.listening_address
    ids = []
    for text in json.load(sys.stdin):
        body = json.dumps({"content": text, "add_special": False, "parse_special": True}).encode()
        request = urllib.request.Request(f"{address}/tokenize", body, {"Content-Type": "application/json"})
        ids.append(json.load(urllib.request.urlopen(request, timeout=60))["tokens"])
    print(json.dumps(ids), flush=True)
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1]) if sys.argv[1:] else main()
