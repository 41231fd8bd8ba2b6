"""`diff` on prompts that templates make: the request and the line of the template that moved the boundary."""

import json
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import real_models
import template_reference
from conftest import ROOT
from promptlint.commands.compare import compare_prompts
from promptlint.commands.diff import diff
from promptlint.commands.options import Options
from promptlint.commands.templates import TemplateOptions
from promptlint.errors import PromptlintError
from promptlint.facts.providers import provider
from promptlint.finding import Change, Diff
from promptlint.load import load
from promptlint.prompt import Request
from promptlint.read.raw import common_prefix
from promptlint.read.sources import read
from promptlint.render.chat import Aside, render_chat
from promptlint.render.chat_template import open_chat_template
from promptlint.render.template.process import Renderer
from promptlint.tokens import open_tokenizer

Message = dict[str, Any]
OURS = ROOT / "fixtures" / "templates"

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "Look up one order.",
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
]
SYSTEM: Message = {"role": "system", "content": "You answer for a shop.\nBe brief."}
ASKED: Message = {"role": "user", "content": "Where is order A-1042?"}
CALLED: Message = {
    "role": "assistant",
    "content": "",
    "reasoning_content": "An order number. I look it up.",
    "tool_calls": [
        {"id": "call00001", "type": "function", "function": {"name": "get_order", "arguments": {"order_id": "A-1042"}}}
    ],
}
RESULT: Message = {"role": "tool", "tool_call_id": "call00001", "name": "get_order", "content": '{"status": "sent"}'}
ANSWERED: Message = {"role": "assistant", "content": "It was sent.", "reasoning_content": "Sent it was."}
THANKED: Message = {"role": "user", "content": "Thanks. And A-1043?"}
LOOP: list[Message] = [SYSTEM, ASKED, CALLED, RESULT]
NEXT: list[Message] = [*LOOP, ANSWERED, THANKED]


@pytest.fixture
def compare(tmp_path: Path) -> Any:
    def run(a: Any, b: Any, template: str | Path, other: Path | None = None, **options: Any) -> Diff:
        for name, content in (("a.json", a), ("b.json", b)):
            body = content if isinstance(content, dict) else {"model": "m", "messages": content}
            (tmp_path / name).write_text(json.dumps(body, indent=1))
        tokenizer = options.pop("tokenizer", None)
        templates = TemplateOptions(str(template), None if other is None else str(other), **options)
        report = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"), templates=templates, tokenizer=tokenizer)
        return report.diffs[0]

    return run


def costly(found: Diff) -> list[Change]:
    return [change for change in found.changes if change.severity != "info"]


def with_tools(messages: list[Message]) -> dict[str, Any]:
    return {"model": "m", "messages": messages, "tools": TOOLS}


def test_reasoning_that_qwen3_drops_after_the_tool_loop(compare: Any) -> None:
    found = compare(with_tools(LOOP), with_tools(NEXT), real_models.templates()["qwen3"])
    assert found.verdict == "bust"
    (change,) = costly(found)
    assert change.cause == "reasoning-dropped"
    assert change.a.pointer == "/messages/2/reasoning_content"
    assert (change.a.excerpt, change.b.excerpt) == ("An order number. I look it up.", None)
    assert change.template_a is not None
    assert "reasoning_content" in change.template_a.excerpt
    assert change.template_b is not None
    assert "tool_call" in change.template_b.excerpt


@pytest.mark.parametrize("name", ["llama3_2", "gptoss"])
def test_a_date_that_the_template_reads_itself(name: str, compare: Any) -> None:
    template = real_models.templates()[name]
    days = datetime(2026, 11, 29), datetime(2026, 11, 30)
    found = compare([ASKED], [ASKED], template, now=days[0], now_b=days[1])
    (change,) = costly(found)
    assert change.cause == "date-rollover"
    assert "strftime_now" in change.message
    assert change.template_a == change.template_b
    assert change.template_a is not None
    assert "strftime_now" in change.template_a.excerpt
    line = template.read_text().split("\n")[change.a.line - 1]
    assert line[change.a.column - 1 :].startswith("strftime_now(")

    same_day = compare([ASKED], [ASKED], template, now=days[0])
    assert same_day.verdict == "same"
    assert costly(same_day) == []
    assert [change.cause for change in same_day.changes] == ["date-rollover"]  # to know, not to act on


def test_a_clock_with_minutes_is_no_stable_prefix(compare: Any) -> None:
    found = compare([ASKED], [ASKED, ANSWERED, THANKED], OURS / "clock.jinja")
    assert found.verdict == "unknown"
    (change,) = costly(found)
    assert (change.cause, change.certainty) == ("clock", "possible")


