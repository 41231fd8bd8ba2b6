"""What the README shows is what the command does."""

import re
import subprocess
import sys
from pathlib import Path

from conftest import ROOT, Expected
from promptlint.commands.own_facts import own_facts

README = ROOT / "README.md"
COMMAND = (sys.executable, "-m", "promptlint")


def printed(*arguments: str) -> str:
    return subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_output_is_that_of_the_demo(expected: Expected) -> None:
    output = printed("diff", "fixtures/demo/before.json", "fixtures/demo/after.json")
    block = re.compile(r"(?<=^```text\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
    readme, blocks = block.subn(lambda _: output, README.read_text("utf-8"))
    assert blocks == 1
    expected(README, readme)


def test_the_other_examples(expected: Expected) -> None:
    """Blocks that begin with `$ promptlint …` show what that prints."""
    block = re.compile(r"(?<=^```console\n)\$ promptlint (.*)\n[^`]*(?=^```$)", re.MULTILINE)
    readme, blocks = block.subn(
        lambda match: f"$ promptlint {match[1]}\n{printed(*match[1].split())}", README.read_text("utf-8")
    )
    assert blocks == 3
    expected(README, readme)


def test_the_configuration_is_one(tmp_path: Path) -> None:
    (block,) = re.findall(r"(?<=^```yaml\n).*?(?=^```$)", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "promptlint.yaml").write_text(block)
    own = own_facts(str(tmp_path))
    assert list(own.models) == ["my-finetune"]
    assert str(own.prices["claude-sonnet-5"][0]["input"]) == "1.80"


def test_every_option_is_described() -> None:
    commands = [printed(command, "--help") for command in ("diff", "key", "vary")]
    options = {option for text in commands for option in re.findall(r"(?<!\w)--[a-z-]+", text)} - {"--help"}
    described = set(re.findall(r"^\| `(--[a-z-]+)", README.read_text("utf-8"), re.MULTILINE))
    assert described == options


def test_every_verdict_and_format_is_described() -> None:
    readme = README.read_text("utf-8")
    schema = (ROOT / "promptlint" / "schemas" / "report.schema.json").read_text("utf-8")
    for verdict in ("same", "kept", "bust", "refused", "wrong_reuse", "unknown"):
        assert f'"{verdict}"' in schema
        assert f"| `{verdict}` |" in readme
