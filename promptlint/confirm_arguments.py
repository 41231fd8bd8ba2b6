"""The options of `promptlint confirm`; nothing heavy is imported here."""

from collections.abc import Callable

CONFIRM_FORMATS = ("text", "json", "markdown", "csv", "svg")

SUMMARY = "does a model reuse what was predicted, is the answer the same, and is it faster?"
DESCRIPTION = """\
Run a model with the common prefix of A and B in its cache and without it: is as
much reused as predicted, are keys, values and logits equal, does the first
token come sooner? Each proof has a control that must fail.

Without --model a small built-in model is run, which needs torch and no
download. --check runs the same on an implementation of your own, --endpoint
asks a server.

A and B are named as those of `promptlint diff`; with --endpoint one LOG may stand in their place.
"""


def add_confirm(add: Callable[..., object]) -> None:
    """All options of the command."""
    add("paths", metavar="A B", nargs="*", help="two requests, texts or lists of token ids")
    _add_model(add)
    _add_measurement(add)
    _add_server(add)
    _add_reading(add)
    add("--strict", action="store_true", help="exit 1 as well if the verdict is not_shown")
    add("--format", choices=CONFIRM_FORMATS, default="text", help="what to print (default: text)")
    add("--output", action="append", default=[], metavar="FORMAT=FILE", help="write a report to a file as well")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_model(add: Callable[..., object]) -> None:
    add("--model", metavar="DIR|FILE|NAME", help="a model's folder or its GGUF; with --endpoint its name there")
    add("--check", metavar="MODULE:FUNCTION", help="an implementation of your own; its code runs")
    add("--device", metavar="NAME", help="cpu (default), cuda, cuda:1 or mps")
    add("--dtype", metavar="NAME", help="float32 (default), float64, bfloat16 or float16")
    add("--attention", metavar="NAME", help="eager, sdpa or another one of transformers (default: the model's own)")
    add("--allow-download", action="store_true", help="fetch a model that is not on this machine")
    add("--seed", metavar="N", type=int, help="of the built-in model and of random prompts (default: 0)")


def _add_measurement(add: Callable[..., object]) -> None:
    add("--prefix", metavar="TOKENS,...", help="measure these lengths of prefix (default: 2048)")
    add("--pairs", metavar="N", type=int, help="runs with and without reuse for each of them (default: 5)")
    add("--threads", metavar="N", type=int, help="of the processor (default: 1 to measure)")
    add("--generate", metavar="N", type=int, help="continue B by so many tokens with and without reuse")


def _add_server(add: Callable[..., object]) -> None:
    add("--endpoint", metavar="URL", help="ask this server; http only to this machine")
    add("--api", choices=("openai", "anthropic", "llama-server", "gemini"), help="how (default: as the requests)")
    add("--key-env", metavar="NAME", help="variable with the key (default: the one of the provider)")
    add("--max-usd", metavar="DOLLARS", help="send nothing that may cost more (default: 1)")
    add("--dry-run", action="store_true", help="print what it may cost, and send nothing")
    add("--cassette", metavar="FILE", help="record the answers in a file; if it is there, replay it and send nothing")
    add("--tokens", metavar="N", type=int, help="of each answer of a server (default: 8)")
    add("--timeout", metavar="SECONDS", type=float, help="for each answer of a server (default: 120)")
    add("--block-size", metavar="TOKENS", type=int, help="block of a server with a paged cache (vLLM, SGLang)")


def _add_reading(add: Callable[..., object]) -> None:
    add("--tokenizer", metavar="NAME|PATH", help="instead of the model's own; the built-in model takes bytes")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--chat-template", metavar="PATH", help="instead of the model's own: file, folder or GGUF")
    add("--template-kwargs", action="append", default=[], metavar="NAME=VALUE", help="what else the template is given")
    add("--now", metavar="TIME", help="the clock that chat templates see (ISO 8601) instead of the real one")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--input-format", metavar="NAME", help="read both inputs as this format instead of recognising it")
    add("--request-path", metavar="POINTER", help="JSON pointer to the request inside each input")
