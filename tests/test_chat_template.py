"""Where chat templates are found: files, folders, configurations, GGUF headers; and what is refused."""

import json
from pathlib import Path

import pytest

import real_models
from promptlint.errors import PromptlintError
from promptlint.render.chat_template import ChatTemplates, NativeChat, open_chat_template

PLAIN = "{{ messages[0].content }}"


def templates(spec: str | Path) -> ChatTemplates:
    found = open_chat_template(str(spec))
    assert isinstance(found, ChatTemplates)
    return found


def config(folder: Path, **fields: object) -> Path:
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(fields))
    return path


def test_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text(PLAIN)
    found = templates(path).choose(tools=True)
    assert (found.source.source, found.source.path, found.source.name) == (PLAIN, (), None)
    assert found.special == {}


@pytest.mark.parametrize("opening", ["{{ bos_token }}", "{% if x %}{% endif %}", "{# a comment #}", "{%- set a = 1 %}"])
def test_a_template_that_opens_with_a_brace_is_no_json(opening: str, tmp_path: Path) -> None:
    path = tmp_path / "chat_template.jinja"
    path.write_text(opening)
    assert templates(path).choose(tools=False).source.source == opening


def test_special_tokens_come_from_the_configuration_beside_it(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text(PLAIN)
    config(tmp_path, bos_token="<s>", eos_token={"content": "</s>", "lstrip": False}, pad_token=None, chat_template="x")
    for spec in (tmp_path, tmp_path / "chat_template.jinja"):
        found = templates(spec).choose(tools=False)
        assert found.source.source == PLAIN  # the file comes before the configuration
        assert found.special == {"bos_token": "<s>", "eos_token": "</s>"}


def test_several_named_templates(tmp_path: Path) -> None:
    named = [{"name": name, "template": name[0]} for name in ("default", "tool_use", "rag")]
    path = config(tmp_path, chat_template=named)
    for spec in (str(path), str(tmp_path)):
        found = templates(spec)
        assert found.choose(tools=False).source.source == "d"
        assert found.choose(tools=True).source.source == "t"
        assert templates(f"{spec}#rag").choose(tools=True).source.source == "r"
    assert found.choose(tools=True).source.path == ("chat_template", 1, "template")


def test_templates_by_name_without_a_default(tmp_path: Path) -> None:
    config(tmp_path, chat_template={"rag": "r", "short": "s"})
    with pytest.raises(PromptlintError, match="rag, short") as caught:
        templates(tmp_path).choose(tools=False)
    assert "#rag" in caught.value.hint
    assert templates(f"{tmp_path}#short").choose(tools=True).source.source == "s"


def test_additional_templates_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text("d")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tool_use.jinja").write_text("t")
    found = templates(tmp_path)
    assert [found.choose(tools=tools).source.source for tools in (False, True)] == ["d", "t"]


@pytest.mark.parametrize("family", ["qwen3", "llama3_1", "gemma3", "deepseek_v3"])
def test_real_configurations(family: str) -> None:
    folder = real_models.vocabulary(family).parent
    held = json.loads((folder / "tokenizer_config.json").read_text())
    found = templates(folder).choose(tools=True)
    assert found.source.source == held["chat_template"]
    eos = held["eos_token"]
    assert found.special["eos_token"] == (eos if isinstance(eos, str) else eos["content"])


def test_a_gguf() -> None:
    found = templates(real_models.gguf()).choose(tools=False)
    assert found.source.source.startswith("{% for message in messages %}")
    assert found.special["bos_token"] == "<|im_start|>"
    assert found.special["eos_token"] == "<|im_end|>"


@pytest.mark.parametrize(
    ("name", "content"),
    [("tokenizer_config.json", "{}"), ("tokenizer_config.json", '{"chat_template": 3}'), ("other.json", '{"a": 1}')],
)
def test_no_template_is_one_line(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    for spec in (tmp_path, tmp_path / name):
        with pytest.raises(PromptlintError, match="no chat template") as caught:
            open_chat_template(str(spec))
        assert caught.value.hint


def test_a_missing_name_or_file(tmp_path: Path) -> None:
    config(tmp_path, chat_template="x")
    with pytest.raises(PromptlintError, match="no template rag"):
        open_chat_template(f"{tmp_path}#rag")
    with pytest.raises(PromptlintError):
        open_chat_template(str(tmp_path / "missing.jinja"))


@pytest.mark.parametrize("name", ["tekken.json", "tekken_240911.json", "tokenizer.model.v3", "some.model"])
def test_vocabularies_that_a_library_renders_for(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    assert open_chat_template(str(tmp_path / name)) == NativeChat(str(tmp_path / name))
    assert open_chat_template(str(tmp_path)) == NativeChat(str(tmp_path / name))
    (tmp_path / "chat_template.jinja").write_text(PLAIN)
    assert templates(tmp_path).choose(tools=False).source.source == PLAIN


def test_harmony_is_a_name() -> None:
    assert open_chat_template("harmony") == NativeChat("harmony")
