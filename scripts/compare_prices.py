"""Compare promptlint/data/prices.yaml with an installed genai-prices: every difference, by model and field.

usage: python scripts/compare_prices.py [DAY]

Exit code 1 if something differs. genai-prices is not a dependency of promptlint: pip install genai-prices.
"""

import re
import sys
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.facts import models as known
from promptlint.facts.models import Model, model_of
from promptlint.facts.prices import Prices, prices_of

# provider or platform here -> provider there
SOURCES = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "google",
    "deepseek": "deepseek",
    "xai": "x-ai",
    "moonshot": "moonshotai",
    "zai": "zai",
    "minimax": "minimax",
    "mistral": "mistral",
    "groq": "groq",
    "cerebras": "cerebras",
    "bedrock": "aws",
    "openrouter": "openrouter",
}
# where else a model is compared, and how it is spelled there
ELSEWHERE = {
    "claude": ("global.anthropic.{}", "us.anthropic.{}", "openrouter/anthropic/{}"),
    "gpt-5.6": ("global.openai.{}", "us.openai.{}", "openrouter/openai/{}"),
    "gpt-6": ("global.openai.{}", "us.openai.{}", "openrouter/openai/{}"),
    "nova": ("amazon.{}-v1:0",),
}
# ids of Bedrock that are spelled with a date
DATED = {
    "claude-sonnet-4-5": "20250929-v1:0",
    "claude-haiku-4-5": "20251001-v1:0",
    "claude-opus-4-1": "20250805-v1:0",
    "claude-opus-4": "20250514-v1:0",
    "claude-sonnet-4": "20250514-v1:0",
    "claude-3-5-haiku": "20241022-v1:0",
}
# our modifiers -> what asks for them there
CONTEXTS = (
    ("batch", {"processing": "batch"}),
    ("flex", {"service_tier": "flex"}),
    ("fast", {"speed": "fast"}),
    ("fast", {"service_tier": "fast"}),
    ("priority", {"service_tier": "priority"}),
)
# differences that are meant -> why
EXPLAINED = (
    (
        r"gpt-5\.4: (?:batch|flex): read: ",
        "they take the rounded figure of the vendor's page; ours is half of the price",
    ),
    (r"(?:gpt-4.*|o[134].*): batch: read: unknown here", "the vendor has no price; they keep the standard one"),
    (r"gpt-(?:5-mini|4.*): (?:fast|priority): unknown here", "no one factor for all of its prices"),
    (r"o[34](?:-mini)?: (?:flex|fast|priority): unknown here", "no one factor for all of its prices"),
    (r"gemini-3\.5-flash-lite: batch: unknown here", "no one factor for all of its prices"),
    (r"cerebras/gpt-oss-120b: read: ", "a survey of providers says that a read costs as much as input"),
)
HOUR = 12  # of the day, UTC: no peak hour of DeepSeek's

Figures = dict[str, str]


def main(arguments: list[str]) -> int:
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        print("genai-prices is not installed: pip install genai-prices", file=sys.stderr)
        return 2
    day = date.fromisoformat(arguments[0]) if arguments else date.today()
    moment = datetime.fromisoformat(f"{day}T{HOUR}:00+00:00")
    providers = {provider.id: provider for provider in get_snapshot().providers}
    compared = missing = drift = 0
    for spelled, model in spellings():
        ours = of_all_kinds(model, moment)
        theirs = find(providers[SOURCES[model.platform]], spelled, model) if model.platform in SOURCES else None
        if ours is None or theirs is None:
            missing += 1
            print(f"{spelled}: no price {'here' if ours is None else 'there'}")
            continue
        compared += 1
        for line in [
            *differences(here(ours), there(theirs.get_prices(moment))),
            *of_modifiers(model, theirs, moment),
        ]:
            why = next((why for pattern, why in EXPLAINED if re.match(pattern, f"{spelled}: {line}")), None)
            drift += why is None
            print(f"{spelled}: {line}{f' ({why})' if why else ''}")
    print(f"{compared} compared on {day}, {drift} differences, {missing} not in both")
    return 1 if drift else 0