def test_an_opener_for_the_answer_that_history_lacks(compare: Any) -> None:
    template = real_models.templates()["qwen3"]
    said = {"role": "assistant", "content": "Here."}
    found = compare([ASKED], [ASKED, said, THANKED], template, kwargs={"enable_thinking": False})
    (change,) = costly(found)
    assert change.cause == "template-asymmetry"
    assert change.template_a is not None
    assert "<think>" in change.template_a.excerpt
    assert compare([ASKED], [ASKED, said, THANKED], template).verdict == "kept"


def test_tools_that_move_with_the_conversation(compare: Any) -> None:
    first = [ASKED]
    found = compare(with_tools(first), with_tools([*first, ANSWERED, THANKED]), OURS / "tools_before_last_user.jinja")
    change = costly(found)[0]
    assert change.cause == "template-moves-text"
    assert change.level == "tools"
    assert change.template_a is not None
    assert "tools" in change.template_a.excerpt
    assert [other.cause for other in costly(found)] == ["template-moves-text"]


def test_a_default_system_prompt_that_the_template_puts_in(compare: Any) -> None:
    found = compare([ASKED], [SYSTEM, ASKED], real_models.templates()["qwen2_5"])
    (change,) = costly(found)
    assert change.b.pointer == "/messages/0/role"
    assert change.template_a is not None
    assert "You are Qwen" in change.template_a.excerpt


def test_what_the_template_does_not_print_costs_nothing(compare: Any) -> None:
    other = {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "id": "call00002"}]}
    found = compare(with_tools(LOOP), with_tools([SYSTEM, ASKED, other, RESULT]), real_models.templates()["qwen3"])
    assert found.verdict == "same"
    assert [change.affects for change in found.changes] == ["nothing"]
    assert "prints it on neither side" in found.changes[0].message


def test_edits_keep_their_names_and_their_order_is_that_of_the_prompt(compare: Any) -> None:
    edited = {**SYSTEM, "content": SYSTEM["content"].replace("brief", "short")}
    tools = json.loads(json.dumps(TOOLS).replace("one order", "an order"))
    found = compare(
        {**with_tools(LOOP), "temperature": 0},
        {"messages": [edited, *LOOP[1:]], "tools": tools, "model": "m", "temperature": 1},
        real_models.templates()["qwen3"],
    )
    causes = [(change.cause, change.a.pointer, change.a.char) for change in costly(found)]
    assert causes == [
        ("text-edited", "/messages/0/content", 26),
        ("item-edited", "/tools/0/function/description", 8),
    ]
    assert found.changes[-1].cause == "request-only-setting"


def test_two_versions_of_a_template(compare: Any) -> None:
    named = real_models.templates()
    found = compare(LOOP, LOOP, named["qwen3"], named["qwen3_instruct_2507"])
    assert costly(found)
    assert costly(found)[0].template_a != costly(found)[0].template_b
    printed = costly(found)[0].template_b
    assert printed is not None
    assert printed.path.endswith("qwen3_instruct_2507.jinja")


def test_a_model_folder_brings_its_vocabulary(compare: Any) -> None:
    folder = real_models.vocabulary("qwen3").parent
    found = compare(with_tools(LOOP), with_tools(NEXT), folder)
    assert found.a.exact
    assert found.boundary.exact
    assert found.a.tokenizer == str(folder / "tokenizer.json")


def test_a_control_token_that_a_text_spells_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([SYSTEM, {"role": "user", "content": "What does <|im_end|> mean, or <tool_call>?"}]))
    report = diff(str(path), str(path), templates=TemplateOptions(str(real_models.vocabulary("qwen3").parent)))
    spelled = [note for note in report.notes if "spells" in note]
    assert spelled == ["the text at /1/content spells <|im_end|>, which the model reads as the control token"]


def test_a_marked_prompt_is_no_chat_template(compare: Any, tmp_path: Path) -> None:
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "system": "s", "messages": [ASKED]}
    with pytest.raises(PromptlintError, match="a chat template takes messages"):
        compare(body, body, OURS / "clock.jinja")


def mistral(name: str) -> Path:
    return Path(str(files("mistral_common") / "data" / name))


@pytest.mark.parametrize("vocabulary", ["mistral_instruct_tokenizer_240323.model.v3", "tekken_240911.json"])
def test_mistral_moves_the_tools_to_the_last_user_message(vocabulary: str, compare: Any) -> None:
    found = compare(
        with_tools([ASKED]),
        with_tools([ASKED, {"role": "assistant", "content": "Sent."}, THANKED]),
        mistral(vocabulary),
    )
    assert found.boundary.exact
    assert (found.boundary.shared_tokens, found.boundary.usable_tokens) == (1, 1)  # the begin marker
    (change,) = costly(found)
    assert (change.cause, change.level) == ("template-moves-text", "tools")
    assert change.alone_tokens == 1


