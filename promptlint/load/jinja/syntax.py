"""Jinja's own parser, with the numbers of tokens where Jinja has lines: so each node tells where it stands.

Two kinds of templates, as in rendering: "chat" takes away a line feed behind a tag and white space ahead of one;
"application" has Jinja's defaults.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser

from promptlint.load.jinja.tokens import Tokens, empty, failure, numbered


class Syntax(NamedTuple):
    """One file of a template; the `lineno` of its nodes are numbers of tokens."""

    tokens: Tokens
    body: list[nodes.Node]


class _Numbered(Environment):
    """Makes tokens that have a number instead of a line."""

    tokens: Tokens

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        return TokenStream(self.lexer.wrap(numbered(self.lexer, self.tokens)), None, None)


def parse(file: int, path: str, text: str, chat: bool) -> Syntax:
    """The syntax tree of a file; raises PromptlintError."""
    environment = _Numbered(trim_blocks=chat, lstrip_blocks=chat)
    tokens = environment.tokens = empty(file, path, text)
    try:
        with warnings.catch_warnings():  # Python's own, on escapes in strings that it does not know
            warnings.simplefilter("ignore")
            parser = Parser(environment, tokens.read)
            parser.extensions = _TAGS
            return Syntax(tokens, parser.subparse())
    except TemplateSyntaxError as error:
        raise failure(tokens, tokens.line(error.lineno), error.message or "it cannot be read") from None
    except RecursionError:
        raise failure(tokens, tokens.line(len(tokens.kinds) - 1), "it is nested too deeply") from None
    except ValueError:
        raise failure(tokens, tokens.line(len(tokens.kinds) - 1), "a number has too many digits") from None


def _do(parser: Parser) -> nodes.Node:
    node = nodes.ExprStmt(lineno=next(parser.stream).lineno)
    node.node = parser.parse_tuple()
    return node


def _break(parser: Parser) -> nodes.Node:
    return nodes.Break(lineno=next(parser.stream).lineno)


def _continue(parser: Parser) -> nodes.Node:
    return nodes.Continue(lineno=next(parser.stream).lineno)


def _generation(parser: Parser) -> nodes.Node:
    """`{% generation %}` of chat templates prints its body."""
    number = next(parser.stream).lineno
    return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=number)


_TAGS: dict[str, Callable[[Parser], nodes.Node | list[nodes.Node]]] = {
    "do": _do,
    "break": _break,
    "continue": _continue,
    "generation": _generation,
}
