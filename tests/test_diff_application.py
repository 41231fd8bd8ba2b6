"""`diff` on templates of an application with their variables."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.errors import PromptlintError
from promptlint.finding import Diff
from templated import costly


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


def test_an_unknown_name_of_a_template_is_one_line(application: Application) -> None:
    (application.folder / "v.yaml").write_text("shop: x\n")
    with pytest.raises(PromptlintError, match=r"a\.j2:4: .*question"):
        application.diff()


def test_a_map_in_another_order_beside_an_edit_is_two_findings(tmp_path: Path) -> None:
    (tmp_path / "t.j2").write_text(
        "It is {{ now }}. {% for k, v in flags.items() %}{{ k }}={{ v }} {% endfor %}{{ q }}"
    )
    (tmp_path / "a.yaml").write_text('now: "09:14"\nflags: {first: on-a, second: on-b}\nq: Hi\n')
    (tmp_path / "b.yaml").write_text('now: "09:15"\nflags: {second: on-b, first: on-a}\nq: Ho\n')
    template, a, b = (str(tmp_path / name) for name in ("t.j2", "a.yaml", "b.yaml"))
    found = diff(template, template, templates=TemplateOptions(variables=a, variables_b=b)).diffs[0]
    told = [(change.cause, change.b.pointer) for change in costly(found)]
    assert [cause for cause, _ in told] == ["clock", "key-order", "text-edited"]
    assert (told[0][1], told[2][1]) == ("/now", "/q")


def test_other_variables_for_one_side_alone_are_told(application: Application) -> None:
    path = str(application.folder / "a.j2")
    with pytest.raises(PromptlintError, match="--vars-b"):
        diff(path, path, templates=TemplateOptions(variables_b=str(application.folder / "v.yaml")))
