"""Templates that want out, or want everything. `python tests/template_hostile.py` runs them all and tells the ends.

Every one has to end within six seconds, as a text that gives nothing away or as one clear message, with the parent
below 150 MB.
"""

import sys
import time
from datetime import datetime
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.render.template import Template
from promptlint.render.template.process import Renderer

X = "messages[0].content"
VARIABLES: dict[str, Any] = {"messages": [{"role": "user", "content": "hi X"}], "n": 5, "words": ["a", "b"]}
NOW = datetime(2031, 2, 3, 4, 5, 6)

ESCAPES = [
    escape.replace("X", X)
    for escape in (
        "{{ X.__class__.__mro__ }}",
        "{{ X.__class__.__base__.__subclasses__() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ X['__class__'] }}",
        "{{ X | attr('__class__') }}",
        "{{ () | attr('__class__') | attr('__base__') }}",
        "{{ [X] | map(attribute='__class__') | list }}",
        "{{ [X] | groupby('__class__') }}",
        "{{ [X] | selectattr('__class__') | list }}",
        "{{ [X] | sum(attribute='__class__') }}",
        "{{ [X] | sort(attribute='__class__') }}",
        "{{ '{0.__class__}'.format(X) }}",
        "{{ '{x.__class__.__init__}'.format_map({'x': X}) }}",
        "{{ ('{0.__class__}' | safe).format(X) }}",
        "{{ ['{0.__class__}'] | map('format', X) | list }}",
        "{{ '{0.__class__}'.format | attr('__call__') }}",
        "{% set f = '{0.__class__}'.format %}{{ f(X) }}",
        "{{ [X] | map('attr', '__class__') | list }}",
        "{{ X.strip.__func__.__globals__ }}",
        "{{ X.strip.__globals__['sys'].modules }}",
        "{{ '{0.strip.__globals__}'.format(X) }}",
        "{{ X.format.__globals__ }}",
        "{{ X._pieces }}",
        "{{ X['_pieces'] }}",
        "{{ X | attr('_pieces') }}",
        "{{ [X] | map(attribute='_pieces') | list }}",
        "{{ '{0._pieces}'.format(X) }}",
        "{{ messages._path }}",
        "{{ messages[0] | attr('_path') }}",
        "{{ n._path }}",
        "{{ (X | safe)._text }}",
        "{{ strftime_now.__globals__ }}",
        "{{ '{0.__self__}'.format(strftime_now) }}",
        "{{ strftime_now.__closure__ }}",
        "{{ raise_exception.__globals__ }}",
        "{{ dict.__init__.__globals__ }}",
        "{{ namespace.__init__.__globals__ }}",
        "{% set q = namespace(_x=1) %}{{ q._x }}",
        "{% set q = namespace() %}{% set q._x = 1 %}",
        "{{ self._TemplateReference__context.environment }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ joiner.__init__.__globals__ }}",
        "{{ lipsum.__globals__['os'].system('touch /tmp/escaped') }}",
        "{{ lipsum['__globals__'] }}",
        "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}{{ m._environment }}",
        "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{% call m() %}{% endcall %}",
        "{% for c in X %}{{ loop._iterator.gi_frame }}{% endfor %}",
        "{{ (X | map('upper')).gi_frame.f_globals }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update(a=1) }}",
        "{{ messages[0].pop('content') }}",
        "{{ messages.clear() }}",
        "{{ messages[0].__setitem__('a', 1) }}",
        "{{ words.sort() }}",
        "{{ X.encode().decode.__self__.__class__ }}",
        "{{ X | tojson(default=X.strip) }}",
        "{{ environment }}{{ _literals }}{{ context }}",
        "{{ url_for.__globals__ }}{{ config }}{{ request }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}{{ os.system('id') }}",
        "{% extends '../../etc/passwd' %}",
    )
]

