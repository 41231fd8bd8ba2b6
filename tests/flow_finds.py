"""Small sources, and what the data flow finds in them: one line for each value that reaches a prompt.

In Python, a row is the body of `ask(turns)`, behind `---` if functions and classes stand ahead of it, or a whole module
with an `ask` of its own. `SEND(x)` is a request with the system text x. `NOW` is a text with the time of day.
"""

import re
import textwrap

from promptlint.lint.flow.flow import Flow
from promptlint.lint.flow.flows import Source, read_source
from promptlint.prompt import Document, SourceByte

PYTHON = """\
import asyncio, copy, functools, io, json, os, random, textwrap, time, uuid
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from string import Template
from typing import NamedTuple

import anthropic
import httpx
import requests
from openai import OpenAI

client = OpenAI()
claude = anthropic.Anthropic()
RULES = "You sort the post of a village by street and never by name."
"""
TYPESCRIPT = """\
import Anthropic from "@anthropic-ai/sdk";
import { generateText } from "ai";
import dayjs from "dayjs";
import { randomUUID } from "node:crypto";
import OpenAI from "openai";

const client = new OpenAI();
const claude = new Anthropic();
const RULES = "You sort the post of a village by street and never by name.";
"""
_NOW = {"py": "str(datetime.now())", "ts": "new Date().toISOString()"}
_SEND = {
    "py": r'client.responses.create(model="m", instructions=\1, input=turns)',
    "ts": r'client.responses.create({ model: "m", instructions: \1, input: turns })',
}


def document(text: str, path: str) -> Document:
    return Document(path, None, None, text.encode(), text, "utf-8", SourceByte(0), 1)


def finds(text: str, path: str) -> list[str]:
    """What is found in one source file that stands alone."""
    source = read_source(document(text, path))
    return [] if source is None else lines(source)


def lines(source: Source) -> list[str]:
    """Kind, expression and slot of each flow. `?`: only names say so. `~`: whether it differs is unknown."""
    return [_line(source, flow) for flow in source.flows]


def _line(source: Source, flow: Flow) -> str:
    module = source.modules[flow.change.at.module]
    start, end = module.chars(flow.change.at.span)
    marks = ("~" if flow.change.weak else "") + ("" if flow.certain else "?")
    behind = "" if flow.more else f", {len(flow.behind)} behind"
    return f"{flow.change.kind}{marks} {module.text[start:end]} -> {flow.slot}{behind}"


def python(row: str) -> list[str]:
    """What is found in a row of Python, `NOW` put back, without `-> system`."""
    ahead, parted, body = row.rpartition("---\n")
    if "def ask" not in row:
        row = f"{ahead}def ask(turns):\n{textwrap.indent(body, '    ')}\n"
    assert not parted or "def ask" not in ahead + body
    return _short(finds(PYTHON + _spelt(row, "py"), "desk.py"), "py")


def typescript(row: str) -> list[str]:
    """What is found in a row of TypeScript: the body of `ask(turns)`, or a module with an `ask` of its own."""
    ahead, parted, body = row.rpartition("---\n")
    if "ask" not in row:
        row = f"{ahead}export async function ask(turns: any) {{\n{body}\n}}\n"
    assert not parted or "ask" not in ahead + body
    return _short(finds(TYPESCRIPT + _spelt(row, "ts"), "desk.ts"), "ts")


def _spelt(row: str, language: str) -> str:
    return re.sub(r"\bSEND\((.*)\)", _SEND[language], re.sub(r"\bNOW\b", _NOW[language], row))


def _short(found: list[str], language: str) -> list[str]:
    return [line.replace(_NOW[language], "NOW").removesuffix(" -> system") for line in found]
