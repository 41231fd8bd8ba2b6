"""State of the machine or the work tree: listings, git output, fields such as `cwd:`, paths, hosts."""

import re

from promptlint.boundary.stretch import Shape, Stretch, both

_STATUS_LINE = r"(?:[MADRCUT?!][ MADRCUT?!]| [MADRCUT]) (?=\S*[/.]|.*\s->\s)\S.*$|(?:\?\?|[MADRCUT] | [MADRCUT]) \S+$"
_SHORT_STATUS_LINE = r"(?:[MADRCUT]|\?\?)[ \t](?=\S*[/.])\S+$"
_LOG_LINE = r"(?:\* )?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40} \S.*$"
_LISTING_LINE = r"[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d+\s|total \d+$"
_GIT_LINE = (
    r"(?i)(?:on branch|head detached at|your branch is|nothing to commit|untracked files:|"
    r"changes (?:not )?(?:staged|to be committed))\b"
)
_SAYS = r"\W*(?:(?:current|git|os|working|default|active|local)[ _])?"
_IS = r"(?: name| is)?[\"'`*]*\s?[:=]\s*[\"'`*]*"
_ENDS = r"[\"'`*,;)]*\.?\s*$"
_NAME_FIELD = (
    rf"(?i){_SAYS}(?:(?:host|user|node)_?name|git[ _](?:branch|user)|current[ _]branch)"
    rf"{_IS}[\w./@:+-]+{_ENDS}"
)
# Words of every day too: what stands behind them must look like a name that a machine or a repository has.
_MARKED_FIELD = (
    rf"(?i){_SAYS}(?:branch|host|user|head|revision|machine|arch(?:itecture)?){_IS}"
    rf"(?:main|master|trunk|develop|head|localhost|root|(?=[\w./@:+-]*(?:\d|[./@_-]\w))[\w./@:+-]*\w){_ENDS}"
)
_COMMIT_FIELD = rf"(?i){_SAYS}commit{_IS}[0-9a-f]{{6,40}}{_ENDS}"
_SYSTEM_FIELD = (
    rf"(?i){_SAYS}(?:shell|platform|os|operating system){_IS}"
    r"(?:[\w./-]*/)?(?:(?:ba|z|da|k|fi|c|tc)?sh|pwsh|powershell|cmd|"
    r"darwin|linux|mac ?os|windows|win32|freebsd|android|ios)"
    rf"(?:\.exe)?{_ENDS}"
)
_PATH_FIELD = (
    rf"(?i){_SAYS}(?:cwd|pwd|directory|dir|folder|worktree|workspace|root|home|path|project)"
    r"(?: path| root| is)?[\"'`*]*\s?[:=]\s*[\"'`*]*(?:[A-Za-z]:)?[^\s:]*[/\\~]"
)
_VERSION_FIELD = (
    rf"(?i){_SAYS}(?:os|kernel|platform|python|node(?:\.?js)?|npm|java|ruby|go|rust|gcc)"
    r"(?:[ _]version)?[\"'`*]*\s?(?:[:=]+)\s*[\"'`*]*\D{0,24}\d[\w.+~-]*"
)
_STATUS_FIELD = (
    r"(?i)\W*(?:git )?(?:git[ _])?status[\"'`*]*\s?[:=]\s*"
    r"(?:\(?(?:clean|dirty|modified|up to date)\b|(?:ahead|behind)\b.*\d|"
    r"\d+ (?:files?|changes?|commits?|modified|untracked)\b)"
)
_LINES = (
    _STATUS_LINE,
    _SHORT_STATUS_LINE,
    _LOG_LINE,
    _LISTING_LINE,
    _GIT_LINE,
)
_FIELDS = (_NAME_FIELD, _MARKED_FIELD, _COMMIT_FIELD, _SYSTEM_FIELD, _PATH_FIELD, _VERSION_FIELD, _STATUS_FIELD)
_LONGEST = 300  # characters of a line; a longer one is no field and no line of a listing
_ROOTS = (
    r"home|Users|usr|var|tmp|private|opt|mnt|srv|root|etc|workspaces?|work|app|builds?|runner|repos?|code|projects?|"
    r"Volumes|media|run|proc|dev|github|__w|content|kaggle|nix|snap|lib|bin|sandbox|vercel"
)
_PATH = (
    rf"(?:(?<![\w:/.])/(?:{_ROOTS})(?=/)|(?<![\w/.])~|(?<![\w/])\.{{1,2}}(?=/)|\b[A-Za-z]:(?=\\)|\\(?=\\\w))"
    r"(?:[\\/][^\s\"'<>|/\\]*)+"
)
_HOST = (
    r"(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|ip-\d+-\d+-\d+-\d+|[\w-]+(?:\.[\w-]+)*\.(?:internal|local|lan|corp|localdomain))"
    r"(?![\w.]*\w)"
)


def state_lines(s: Stretch) -> Shape | None:
    """The label of lines that all come from a listing or from git."""
    return _if_all(_LINES, s)


def environment(s: Stretch) -> Shape | None:
    """The label of fields, paths and hosts."""
    if found := _if_all((*_LINES, *_FIELDS), s):
        return found
    for pattern, what in ((_PATH, "path"), (_HOST, "host")):
        if (match := both(pattern, s)) is not None:
            old, new = match[0][0], match[1][0]
            return Shape("environment", f"a {what} changed: {old} became {new}", old, new)
    return None


def _if_all(patterns: tuple[str, ...], s: Stretch) -> Shape | None:
    old, new = _lines(s.old, s.a0, s.a1), _lines(s.new, s.b0, s.b1)
    changed = [line for line in (*old, *new) if line.strip()]
    if not changed or old == new or any(len(line) > _LONGEST for line in changed):
        return None
    if not all(any(re.match(p, line) for p in patterns) for line in changed):
        return None
    message = "state of the machine or the work tree changed"
    return Shape("environment", message, s.old[s.a0 : s.a1], s.new[s.b0 : s.b1])


def _lines(text: str, start: int, end: int) -> list[str]:
    """The lines that the stretch touches; a stretch of whole lines does not touch the line behind it."""
    if start == end and (start == 0 or text[start - 1] == "\n"):
        return []
    low = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", max(start, end - 1) if end > start and text[end - 1] == "\n" else end)
    return text[low : len(text) if stop < 0 else stop].split("\n")
