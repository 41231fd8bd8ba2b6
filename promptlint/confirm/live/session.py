"""One server, and what may be spent on it: prompts go out one at a time, and what it reports of each comes back."""

import math
import time
from decimal import Decimal
from typing import Any, NamedTuple

from promptlint.confirm.live import bill, llama_server, servers
from promptlint.confirm.live.apis import Api, answer_limit
from promptlint.confirm.live.calls import Carrier, Event, Reported, Sent, Timing, events, held
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.confirm.live.http import checked, message_of, said_plainly
from promptlint.confirm.live.servers import Server
from promptlint.errors import PromptlintError


class Prompt(NamedTuple):
    """One request of the user."""

    name: str  # as the user named it
    body: dict[str, Any]
    format: str
    model: str
    counted: int  # tokens, about: for the bill
    betas: str = ""


class Answered(NamedTuple):
    """What came of one request."""

    said: Reported
    timing: Timing


class Session:
    """One server, and what may be spent on it."""

    def __init__(
        self, carrier: Carrier, place: Endpoint, api: Api, *, key: str = "", variable: str = "", tokens: int = 8,
        cap: Decimal | None = None, tariff: bill.Tariff | None = None, server: Server | None = None,
        seconds: float = math.inf,
    ) -> None:  # fmt: skip
        self.carrier, self.place, self.api, self.key, self.variable = carrier, place, api, key, variable
        self.tokens, self.cap, self.tariff, self.seconds = tokens, cap, tariff, seconds
        self.server = server or Server()
        self.spent = Decimal(0)
        self._texts: dict[str, dict[str, Any]] = {}

    @property
    def compares(self) -> bool:
        """Whether the vendor's own diagnostics are asked for: only the vendors themselves have them."""
        return (self.api.name, self.place.provider) in (("openai", "openai"), ("anthropic", "anthropic"))

    def ids(self, prompt: Prompt) -> tuple[int, ...] | None:
        """The token ids that the server itself makes of a prompt."""
        return servers.ids(self.place, self.carrier, self.server, self._as_sent(prompt, 1), self.key)

    def send(
        self, prompt: Prompt, tokens: int, *, salt: str = "", fresh: bool = False, after: str | None = None
    ) -> Answered:
        """Ask once. Raises PromptlintError for an error of the server, and before more is spent than may be."""
        planned = self._planned(prompt, tokens)
        sent = self._as_sent(prompt, tokens)._replace(salt=salt, fresh=fresh, after=after)
        before = servers.counter(self.place, self.carrier, self.server)
        call = self.api.call(sent, self.place, self.server.salts)
        until = time.monotonic() + self.seconds
        answer = checked(call, self.carrier.send(call), key=self.key, variable=self.variable)
        found = events(answer, until)
        self._refused(found)
        said = plausible(self.api.read(found))
        said = said._replace(miss_reason=said_plainly(said.miss_reason, self.key))
        if said.cached_tokens is None and not said.wrong and before is not None:
            after_it = servers.counter(self.place, self.carrier, self.server)
            said = plausible(_counted(said, before, after_it, self.server))
        if planned is not None and self.tariff is not None:
            self.spent += bill.charged(said, self.tariff, planned)
        first = next((event.seconds for event in found if self.api.is_output(event)), None)
        whole = answer.chunks[-1].seconds if answer.chunks else 0.0
        return Answered(said, Timing(first, whole, said.output_tokens))

    def _as_sent(self, prompt: Prompt, tokens: int) -> Sent:
        body, kind = prompt.body, prompt.format
        if self.api.name == "llama-server" and kind not in ("completion", "text", "token-ids"):
            body, kind = self._rendered(prompt), "completion"
        return Sent(body, kind, prompt.model, tokens, compares=self.compares, betas=prompt.betas)

    def _rendered(self, prompt: Prompt) -> dict[str, Any]:
        """A conversation as the server's own template writes it."""
        if prompt.name not in self._texts:
            text = llama_server.prompt_text(prompt.body, prompt.format, self.place, self.carrier, self.key)
            self._texts[prompt.name] = {**prompt.body, "prompt": text}
        return self._texts[prompt.name]

    def _planned(self, prompt: Prompt, tokens: int) -> bill.Line | None:
        if self.tariff is None or self.cap is None:
            return None
        planned = bill.line(prompt.name, prompt.counted, answer_limit(prompt.body, prompt.format, tokens), self.tariff)
        if not bill.within(planned.usd, self.cap, self.spent):
            spent, cap = bill.shown_usd(self.spent), bill.shown_usd(self.cap)
            raise PromptlintError(f"stopped after about ${spent}: the limit is ${cap}", "raise --max-usd")
        return planned

    def _refused(self, found: list[Event]) -> None:
        """An error inside a stream that began well, or JSON that is no answer of the interface."""
        for event in found:
            failed = held(event.value, "response") if held(event.value, "type") == "response.failed" else event.value
            if event.name == "error" or held(failed, "error"):
                said = message_of(failed, self.key)
                raise PromptlintError(f"{self.place.host} fails within its answer{f': {said}' if said else ''}", "")
        if not any(self.api.is_answer(event) for event in found):
            said = message_of(found[0].value, self.key)
            raise PromptlintError(
                f"{self.place.host} answers otherwise than the API {self.api.name} does{f': {said}' if said else ''}",
                "is --endpoint the address of an API, and --api the right one?",
            )


def plausible(said: Reported) -> Reported:
    """What is reported, without a count of cached tokens that cannot be right; then `wrong` says why."""
    read, whole = said.cached_tokens, said.prompt_tokens
    if not said.wrong and read is not None and whole is not None and read > whole:
        said = said._replace(wrong=f"{said.source} is {read:,}, of a prompt of {whole:,} tokens")
    return said._replace(cached_tokens=None) if said.wrong else said


def _counted(said: Reported, before: float, after: float | None, server: Server) -> Reported:
    """What a counter of the whole server grew by: nobody else may ask meanwhile."""
    if after is None or after < before:
        return said
    return said._replace(cached_tokens=round(after - before), source=f"/metrics {servers.counter_name(server.kind)}")