BOMBS = {
    "cpu": [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{{ '' }}{% endfor %}{% endfor %}",
        "{% for i in range(9999) %}{% set x = range(99999) | sum %}{% endfor %}",
        "{% for i in range(9999) %}{% set x = lipsum(n=1000) %}{% endfor %}",
        "{{ lipsum(n=1000000) }}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ (10 ** 5000000) // 3 > 1 }}",
        "{{ ('a' * 30000 + 'b') is in ('a' * 60000000) }}",
        "{% for i in range(999) %}{% if ('a' * 40000 + 'b') in ('a' * 4000000) %}{% endif %}{% endfor %}",
        "{{ ('a ' * 200000) | wordwrap(1) | length }}",
        "{{ ('<' * 200000) | striptags | length }}",
        "{{ ('http://a.b ' * 200000) | urlize | length }}",
        "{% for i in range(9999) %}{{ i }}{% set y = (range(9999) | list) | tojson %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        "{% set ns = namespace(t='') %}{% for i in range(99999) %}{% set ns.t = ns.t + 'aaaaaaaa' ~ i %}{% endfor %}",
        "{{ (range(99999) | list | tojson(indent=9) * 9) | indent(9) | title | length }}",
    ],
    "memory": [
        "{{ 'a' * 2000000000 }}",
        "{{ ('a' * 2000000000) | length }}",
        "{% set x = [1] * 1000000000 %}",
        "{% set ns = namespace(x='ab') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{{ 'x' | center(2000000000) | length }}",
        "{{ '%2000000000d' % 1 }}",
        "{{ '{:>2000000000}'.format(1) }}",
        "{{ 'x'.ljust(2000000000) | length }}",
        "{{ ('\\n' * 9000000) | indent(900, blank=true) | length }}",
        "{{ ('a' * 90000000) | list | length }}",
        "{{ (['ab' * 9999999] * 99) | join | length }}",
        "{{ [words, words] | tojson(indent=2000000000) }}",
        "{{ (('a' * 9000000) | replace('a', 'b' * 9000)) | length }}",
        "{{ 1 | round(999999999, 'floor') }}{{ 10 ** 999999999 }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x, 'a' * 9999 ~ i] %}{% endfor %}",
    ],
    "output": [
        "{% for i in range(99999) %}{{ 'aaaaaaaaaa' * 100 }}{% endfor %}",
        "{{ 'é' * 5000000 }}",
        "{{ 'a' * 9000000 }}",
        "{% for i in range(99999) %}{{ messages | tojson }}{{ n }}{% endfor %}",
    ],
    "depth": [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m(x) %}{{ x }}{{ m([x]) }}{% endmacro %}{{ m([]) }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
        "{% set n = namespace(x=[]) %}{% for i in range(9999) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x | tojson }}",
        "{% for i in [[[[1]]]] recursive %}{{ loop([i]) }}{% endfor %}",
        "{{ " + "(" * 20000 + "1" + ")" * 20000 + " }}",
        "{{ " + "[" * 5000 + "]" * 5000 + " }}",
        "{% if 1 %}" * 3000 + "{% endif %}" * 3000,
        "{% for i in [1] %}" * 30 + "x" + "{% endfor %}" * 30,
        "{{ 1" + "+1" * 50000 + " }}",
        "{{ x" + ".y" * 50000 + " }}",
        "{{ " + "not " * 50000 + "1 }}",
        "{{ 1" + " | string" * 30000 + " }}",
        "{{ 1" + "0" * 100000 + " }}",
        "{% block a %}{{ self.a() }}{% endblock %}",
    ],
    "big source": [
        "a" * 9_000_000,
        "{{ 1 }}" * 300_000,
        "{#" * 100_000,
        "{% raw %}" * 100_000,
        "{{ '" + "\\x41" * 2_000_000 + "' }}",
    ],
}


def outcome(renderer: Renderer, source: str, variables: dict[str, Any] | None = None) -> str:
    """The text of the template, or the message."""
    try:
        return renderer.render(Template("t", source, "chat"), variables or VARIABLES, now=NOW).text
    except PromptlintError as error:
        return f"refused: {error}"


def main() -> None:
    """Run all, print time and end of each, and the memory that this process needed."""
    import resource

    slowest = 0.0
    with Renderer() as renderer:
        for kind, sources in {"escape": ESCAPES, **BOMBS}.items():
            for source in sources:
                start = time.monotonic()
                end = outcome(renderer, source)
                took = time.monotonic() - start
                slowest = max(slowest, took)
                print(f"{took:5.2f} s  {kind:10}  {source[:70]!r:75} {end[:110]!r}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1000)
    print(f"slowest {slowest:.2f} s, parent at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
