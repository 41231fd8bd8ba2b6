"""Templates that are broken or made to hurt: one clear error or a result, no traceback, no more than is read."""

import os
import tracemalloc
from pathlib import Path

import pytest

from promptlint.errors import PromptlintError
from promptlint.load.jinja import read_template
from promptlint.template import Hole

BROKEN = {
    "a hole that is not closed": ("a\n{{ b ", 2),
    "a tag that is not closed": ("{% if a %}x", 1),
    "a comment that is not closed": ("a\n\n{# x", 3),
    "raw text that is not closed": ("{% raw %}x", 1),
    "two names": ("{{ a b }}", 1),
    "an unknown tag": ("x\n{% foo %}", 2),
    "an end without a beginning": ("{% endfor %}", 1),
    "a number of too many digits": ("{{ " + "9" * 6000 + " }}", 1),
    "nested conditions": ("{% if a %}" * 3000 + "x" + "{% endif %}" * 3000, 1),
    "nested brackets": ("{{ " + "(" * 5000 + "a" + ")" * 5000 + " }}", 1),
    "nested lists": ("{{ " + "[" * 5000 + "]" * 5000 + " }}", 1),
    "a long chain of filters": ("{{ a" + "|upper" * 20_000 + " }}", 1),
    "a long chain of attributes": ("{{ a" + ".b" * 20_000 + " }}", 1),
    "a long sum": ("{{ " + " + ".join(["a"] * 30_000) + " }}", 1),
    "many signs": ("{{ " + "-" * 20_000 + "a }}", 1),
    "more tokens than a prompt has": ("{{a}}" * 50_001, None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_one_line_with_its_place(name: str) -> None:
    text, line = BROKEN[name]
    with pytest.raises(PromptlintError) as error:
        read_template("t.j2", text, ())
    said = str(error.value)
    assert said.startswith("t.j2:" if line is None else f"t.j2:{line}: ")
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize(
    "text",
    [
        "{{ 10**10**10**10 }}{{ 'a' * 10**9 }}{{ range(10**12) | list }}",
        "{{ " + " ~ ".join(["a"] * 2000) + " }}",
        "{% if a %}1" + "".join(f"{{% elif b{n} %}}{n}" for n in range(600)) + "{% endif %}",
        "{% set a0 %}{{ x }}{% endset %}"
        + "".join(f"{{% set a{n + 1} %}}{{{{ a{n} }}}}{{{{ a{n} }}}}{{% endset %}}" for n in range(40))
        + "{{ a40 }}",
        "".join(f"{{% macro m{n}() %}}{{{{ m{n + 1}() }}}}{{{{ m{n + 1}() }}}}{{% endmacro %}}" for n in range(40))
        + "{% macro m40() %}x{% endmacro %}{{ m0() }}",
        "a\0b{{ c }}\x1b[31m",
    ],
    ids=["big constants", "long concat", "many branches", "doubling set", "doubling macros", "control characters"],
)
def test_what_would_explode_when_rendered_is_read_in_little_room(text: str) -> None:
    tracemalloc.start()
    try:
        template = read_template("t.j2", text, ())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(template.parts) <= 100_000
    assert most < 150_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of templates, beside a file that is none of its business."""
    (tmp_path / "secret.j2").write_text("secret")
    inside = tmp_path / "prompts"
    inside.mkdir()
    files = {
        "self.j2": "{% include 'self.j2' %}x",
        "a.j2": "{% include 'b.j2' %}",
        "b.j2": "{% include 'a.j2' %}",
        "child.j2": "{% extends 'child.j2' %}",
        "bad.j2": "{{ a b }}",
        **{f"bomb{n}.j2": f"{{% include 'bomb{n + 1}.j2' %}}" * 10 for n in range(30)},
    }
    for name, text in files.items():
        (inside / name).write_text(text)
    (inside / "bytes.j2").write_bytes(b"\xff\xfe\x00")
    (inside / "folder.j2").mkdir()
    (inside / "link.j2").symlink_to(tmp_path / "secret.j2")
    (inside / "loop.j2").symlink_to("loop.j2")
    os.mkfifo(inside / "pipe.j2")
    return inside


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("self.j2", "brings in itself"),
        ("a.j2", "brings in itself"),
        ("link.j2", "a link that leads out of the template folder"),
        ("loop.j2", "cannot be read"),
        ("pipe.j2", "no regular file"),
        ("folder.j2", "cannot be read"),
        ("bytes.j2", "not UTF-8"),
        ("bad.j2", "expected token"),
        ("bomb0.j2", "is followed only so far"),
        ("nowhere.j2", "'nowhere.j2' is not in "),
        ("../secret.j2", "no path inside the template folder"),
        ("/etc/hostname", "no path inside the template folder"),
        ("", "no path inside the template folder"),
    ],
)
def test_what_is_not_brought_in_is_a_note(folder: Path, name: str, note: str) -> None:
    template = read_template("t.j2", f"{{% include '{name}' %}}{{{{ x }}}}", (str(folder),))
    assert any(note in one for one in template.notes), template.notes
    assert [part for part in template.parts if isinstance(part, Hole) and part.names == ("x",)]
    assert not any(file.text == "secret" for file in template.files)


def test_a_template_that_extends_itself_ends(folder: Path) -> None:
    assert read_template("t.j2", "{% extends 'child.j2' %}", (str(folder),)).notes


def test_a_macro_that_calls_itself_ends() -> None:
    text = "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}"
    assert any("calls itself" in note for note in read_template("t.j2", text, ()).notes)


def test_an_import_that_is_not_there_leaves_the_rest() -> None:
    template = read_template("t.j2", "{% from 'x.j2' import m %}{{ m() }}{{ now() }}", ())
    assert any("'x.j2' is not known" in note for note in template.notes)
    assert any(isinstance(part, Hole) and part.calls for part in template.parts)
