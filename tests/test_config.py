"""The user's configuration and facts: where they are found, and what is wrong with them in one line."""

from pathlib import Path

import pytest

from promptlint.cli import run
from promptlint.config import Config, find
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.overrides import overrides, with_overrides
from promptlint.facts.providers import provider
from promptlint.prompt import Json, Number


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_one_holds(tmp_path: Path) -> None:
    put(tmp_path / "promptlint.yaml", "facts: {models: {a: {family: claude}}}")
    put(tmp_path / "in/pyproject.toml", "[tool.promptlint.facts.models.b]\nfamily = 'claude'\nminimum = 7\n")
    file = put(tmp_path / "in/deep/request.json", "{}")
    other = put(tmp_path / "else/request.json", "{}")
    assert find(str(file)).facts == {"models": {"b": {"family": "claude", "minimum": Number("7")}}}
    assert find(str(file.parent)).facts == find(str(file)).facts
    assert find(str(other)).facts == {"models": {"a": {"family": "claude"}}}
    assert (find(str(other)).path or "").endswith("promptlint.yaml")


def test_a_project_file_without_our_table_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "promptlint.yaml", "facts: {}")
    put(tmp_path / "in/pyproject.toml", "[project]\ndependencies = ['promptlint-cache']\n")
    put(tmp_path / "in/broken/pyproject.toml", "not toml at all")
    assert find(str(tmp_path / "in/broken/x")).facts == {}


def test_none(tmp_path: Path) -> None:
    put(tmp_path / "promptlint.yaml", "# nothing yet\n")
    assert find(str(tmp_path)).facts is None
    assert Config().path is None


def test_prices_in_toml_are_exact(tmp_path: Path) -> None:
    put(
        tmp_path / "pyproject.toml",
        '[tool.promptlint.facts.prices.claude-opus-5]\ninput = 3.10\nfrom = 2026-01-01\nwrite = {"5m" = 3.875}\n',
    )
    own = overrides(find(str(tmp_path)).facts, "pyproject.toml")
    (row,) = own.prices["claude-opus-5"]
    assert (str(row["input"]), row["from"], str(row["write"]["5m"])) == ("3.10", "2026-01-01", "3.875")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"promptlint.yaml": "fact: {}"}, "unknown key fact; did you mean facts?"),
        ({"promptlint.yaml": "zzz: 1"}, "promptlint.yaml: unknown key zzz; one of select, ignore, "),
        ({"promptlint.yaml": "[facts]"}, "promptlint.yaml: a list is not a mapping"),
        ({"promptlint.yaml": "facts: {"}, "promptlint.yaml:"),
        ({"promptlint.yaml": "facts: {}\nfacts: {}"}, "is there twice"),
        ({"pyproject.toml": "[tool.promptlint"}, "not TOML"),
        ({"pyproject.toml": "[tool.promptlint]\nfact = 1\n"}, "unknown key fact; did you mean facts?"),
        ({"pyproject.toml": "[tool]\npromptlint = 3\n"}, "pyproject.toml: tool.promptlint: 3 is not a mapping"),
        ({"promptlint.yml": "facts: {}"}, "promptlint.yml is not read; name it promptlint.yaml"),
        (
            {"pyproject.toml": "[tool.promptlint]\n", "promptlint.yaml": ""},
            "both configure promptlint; keep one of them",
        ),
    ],
)
def test_faults_of_a_configuration(files: dict[str, str], message: str, tmp_path: Path) -> None:
    for name, text in files.items():
        put(tmp_path / name, text)
    with pytest.raises(PromptlintError) as fault:
        find(str(tmp_path))
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)


DATED: dict[str, Json] = {"input": Number("1"), "from": "2026-12-01"}


