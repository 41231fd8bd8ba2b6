"""Files that are met in a folder, and not named: which of them are no prompts, and are left alone."""

import os
import re

from promptlint.commands.lint_files import DATA, SOURCES, is_for_something_else, is_template
from promptlint.load.delimited.languages import all_ends, named_so

PROMPTS = (".prompty", ".baml", *all_ends())
"""How names of files of prompts end that are written in other languages than Jinja."""

_READ = 1 << 16  # characters that are looked at
_OTHER = "a template of something else than a prompt; name it to have it looked at"
_PLACES = r"/(?:views|layouts|charts|mailers?|e?mails?|themes?|sections|snippets|_includes|_layouts|web|www|public)/"
_MARKUP = r"""(?ix)
    <(?:!doctype|html|head|body|div|span|table|t[rdh]|p|a|ul|ol|li|br|img|form|input|script|style|link|meta|h[1-6]|svg
    |section|nav|button|mjml|mj-\w+)(?=[\s/>])
"""
_MARKED = 3  # tags of a page that a prompt may show
_ELSEWHERE = r"""(?mx)
    \.Values\b|\.Release\.|\.Chart\.|^apiVersion:|^kind:[ ]|^metadata:|ansible_managed
    |^[ \t]*(?:server|location|upstream|resource|variable)\b[^\n{]{0,80}\{\s*$|^\[\w[\w. -]*\]\s*$
    |^(?:FROM|RUN|COPY)[ ]\S
    |\b(?:link_to|form_with|form_for|stylesheet_link_tag|javascript_include_tag|csrf_meta_tags|content_for|image_tag)\b
    |\basset_url\b|\bcontent_for_header\b|\bcontent_for_layout\b|\{%-?\s*(?:schema|section|layout|paginate|form)\b
    |\bproduct\.(?:title|price)|\|\s*money\b
    |\bunsubscribe\b|^[ \t]*(?:Dear|Hi|Hello|Hey)\b[^\n]{0,80},\s*$|^Subject:|\b(?:Kind|Best|Warm)[ ][Rr]egards\b
    |^Sincerely|\b[Yy]ou(?:[ ]are|'re)[ ]receiving[ ]this|\breset[ ]your[ ]password\b|\bconfirm[ ]your[ ]e-?mail
    |^package[ ][\w{]|^type[ ]\S+[ ](?:struct|interface)\b
    |^\#include\b|^func[ ]|^import[ (]|^\#!|^(?:CREATE|ALTER|INSERT|SELECT)[ ]|^Content-Type:
    |^export[ ]\w+=|^(?:public|private|const|class|def|module|namespace)[ ]\w+
"""
"""What pages, configurations, shops, letters and programs have."""
_SURE = r"""(?mx)
    \b[Yy]ou[ ]are[ ](?:an?|the|our)\b[^\n.]{0,80}\b(?:assistant|expert|agent|bot|model|AI|reviewer|engineer|writer
      |analyst|translator|tutor|editor|helper|classifier|researcher|planner|judge|coach|specialist)\b
    |<\|(?:im_start|system|user|start_header_id)|\[INST\]|\bsystem[ ]prompt\b|^(?:system|user|assistant)[ ]?:[ \t]*$
    |<message[ ]role=|\{\{[~-]?\s*role[ ]
    |\b[Yy]ou[ ]answer\b|\bYour[ ](?:task|role|job|goal)[ ]is\b
    |\b(?:[Aa]nswer|[Rr]espond|[Rr]eply)[ ](?:only|with|in|as)\b
    |\bDo[ ]not[ ](?:mention|reveal|make[ ]up|invent|guess|answer)\b|\b[Tt]hink[ ]step[ ]by[ ]step\b
    |<(?:instructions|system_prompt|available_tools|tool_use|output_format)>
"""
_LIKELY = r"""(?mx)
    \bthe[ ]user\b|\bthe[ ](?:model|assistant)\b|\bvalid[ ]JSON\b
    |^(?:Question|Context|Instructions|Rules|Examples?|Input)\s*:
    |\bToday(?:'s[ ]date)?[ ]is\b|\b[Yy]ou[ ](?:must|should|help|will|can)\b|<(?:context|examples?|task|documents?)>
    |^(?:Summari[sz]e|Translate|Classify|Extract|Rewrite|Review)\b
"""
_OF_TESTS = frozenset({"test", "tests", "__tests__", "__mocks__", "testing", "spec", "specs", "e2e"})
_TEST = r"^test_.*\.py$|_test\.py$|^conftest\.py$|[.-](?:test|spec|stories)\.[cm]?[jt]sx?$"
_OF_OTHERS = frozenset({"node_modules", "bower_components", "site-packages", "dist-packages", "__pycache__", "venv"})
_FEW = 2  # likely signs that make a prompt


def why_left_alone(path: str) -> str | None:
    """Why a file that is met is not looked at; None where it is."""
    if is_template(path):
        return _OTHER if is_for_something_else(path, _beginning(path)[:400]) else None
    if path.endswith(SOURCES):
        return _left_out(path)
    if path.endswith(DATA) or path.lower().endswith((".prompty", ".baml")):
        return None
    row = named_so(path)
    if row is None:
        return "its name only ends like that of a prompt"
    if not row.unsure:
        return None
    head = _beginning(path)
    return None if not is_for_something_else(path, head[:400]) and reads_like_a_prompt(path, head) else _OTHER


def _left_out(path: str) -> str | None:
    """Why a source is not looked at."""
    if path.endswith((".d.ts", ".d.mts", ".d.cts", ".min.js")):
        return "it holds no code that somebody wrote"
    from promptlint.lint.flow.project import root_of

    root = root_of(os.path.dirname(os.path.abspath(path)))
    *folders, name = os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/").lower().split("/")
    typed = () if os.path.isabs(path) else path.replace(os.sep, "/").lower().split("/")
    if not _OF_OTHERS.isdisjoint((*folders, *typed)):
        return "it is of a package that is installed here; name it to have it looked at"
    if not _OF_TESTS.isdisjoint(folders) or re.search(_TEST, name):
        return "a test; name it to have it looked at"
    return None


def reads_like_a_prompt(path: str, text: str) -> bool:
    """Whether a template, of a kind that mostly makes pages, letters and configurations, speaks to a model."""
    folders = path.replace(os.sep, "/").lower().rsplit("/", 3)[-3:]
    if re.search(_ELSEWHERE, text) or is_page(text):
        return False
    if any("prompt" in step for step in folders):
        return True
    if re.search(_PLACES, "/".join(["", *folders])):
        return False
    return re.search(_SURE, text) is not None or len({found[0].lower() for found in re.finditer(_LIKELY, text)}) >= _FEW


def is_page(text: str) -> bool:
    """Whether a text has the tags of a web page or of a letter."""
    return sum(1 for _ in re.finditer(_MARKUP, text)) > _MARKED


def _beginning(path: str) -> str:
    """The first characters of a file, as far as they can be told."""
    try:
        with open(path, "rb") as file:
            return file.read(_READ).decode("utf-8", "replace")
    except OSError:
        return ""