def spellings() -> Iterator[tuple[str, Model]]:
    """Every model, in its provider's interface and elsewhere."""
    for name in known.names():
        patterns = ["{}", *(more for start, others in ELSEWHERE.items() if name.startswith(start) for more in others)]
        for pattern in patterns:
            dated = f"{name}-{DATED[name]}" if name in DATED and "." in pattern else name
            spelled = pattern.format(dated)
            model = model_of(spelled)
            if model is not None:
                yield spelled, model


def of_all_kinds(model: Model, moment: datetime, *modifiers: str) -> Prices | None:
    """The prices of the default kind of cache, with the writes of the others: they keep one row for all."""
    usual = prices_of(model, moment, modifiers=modifiers)
    for kind in model.caches[1:]:
        other = prices_of(model, moment, kind=kind, modifiers=modifiers)
        if usual is not None and other is not None:
            usual = usual._replace(write={**usual.write, **other.write})
    return usual


def of_modifiers(model: Model, theirs: Any, moment: datetime) -> Iterator[str]:
    """What differs with batch, flex and faster processing, where both have them."""
    standard = there(theirs.get_prices(moment))
    for name, context in CONTEXTS:
        changed = there(theirs.get_prices(moment, price_context=context))
        try:
            ours = of_all_kinds(model, moment, name)
        except PromptlintError:
            ours = None
        if changed == standard:
            continue
        if ours is None:
            yield f"{name}: unknown here, input {changed.get('input')} there"
            continue
        for line in differences(here(ours), changed):
            yield f"{name}: {line}"


def find(provider: Any, spelled: str, model: Model) -> Any:
    """Their row for a name: exactly ours, or with dots between the digits, or without what stands in front."""
    others = () if model.platform != model.provider else facts.table("models")["models"][model.name].get("ids", ())
    bare = spelled.removeprefix("openrouter/").removeprefix("groq/").removeprefix("cerebras/")
    for name in (bare, *dotted(bare), f"openai/{bare}", *others):
        found = provider.find_model(name)
        if found is not None:
            return found
    return None


def dotted(name: str) -> Iterator[str]:
    """claude-opus-4-5 as claude-opus-4.5."""
    head, dash, last = name.rpartition("-")
    if dash and last.isdecimal() and head[-1:].isdecimal():
        yield f"{head}.{last}"


def here(prices: Prices) -> Figures:
    """Our figures by the names that both use."""
    first, later = ("5m", "1h") if "5m" in prices.write else ("30m", "12h")
    figures = {
        "input": prices.input,
        "read": prices.read,
        "write": prices.write.get(first),
        "write 1h": prices.write.get(later) if later == "1h" else None,
        "output": prices.output,
    }
    found = {name: plain(price) for name, price in figures.items() if price is not None}
    for tier in prices.tiers:
        for name, price in figures.items():
            times = tier.output_times if name == "output" else tier.input_times
            if price is not None and times is not None:
                found[f"{name} above {tier.above}"] = plain(price * times)
    return found


def there(prices: Any) -> Figures:
    """Theirs."""
    names = {
        "input": "input_mtok",
        "read": "cache_read_mtok",
        "write": "cache_write_mtok",
        "write 1h": "cache_write_1h_mtok",
        "output": "output_mtok",
    }
    found: Figures = {}
    for name, field in names.items():
        price = getattr(prices, field, None)
        if price is None:
            continue
        found[name] = plain(getattr(price, "base", price))
        for tier in getattr(price, "tiers", ()):
            found[f"{name} above {tier.start}"] = plain(tier.price)
    return found


def plain(price: Decimal) -> str:
    return f"{price.normalize():f}"


def differences(ours: Figures, theirs: Figures) -> Iterator[str]:
    """One line for each figure that differs."""
    for name in dict.fromkeys((*ours, *theirs)):
        if ours.get(name) != theirs.get(name):
            yield f"{name}: {ours.get(name, 'unknown')} here, {theirs.get(name, 'unknown')} there"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