def test_token_counts_of_a_library_are_those_of_its_ids(compare: Any) -> None:
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    path = mistral("tekken_240911.json")
    one, two = [SYSTEM, ASKED], [SYSTEM, {**ASKED, "content": "Where is order A-1043, please?"}]
    tokenizer = MistralTokenizer.from_file(str(path))
    ids = [tokenizer.encode_chat_completion(ChatCompletionRequest(messages=m)).tokens for m in (one, two)]
    found = compare(one, two, path)
    assert [found.a.prompt_tokens, found.b.prompt_tokens] == [len(each) for each in ids]
    assert found.boundary.shared_tokens == next(i for i, (x, y) in enumerate(zip(*ids, strict=False)) if x != y)
    assert [change.a.char for change in costly(found)] == [20]


def test_harmony_drops_reasoning_once_it_has_answered(compare: Any) -> None:
    found = compare(with_tools(LOOP), with_tools(NEXT), "harmony")
    assert found.a.tokenizer == "o200k_harmony"
    assert found.boundary.exact
    (change,) = costly(found)
    assert change.cause == "reasoning-dropped"
    assert change.a.pointer == "/messages/2/reasoning_content"
    assert change.template_a is None  # there is no template


def test_whose_cache_has_markers_has_no_public_template(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"model": "m", "messages": [ASKED]}))
    with pytest.raises(PromptlintError, match="anthropic reads entries at markers"):
        diff(str(path), str(path), provider="anthropic", templates=TemplateOptions(str(OURS / "clock.jinja")))


def test_a_library_has_its_own_vocabulary(compare: Any) -> None:
    with pytest.raises(PromptlintError, match="its own vocabulary"):
        compare([ASKED], [ASKED], "harmony", tokenizer="bytes")


def test_tools_that_no_template_prints_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(with_tools([ASKED])))
    report = diff(str(path), str(path), templates=TemplateOptions(str(OURS / "drops_reasoning.jinja")))
    assert "the template prints none of the tools" in report.notes


def test_vllm_parses_the_arguments_of_calls_first(tmp_path: Path) -> None:
    text = json.dumps({"order_id": "A-1042"}, indent=1)
    function = {"name": "get_order", "arguments": text}
    called = {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "function": function}]}
    other = json.loads(json.dumps(called).replace("A-1042", "A-1043"))
    for name, call in (("a.json", called), ("b.json", other)):
        (tmp_path / name).write_text(json.dumps(with_tools([SYSTEM, ASKED, call, RESULT]), indent=1))
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    options = TemplateOptions(str(real_models.templates()["qwen2_5"]))
    sizes = set()
    for provider_name, noted in ((None, True), ("vllm", False)):
        report = diff(a, b, provider=provider_name, templates=options)
        (change,) = costly(report.diffs[0])
        assert (change.a.pointer, change.a.char) == ("/messages/2/tool_calls/0/function/arguments", 21)
        assert any("vLLM parses them first" in note for note in report.notes) is noted
        sizes.add(report.diffs[0].a.prompt_bytes)
    assert len(sizes) == 2


def test_a_library_takes_no_template_arguments(compare: Any) -> None:
    with pytest.raises(PromptlintError, match="--template-kwargs"):
        compare([ASKED], [ASKED], "harmony", kwargs={"x": 1})


CONVERSATIONS: dict[str, tuple[list[Message], list[Message]]] = {
    "tool loop": (LOOP, NEXT),
    "thinking in the text": (
        [SYSTEM, ASKED],
        [SYSTEM, ASKED, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}, THANKED],
    ),
    "reasoning": ([ASKED, ANSWERED, THANKED], [ASKED, ANSWERED, THANKED, ANSWERED, ASKED]),
    "trimmed": ([ASKED, ANSWERED, THANKED], [THANKED, ANSWERED, ASKED]),
    "white space": ([{"role": "user", "content": "a \n"}], [{"role": "user", "content": "a"}]),
}


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_the_first_cost_stands_where_the_prompts_part(conversation: str, tmp_path: Path) -> None:
    """On every real template: shared bytes are those of the two renderings, and no loss is left without a reason."""
    a, b = (with_tools(messages) for messages in CONVERSATIONS[conversation])
    requests = [_request(tmp_path / name, body) for name, body in (("a.json", a), ("b.json", b))]
    compared = 0
    with Renderer() as renderer:
        for name, path in real_models.templates().items():
            texts = [template_reference.apply(path.read_text(), body) for body in (a, b)]
            aside = Aside(datetime.now(), bytes)
            templates = open_chat_template(str(path))
            if texts[0] is None or texts[1] is None:
                with pytest.raises(PromptlintError):
                    [render_chat(request, templates, aside, renderer) for request in requests]
                continue
            compared += 1
            sides = [render_chat(request, templates, aside, renderer) for request in requests]
            assert [side.text for side in sides] == texts, name
            found = compare_prompts(sides[0], sides[1], provider("unknown"), Options(open_tokenizer(None)))
            _check_first_cost(found, texts[0], texts[1], name)
    assert compared > 20


