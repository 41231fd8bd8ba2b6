"""What the README shows is what the command does."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from conftest import ROOT, Expected
from promptlint.commands.own_facts import own_facts
from promptlint.config import find
from promptlint.config.selection import refuse_unknown_rules
from promptlint.lint.rule import built_in

README = ROOT / "README.md"
COMMAND = (sys.executable, "-m", "promptlint")


def printed(*arguments: str) -> str:
    done = subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if arguments[0] in ("lint", "check") and "--help" not in arguments else 0), done.stderr
    return done.stdout


def test_the_output_is_that_of_the_demo(expected: Expected) -> None:
    output = printed("diff", "fixtures/demo/before.json", "fixtures/demo/after.json")
    block = re.compile(r"(?<=^```text\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
    readme, blocks = block.subn(lambda _: output, README.read_text("utf-8"))
    assert blocks == 1
    expected(README, readme)


def test_the_other_examples(expected: Expected) -> None:
    """Blocks that begin with `$ promptlint …` show what that prints."""
    block = re.compile(r"(?<=^```console\n)\$ promptlint ([^\n]*)\n.*?(?=^```$)", re.MULTILINE | re.DOTALL)
    readme, blocks = block.subn(
        lambda match: f"$ promptlint {match[1]}\n{printed(*match[1].split())}", README.read_text("utf-8")
    )
    assert blocks == 6
    expected(README, readme)


def test_the_proof_looks_as_shown() -> None:
    """Times and differences vary from machine to machine; the words do not."""
    block = r"(?<=^```shell-session\n)\$ promptlint ([^\n]*)\n(.*?)(?=^```$)"
    ((command, shown),) = re.findall(block, README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    figure = r"[0-9][0-9.,e-]*x?( (µs|ms|s)\b)?"
    assert re.sub(figure, "N", shown).split() == re.sub(figure, "N", printed(*command.split())).split()


def yaml_blocks() -> list[str]:
    return re.findall(r"(?<=^```yaml\n).*?(?=^```$)", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_the_configurations_are_some(tmp_path: Path) -> None:
    settings, _, _, _, _, rows = yaml_blocks()
    (tmp_path / "promptlint.yaml").write_text(settings + rows)
    config = find(str(tmp_path))
    assert config.fail_on == "warning"
    assert config.variables["user.*"] == "per-session"
    refuse_unknown_rules(config, [rule.id for rule in built_in()])
    own = own_facts(str(tmp_path))
    assert list(own.models) == ["my-finetune"]
    assert str(own.prices["claude-sonnet-5"][0]["input"]) == "1.80"


def test_the_hook_is_the_one_that_there_is() -> None:
    (repository,) = yaml.safe_load(yaml_blocks()[1])["repos"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in repository["hooks"]] == [hook["id"] for hook in hooks]


def test_the_prompts_of_the_example_are_some(tmp_path: Path) -> None:
    (tmp_path / "promptlint.yaml").write_text(yaml_blocks()[2])
    config = find(str(tmp_path))
    assert [entry.kind for entry in config.prompts] == ["template", "request", "recorded"]
    assert config.budget.max_lost_tokens_per_request == 0
    assert config.allow


def test_the_workflow_uses_what_the_action_gives() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    used = set(re.findall(r"steps\.check\.outputs\.([\w-]+)", yaml_blocks()[3]))
    assert used == action["outputs"].keys()
    assert all(f"`{name}`" in README.read_text("utf-8") for name in action["inputs"])


def test_every_option_is_described() -> None:
    commands = [printed(command, "--help") for command in ("diff", "key", "lint", "vary", "check", "lock", "confirm")]
    options = {option for text in commands for option in re.findall(r"(?<!\w)--[a-z-]+", text)} - {"--help"}
    described = {
        option
        for row in re.findall(r"^\| (`--[^|]*)\|", README.read_text("utf-8").replace("\\|", "/"), re.MULTILINE)
        for option in re.findall(r"`(--[a-z-]+)", row)
    }
    assert described == options


def test_every_verdict_and_format_is_described() -> None:
    readme = README.read_text("utf-8")
    schema = (ROOT / "promptlint" / "schemas" / "report.schema.json").read_text("utf-8")
    verdicts = ("same", "kept", "bust", "refused", "wrong_reuse", "unknown", "pass", "fail")
    for verdict in (*verdicts, "confirmed", "contradicted", "not_shown"):
        assert f'"{verdict}"' in schema
        assert f"| `{verdict}` |" in readme
