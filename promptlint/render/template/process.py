"""The parent's side: a child process that renders, asked over pipes, ended when it takes too long."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, BinaryIO, Self, cast

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import frames
from promptlint.render.template.limits import CPU, WALL
from promptlint.render.template.origins import Origins
from promptlint.render.template.types import Profile, Template

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from promptlint.render.template.child import main; main()"
)
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # of the environment: what Python needs to start
_LARGEST = 32 * 1024 * 1024  # bytes of all the origins of a rendering


class Renderer:
    """Renders in a child process that is started when first asked and serves until `close`. A context manager.

    `wall`: seconds that a rendering may take; None: as many as the limits allow.
    """

    def __init__(self, wall: float | None = None) -> None:
        self._wall = WALL if wall is None else wall
        self._child: subprocess.Popen[bytes] | None = None
        self._told: Template | None = None  # the template that the child has

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            _kill(self._child)
            for pipe in (self._child.stdin, self._child.stdout):
                with suppress(OSError):  # what was not sent cannot be sent any more
                    cast(BinaryIO, pipe).close()
            self._child, self._told = None, None

    def render(
        self, template: Template, variables: Mapping[str, Any], *, now: datetime, profile: Profile = "transformers"
    ) -> Rendering:
        """The template over JSON data. Raises PromptlintError: template, line and reason."""
        _check(template, dict(variables), "", 0)
        child = self._started()
        job = {
            "template": None if template == self._told else template._asdict(),
            "variables": dict(variables),
            "now": now.isoformat(),
            "profile": profile,
        }
        try:
            line = json.dumps(job).encode() + b"\n"
        except ValueError:
            raise PromptlintError(f"{template.name}: a number of its variables has too many digits") from None
        late = threading.Event()
        timer = threading.Timer(self._wall, _end, (child, late))
        timer.start()
        try:
            return self._answer(child, template, line, late)
        finally:
            timer.cancel()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self.close()
            try:
                self._child = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _START, json.dumps(sys.path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _KEPT if name in os.environ},
                    start_new_session=True,
                )
            except OSError as error:
                raise PromptlintError(f"the process that renders templates cannot be started: {error}") from None
        return self._child

    def _answer(
        self, child: "subprocess.Popen[bytes]", template: Template, job: bytes, late: threading.Event
    ) -> Rendering:
        questions, answers = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)
        text: str | None = None
        try:
            questions.write(job)
            questions.flush()
            kind, data = frames.read(answers)
            if kind == frames.ERROR:
                report = json.loads(data)
                self._told = template
                if report["last"]:
                    self.close()
                raise _failure(template, report)
            if kind != frames.TEXT:
                raise frames.Broken
            text = data.decode("utf-8", "surrogatepass")
            del data
            rendering = _rest(answers, text)
            self._told = template
            return rendering
        except (frames.Broken, OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            reason = _ended(child, late, self._wall)
            self.close()
            if text is not None:
                return Rendering(text, (), (f"where the text comes from is not known: following it {reason}",))
            raise PromptlintError(f"{template.name}: rendering it {reason}", "render less, or simplify it") from None


def _rest(stream: BinaryIO, text: str) -> Rendering:
    """What follows a text: its origins and the end."""
    origins = Origins(len(text))
    size = 0
    kind, data = frames.read(stream)
    while kind == frames.ORIGINS:
        size += len(data)
        if size > _LARGEST:
            raise frames.Broken
        origins.add(data)
        kind, data = frames.read(stream)
    return Rendering(text, origins.all(), tuple(str(note) for note in json.loads(data)["notes"]))


def _failure(template: Template, report: dict[str, Any]) -> PromptlintError:
    name = report["template"] or template.name
    place = f"{name}:{report['line']}" if report["line"] else name
    return PromptlintError(f"{place}: {report['reason']}", report["hint"])


def _ended(child: "subprocess.Popen[bytes]", late: threading.Event, wall: float) -> str:
    """Why there is no answer."""
    try:
        code = child.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "gave an answer that cannot be read"
    if late.is_set():
        return f"took more than {wall} seconds"
    if code == -getattr(signal, "SIGXCPU", math.inf):
        return f"took more than {CPU} seconds of CPU time"
    return f"ended its process (exit code {code})"


def _end(child: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _kill(child)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End the child and all that it has started."""
    if child.poll() is None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
        except ProcessLookupError:  # it has just ended
            pass
    child.wait()


def _check(template: Template, value: Any, place: str, depth: int) -> None:
    """Raises PromptlintError unless the variables are JSON data."""
    if depth > 500:
        raise PromptlintError(f"{template.name}: its variables are nested too deeply", "nest less than 500 deep")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise PromptlintError(f"{template.name}: the key {key!r} at {place or '/'} is no string", "quote it")
            _check(template, item, f"{place}/{key}", depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check(template, item, f"{place}/{index}", depth + 1)
    elif value is not None and not isinstance(value, str | int | float):
        raise PromptlintError(
            f"{template.name}: the variable at {place} is a {type(value).__name__}, which JSON does not have",
            "give it as a string",
        )
