"""What is known of each engine, by version."""

import json
from pathlib import Path

import pytest

from promptlint import facts
from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.facts.engines import Engine, engine, names


@pytest.mark.parametrize("name", names())
def test_every_engine_can_be_asked(name: str) -> None:
    row = engine(name)
    assert row.name == name
    assert row.unit_tokens >= 1
    assert row.source
    assert row.checked == "2026-11-29"
    for rows in facts.table("engines")[name]["by_version"].values():
        for version in (entry[end] for entry in rows for end in ("first", "last")):
            assert isinstance(engine(name, version), Engine)
        assert all(entry["source"] for entry in rows)


@pytest.mark.parametrize(
    ("version", "unhashed_first", "retention", "certainty"),
    [("0.10.2", False, None, "possible"), ("0.23.0", False, None, "certain"), ("0.24.0", True, None, "certain"),
     ("0.28.0", True, None, "certain"), ("0.29.0", True, 0, "certain"), ("0.33.0", True, 0, "certain"),
     ("v0.32.0", True, 0, "certain"), ("0.22", False, None, "certain"), ("0.24", True, None, "certain"),
        ("0.29", True, 0, "certain"), ("0.22.0.post1", False, None, "certain"), ("0.29.0+cpu", True, 0, "certain"),
     (None, True, 0, "certain")],
)  # fmt: skip
def test_vllm_changed(version: str | None, unhashed_first: bool, retention: int | None, certainty: str) -> None:
    row = engine("vllm", version)
    assert (row.unhashed_first, row.retention, row.certainty) == (unhashed_first, retention, certainty)


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("vlm", None, "unknown engine vlm; did you mean vllm?"),
        ("SGLnag", None, "unknown engine SGLnag; did you mean sglang?"),
        ("qqq", None, "unknown engine qqq; take one of llama-cpp, nano-vllm, "),
        ("vllm\n\x1b", None, "unknown engine vllm\\n\\x1b; did you mean vllm?"),
        ("vllm", "0.34.0", "what vLLM 0.34.0 does is not known: 0.33.0 is the newest that was checked; take 0.33.0"),
        ("vllm", "0.7", "what vLLM 0.7 does is not known: 0.8.5 is the oldest that was checked; take 0.8.5"),
        ("vllm", "0.23.1", "what vLLM 0.23.1 does is not known: it lies between 0.23.0 and 0.24.0, which differ"),
        ("vllm", "0.28.5", "what vLLM 0.28.5 does is not known: it lies between 0.28.0 and 0.29.0, which differ"),
        ("vllm", "latest", "'latest' is no version of vLLM; such as "),
        ("vllm", "", "'' is no version of vLLM; such as 0.33.0"),
        ("vllm", "0.33.O", "'0.33.O' is no version of vLLM; such as 0.33.0"),
        ("ollama", "1.0", "what Ollama does is not known by version; leave the version out"),
    ],
)
def test_what_is_not_known_is_one_line_with_the_next_step(name: str, version: str | None, said: str) -> None:
    with pytest.raises(PromptlintError) as refused:
        engine(name, version)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)
    assert refused.value.hint


def test_names_are_found_in_any_case() -> None:
    assert engine("vLLM") == engine("vllm")


@pytest.mark.parametrize(("engine", "verdict"), [("vllm", "bust"), ("sglang", "bust"), ("llama-cpp", "same")])
def test_a_salt_counts_where_the_engine_knows_one(engine: str, verdict: str, tmp_path: Path) -> None:
    paths = []
    for salt in ("a", "b"):
        path = tmp_path / f"{salt}.json"
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": "The harbour master reads the gauge. " * 120}],
            "cache_salt": salt,
        }
        path.write_text(json.dumps(body), encoding="utf-8")
        paths.append(str(path))
    assert diff(*paths, provider=engine).verdict == verdict
