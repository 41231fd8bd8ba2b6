"""The address of a server, and the key for it. Keys come from the environment and go to their own vendor only."""

import os
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from promptlint.errors import PromptlintError
from promptlint.facts.servers import host_of
from promptlint.read.names import shown

_TAKEN = ("api-version",)  # fields of a query that are no secret


class Endpoint(NamedTuple):
    """An address that may be asked."""

    origin: str  # scheme, host and port
    host: str
    path: str  # without a slash at its end
    query: str  # with its question mark, or ""
    is_local: bool  # on this machine

    @property
    def provider(self) -> str | None:
        """Who serves there, if it is known: a key of data/providers.yaml."""
        known = host_of(self.host)
        return known.provider if known else None

    def url(self, path: str) -> str:
        """The address of a path below the origin."""
        return f"{self.origin}{path}{self.query}"

    def below(self, path: str, version: str, *, versioned: bool = False) -> str:
        """The address of `path` (`/chat/completions`), with the version in front where the endpoint names none.

        An endpoint that ends in the path is the whole address; one with another path is the base that SDKs take.
        `versioned`: the base of this API's SDKs is followed by the version.
        """
        base = self.path.removesuffix(path)
        if not base or (versioned and not base.endswith(version)):
            base += version
        return self.url(base + path)

    def root(self, *ends: str) -> str:
        """The path without these at its end."""
        path = self.path
        for end in ends:
            path = path.removesuffix(end)
        return path


def endpoint(text: str) -> Endpoint:
    """The address that the user names. Raises PromptlintError for one to which nothing should be sent."""
    if not text.isprintable() or " " in text:
        raise PromptlintError(f"--endpoint {shown(text)} is no address", "write it as https://host/v1")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise PromptlintError(f"--endpoint {shown(text)} is no address", "write it as https://host/v1") from None
    if parts.scheme not in ("http", "https") or not host:
        raise PromptlintError(f"--endpoint {shown(text)} is no address", "write it as https://host/v1")
    if parts.username is not None or parts.password is not None:
        raise PromptlintError("--endpoint holds a user or a password", "keys come from the environment: --key-env NAME")
    local = _is_local(host)
    if parts.scheme == "http" and not local:
        raise PromptlintError(
            f"{shown(host)} would be asked without encryption", "plain http goes to this machine only: write https"
        )
    others = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True) if name not in _TAKEN]
    if others or parts.fragment:
        what = shown(others[0]) if others else "a fragment"
        raise PromptlintError(f"--endpoint holds {what}", "leave it out: keys come from the environment")
    named = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{named}{f':{port}' if port else ''}"
    return Endpoint(origin, host, parts.path.rstrip("/"), f"?{parts.query}" if parts.query else "", local)


def key_for(place: Endpoint, variable: str | None) -> tuple[str, str]:
    """The key for an address, and the variable that holds it; "" and the variable where none is set.

    `variable`: the one that the user names. Raises PromptlintError if that one is not set, or holds no key.
    """
    known = host_of(place.host)
    name = variable or (known.key if known else "")
    key = os.environ.get(name, "").strip() if name else ""
    if variable and not key:
        raise PromptlintError(f"the environment has no {shown(variable)}", "set it to the key, or leave out --key-env")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise PromptlintError(f"{shown(name)} holds no key", "a key is one line of plain characters")
    return key, name


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