def _request(path: Path, body: dict[str, Any]) -> Request:
    path.write_text(json.dumps(body, indent=1))
    return load(read(str(path)))


def _check_first_cost(found: Diff, a: str, b: str, name: str) -> None:
    assert found.boundary.shared_bytes == len(a[: common_prefix(a, b)].encode()), name
    costs = costly(found)
    if b.startswith(a):
        assert found.verdict in ("kept", "same", "unknown"), name
    else:
        assert costs, name
        assert min(change.shared_bytes or 0 for change in costs) == found.boundary.shared_bytes, name


class Application:
    """A template of an application, what it includes, and its variables, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "a.j2").write_text("Rules:\n{% include 'rules.md' %}\nFor {{ shop }}.\n{{ question }}\n")
        (folder / "rules.md").write_text("Be kind.\nBe brief.\n")
        (folder / "v.yaml").write_text("shop: Larch & Finch\nquestion: Where is A-1042?\n")

    def diff(self, b: str = "a.j2", variables: str = "v.yaml", **other: Any) -> Diff:
        a, b, variables = (str(self.folder / name) for name in ("a.j2", b, variables))
        return diff(a, b, templates=TemplateOptions(variables=variables, **other)).diffs[0]


@pytest.fixture
def application(tmp_path: Path) -> Application:
    return Application(tmp_path)


def test_other_values_of_a_template_are_found_in_the_variables(application: Application) -> None:
    other = application.folder / "w.yaml"
    other.write_text("question: Where is A-1043?\nshop: Larch & Finch\n")
    found = application.diff(variables_b=str(other))
    (change,) = costly(found)
    assert (change.b.path, change.b.line, change.b.column, change.b.pointer) == (str(other), 1, 25, "/question")
    assert change.template_b is not None
    assert (change.template_b.path, change.template_b.line) == (str(application.folder / "a.j2"), 4)
    assert found.b.path == str(application.folder / "a.j2")
    assert found.boundary.exact


def test_another_text_of_a_template_is_found_in_the_template(application: Application) -> None:
    changed = (application.folder / "a.j2").read_text().replace("For {{", "From {{")
    (application.folder / "b.j2").write_text(changed)
    (change,) = costly(application.diff("b.j2"))
    assert (change.a.path, change.a.line, change.a.column) == (str(application.folder / "a.j2"), 3, 2)
    assert (change.b.path, change.b.line, change.b.column) == (str(application.folder / "b.j2"), 3, 2)


def test_another_text_of_an_included_template_is_found_there(application: Application, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = Application(tmp_path / "b")
    (other.folder / "rules.md").write_text("Be kind.\nBe short.\n")
    (change,) = costly(application.diff("b/a.j2"))
    assert change.template_b is not None
    assert (change.template_b.path, change.template_b.line) == (str(other.folder / "rules.md"), 2)
    assert change.template_b.column == 4


def test_folders_of_templates(application: Application, tmp_path: Path) -> None:
    for name, word in (("old", "kind"), ("new", "nice")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.j2").write_text(f"Be {word} to {{{{ shop }}}}.")
        (tmp_path / name / "b.j2").write_text("{{ question }}")
    options = TemplateOptions(variables=str(application.folder / "v.yaml"))
    report = diff(str(tmp_path / "old"), str(tmp_path / "new"), templates=options)
    assert [found.verdict for found in report.diffs] == ["bust", "same"]
    assert report.diffs[0].a.path == str(tmp_path / "old" / "a.j2")


def test_a_clock_without_a_template_is_no_silent_option(application: Application) -> None:
    path = str(application.folder / "a.j2")
    with pytest.raises(PromptlintError, match="--now is the clock of a template"):
        diff(path, path, templates=TemplateOptions(now=datetime(2026, 1, 1)))


def test_two_vocabularies_share_no_tokens(compare: Any) -> None:
    with pytest.raises(PromptlintError, match="two vocabularies"):
        compare([ASKED], [ASKED], "harmony", mistral("tekken_240911.json"))


def test_an_unknown_name_of_a_template_is_one_line(application: Application) -> None:
    (application.folder / "v.yaml").write_text("shop: x\n")
    with pytest.raises(PromptlintError, match=r"a\.j2:4: .*question"):
        application.diff()
