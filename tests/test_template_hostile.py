"""Templates that want out, or want everything, and a child that answers what it likes."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Template, frames, limits, process
from promptlint.render.template.process import Renderer
from template_hostile import BOMBS, ESCAPES, NOW, VARIABLES, outcome

SLOW = (  # `python tests/template_hostile.py` runs all, with the limits as they are
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{{ 1 | round(999999999, 'floor') }}{{ 10 ** 999999999 }}",
)
GIVEN_AWAY = ("<class", "<module", "<function", "builtin", "uid=", "root:", "environ", "jinja2", "promptlint")


def test_there_are_enough_of_each_kind() -> None:
    assert len(ESCAPES) >= 60
    assert sum(map(len, BOMBS.values())) >= 50


def test_nothing_gets_out() -> None:
    with Renderer() as renderer:
        for source in ESCAPES:
            end = outcome(renderer, source)
            if end.startswith("refused: "):
                assert end.startswith("refused: t:1: ")
                assert "\n" not in end
            else:
                assert not any(word in end for word in GIVEN_AWAY), (source, end)
    assert VARIABLES["messages"] == [{"role": "user", "content": "hi X"}]
    assert not Path("/tmp/escaped").exists()


def test_quick_bombs_end_as_one_message() -> None:
    kinds = {
        "memory": "needs more than 512 MiB of memory",
        "output": "its text is longer than 8 MiB",
        "depth": "nested, too deeply",
    }
    with Renderer() as renderer:
        for kind, message in kinds.items():
            for source in BOMBS[kind][:3]:
                assert message in outcome(renderer, source), source
        assert outcome(renderer, "{{ n }}") == "5"  # the next one is served


def test_slow_bombs_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.WALL < 6
    monkeypatch.setattr(process, "WALL", 1.0)
    with Renderer() as renderer:
        for source in SLOW:
            assert "t: rendering it took more than 1.0 seconds" in outcome(renderer, source)
        assert outcome(renderer, "{{ n }}") == "5"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_cpu_time_is_limited_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    assert limits.CPU < 6
    program = (
        "from promptlint.render.template import limits\nlimits.CPU = 1\n"
        "limits.limit_process()\nlimits.limit_job()\nwhile True: pass"
    )
    done = subprocess.run([sys.executable, "-c", program], timeout=30)
    assert done.returncode == -signal.SIGXCPU
    ended = f"import os; os.kill(os.getpid(), {int(signal.SIGXCPU)})"
    monkeypatch.setattr(process, "_START", ended)
    with Renderer() as renderer:
        assert "took more than 4 seconds of CPU time" in outcome(renderer, "")


def test_a_text_stands_though_following_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    dying = "import os; from promptlint.render.template import rendering; rendering.pieces = lambda *_: os._exit(3); "
    monkeypatch.setattr(process, "_START", process._START.replace("main()", dying + "main()"))
    with Renderer() as renderer:
        got = renderer.render(Template("t", "{{ n }}", "chat"), VARIABLES, now=NOW)
    assert (got.text, got.origins) == ("5", ())
    assert "ended its process (exit code 3)" in got.notes[0]


def frame(kind: bytes, data: bytes, size: int | None = None) -> bytes:
    return struct.pack(">cI", kind, len(data) if size is None else size) + data


TEXT = frame(frames.TEXT, b"abc")
END = frame(frames.END, b'{"notes": []}')


def part(*rows: list[object], sources: object = ()) -> bytes:
    return frame(frames.ORIGINS, json.dumps({"sources": sources, "rows": rows}).encode())


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no frame at all",
        frame(frames.TEXT, b"", 2**32 - 1),
        frame(frames.TEXT, b"abc", 4),
        frame(b"Z", b"abc"),
        END,
        frame(frames.ERROR, b"{}"),
        frame(frames.ERROR, b"[" * 60000),
        frame(frames.ERROR, b'"\xff"'),
        frame(frames.TEXT, b"\xff"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PromptlintError, match=r"^t: rendering it "):
        answered(answer, monkeypatch)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        frame(frames.ORIGINS, b"", 2**24),
        part([3, "value", 0, 0, 1, None]),
        part([2, "template", None, None, 1, 1]) + END,
        part([4, "template", None, None, 1, 1]) + END,
        part([0, "template", None, None, 1, 1], [3, "template", None, None, 1, 1]) + END,
        part([3, "magic", None, None, 1, 1]) + END,
        part([3, "value"]) + END,
        part([3, "value", 0, 0, 1, None], sources=[[{}]]) + END,
        part([3, "value", 0, "x", 1, None], sources=[["a"]]) + END,
        part(["3", "value", 0, 0, 1, None], sources=[["a"]]) + END,
        frame(frames.ORIGINS, b"[" * 60000) + END,
        frame(frames.ORIGINS, b"3") + END,
        frame(frames.END, b"[]"),
    ],
)
def test_origins_that_are_none_leave_the_text(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    got = answered(TEXT + answer, monkeypatch)
    assert (got.text, got.origins) == ("abc", ())
    assert "not known" in got.notes[0]


def test_a_whole_answer_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = part([1, "value", 0, 0, 1, None], [2, "call", 1, None, 1, None], sources=[["a", None, 0], "now"])
    got = answered(TEXT + rows + END, monkeypatch)
    assert [(origin.path, origin.name) for origin in got.origins] == [(("a", None, 0), ""), (None, "now")]


def answered(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> Rendering:
    """What becomes of a child's answer."""
    program = f"import sys; sys.stdin.buffer.readline(); sys.stdout.buffer.write({answer!r})"
    monkeypatch.setattr(process, "_START", program)
    with Renderer() as renderer:
        return renderer.render(Template("t", "", "chat"), VARIABLES, now=NOW)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_endless_answers_end_and_do_not_fill_the_parent() -> None:
    """In a process of its own, so that its memory can be told."""
    program = """
import sys
from datetime import datetime
from promptlint.errors import PromptlintError
from promptlint.render.template import Template, frames, limits, process
endless = "import sys, struct\\nwhile True: sys.stdout.buffer.write(%s)"
rows = b'{"sources": [], "rows": [' + b",".join([b'[1, "unknown", null, null, 1, null]'] * 20000) + b"]}"
frame = lambda kind, data: f"struct.pack('>cI', {kind!r}, {len(data)}) + {data!r}"
answers = [
    endless % ("struct.pack('>cI', b'T', 2**23) + b'a' * 2**23"),
    "import sys, struct; sys.stdout.buffer.write(struct.pack('>cI', b'T', 2**23) + b'a' * 2**23)\\n"
    + endless % frame(b"O", rows),
]
for process._START in answers:
    with process.Renderer() as renderer:
        try:
            renderer.render(Template("t", "", "chat"), {}, now=datetime.now())
        except PromptlintError as error:
            print(error)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""  # what getrusage tells includes the parent's peak, where this process was forked off
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) < 150_000  # kB


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits beyond time and output are Linux's")
def test_the_child_has_nothing_of_its_parent() -> None:
    secret = "PROMPTLINT_TEST_SECRET"
    os.environ[secret] = "x"
    try:
        with Renderer() as renderer:
            outcome(renderer, "{{ n }}")
            assert renderer._child is not None
            folder = Path(f"/proc/{renderer._child.pid}")
            assert secret.encode() not in (folder / "environ").read_bytes()
            limits = {line[:25].strip(): line.split()[-3] for line in (folder / "limits").read_text().splitlines()[1:]}
            assert limits["Max file size"] == limits["Max core file size"] == limits["Max processes"] == "0"
            assert int(limits["Max address space"]) < 2**30
            assert len(list((folder / "fd").iterdir())) <= 4
    finally:
        del os.environ[secret]
    assert not folder.exists()