def price(**cells: Json) -> Json:
    return {"prices": {"claude-opus-5": {"input": Number("1"), **cells}}}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ([], "f: a list is not a mapping"),
        ({"modles": {}}, "f: unknown key modles; did you mean models?"),
        ({"models": []}, "models: a list is not a mapping"),
        ({"models": {"x": {"minimun": Number("1")}}}, "models.x: unknown key minimun; did you mean minimum?"),
        ({"models": {"x": {"minimum": Number("-1")}}}, "models.x.minimum: -1 is not a whole number"),
        ({"models": {"x": {"minimum": Number("1.5")}}}, "models.x.minimum: 1.5 is not a whole number"),
        ({"models": {"x": {"minimum": "512"}}}, "models.x.minimum: 512 is not a whole number"),
        ({"models": {"x": {"family": "cluade"}}}, "unknown family cluade; did you mean claude?"),
        ({"models": {"x": {"minimum": Number("1")}}}, "models.x: provider is missing"),
        ({"models": {"x": {"provider": "openia", "caches": []}}}, "unknown provider openia; did you mean openai?"),
        ({"models": {"claude-opus-5": {"caches": ["marker"]}}}, "caches.0: unknown marker; did you mean markers?"),
        ({"models": {"claude-opus-5": {"ttls": ["5 minutes"]}}}, "ttls.0: 5 minutes is not a lifetime"),
        ({"models": {"claude-opus-5": None}}, "models.claude-opus-5: nothing is not a mapping"),
        (price(read=Number("-0.5")), "prices.claude-opus-5.read: -0.5 is not a price: USD for a million tokens"),
        (price(read=Number("nan")), "nan is not a price"),
        (price(read=Number("inf")), "inf is not a price"),
        (price(read=Number("1e999999")), "1e999999 is not a price"),
        (price(read=Number("9" * 5000)), "is not a price"),
        (price(read=True), "true is not a price"),
        (price(raed=Number("1")), "unknown key raed; did you mean read?"),
        (price(write=Number("1")), "write: 1 is not a price for each lifetime"),
        (price(write={"5m": Number("-1")}), "write.5m: -1 is not a price"),
        (price(write={"five": Number("1")}), "five is not a lifetime"),
        (price(tiers=[{"above": Number("5")}]), "tiers.0: input_times is missing"),
        (price(tiers={"above": Number("5")}), "tiers: a mapping is not a list"),
        (price(**{"from": "yesterday"}), "from: yesterday is not a day"),
        ({"prices": {"claude-opus-5": []}}, "no row has a price of input"),
        (
            {"prices": {"claude-opus-5": [{"input": Number("1")}, Number("2")]}},
            "prices.claude-opus-5.1: 2 is not a mapping",
        ),
        (
            {"prices": {"claude-opus-6": {"input": Number("1")}}},
            "prices.claude-opus-6: no such model; nearest: claude-opus-",
        ),
        (
            {"models": {"mine": {"family": "claude", "ids": ["claude-sonnet-5"]}}},
            "f: models.mine: claude-sonnet-5 is the model claude-sonnet-5; write your cells under models.claude-",
        ),
        (
            {"models": {"a": {"family": "claude", "ids": ["c"]}, "b": {"family": "claude", "ids": ["C"]}}},
            "f: models.a: c is the model b;",
        ),
        (price(**{"from": "2026-12-02", "until": "2026-12-01"}), "from 2026-12-02 is after until 2026-12-01"),
        ({"prices": {"claude-opus-5": [{"input": Number("1")}] * 2}}, "claude-opus-5: two rows without a from; give"),
        (
            {"prices": {"claude-opus-5": [DATED, DATED | {"platforms": ["vertex"]}]}},
            "claude-opus-5: two rows from 2026-12-01; give each",
        ),
        (price(write={"7m": Number("1")}), "claude-opus-5.write: the model has no lifetime 7m; it has 5m, 1h"),
        (
            {"prices": {"deepseek-flash": {"input": Number("1"), "write": {"5m": Number("1")}}}},
            "the model has no lifetime 5m; give its ttls under models, or write: input",
        ),
        (
            price(read=Number("1000000001")),
            "USD for a million tokens, not below 0, at most 1,000,000,000",
        ),
        ({"providers": {"antropic": {}}}, "unknown provider antropic; did you mean anthropic?"),
        ({"providers": {"anthropic": {"lookbak": Number("9")}}}, "unknown key lookbak; did you mean lookback?"),
    ],
)
def test_faults_of_facts(section: Json, message: str) -> None:
    with pytest.raises(PromptlintError) as fault:
        overrides(section, "f")
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)


def test_cells_of_a_provider() -> None:
    own = overrides({"providers": {"anthropic": {"lookback": Number("5"), "lifetimes": ["2h", "5m"]}}}, "f")
    row = with_overrides(provider("anthropic"), own)
    assert (row.lookback, row.lifetimes) == (5, ("2h", "5m"))
    assert row._replace(lookback=20, lifetimes=("1h", "5m")) == provider("anthropic")
    assert with_overrides(provider("openai"), own) == provider("openai")


def test_the_configuration_counts_where_the_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "promptlint.yaml", "facts:\n  prices:\n    claude-opus-5: {input: -1}\n")
    monkeypatch.chdir(tmp_path)
    assert run(["models", "claude-opus-5"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("promptlint: promptlint.yaml: facts: prices.claude-opus-5.input: -1 is not a price")
    assert err.count("\n") == 1


def test_rows_that_share_a_day_but_no_place_are_taken() -> None:
    rows: Json = [DATED | {"platforms": ["vertex"]}, DATED | {"platforms": ["bedrock"]}, DATED | {"cache": "objects"}]
    assert len(overrides({"prices": {"claude-opus-5": rows}}, "f").prices["claude-opus-5"]) == 3


def test_a_row_for_another_provider_may_have_the_same_id() -> None:
    own = overrides({"models": {"ours": {"provider": "vllm", "caches": ["steps"], "ids": ["glm-5.3"]}}}, "f")
    found = [model_of("glm-5.3", provider, own) for provider in (None, "vllm", "zai")]
    assert [model and model.name for model in found] == ["ours", "ours", "glm-5.3"]


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n", "---\n"])
def test_empty_files_say_nothing(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "promptlint.yaml", text)
    put(tmp_path / "facts.yaml", text)
    monkeypatch.chdir(tmp_path)
    assert find(str(tmp_path)).facts is None
    assert run(["models", "claude-opus-5"]) == 0
    assert run(["models", "claude-opus-5", "--facts", "facts.yaml"]) == 0
