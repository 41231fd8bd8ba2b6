"""One request -> KeyFacts: its settings, levels, markers, and the keys of its blocks."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from promptlint.boundary.settings import Field, flat, is_private, word
from promptlint.cache import keys
from promptlint.cache.key_settings import KeySetting as Keying
from promptlint.cache.key_settings import key_settings
from promptlint.cache.positions import Position
from promptlint.cache.refusals import refusals
from promptlint.cache.reuse import size_of, written
from promptlint.cache.rule import Rule, has_markers, rule_of
from promptlint.commands.figures import is_exact, side
from promptlint.commands.single import Ids, Single, counted, encoded
from promptlint.facts.block_keys import KeyRule
from promptlint.key_facts import KeyBlocks, KeyEngine, KeyFacts, KeyLevel, KeyMarker, KeySetting
from promptlint.prompt import CharIndex, Rendered, Spot
from promptlint.read.places import pointer, resolve

Count = Callable[[int], int]


class Keyed(NamedTuple):
    """What is known of a request, and what it takes to compare its keys with those of another one."""

    facts: KeyFacts
    single: Single
    chain: keys.Chain | None
    ids: Sequence[int]  # empty without an engine
    notes: tuple[str, ...]
    whole: bool = True  # the ids are those of the whole prompt
    ends: tuple[int, ...] = ()  # characters of the prompt up to each of the markers of `facts`


def keyed(one: Single, wanted: keys.Wanted | None) -> Keyed:
    """Under which key the prefix of a request is stored; with `wanted` also the engine's own keys of its blocks."""
    if wanted is None:
        if one.prompt is None:
            return Keyed(_of_ids(one), one, None, (), one.notes)
        facts, rule = _of_prompt(one, one.prompt)
        notes = (*one.notes, *_rule_notes(one, one.prompt, facts, rule))
        return Keyed(facts, one, None, (), notes, ends=tuple(p.end for p in _entries(one.prompt, rule)[0]))
    said: list[str] = []
    whole = True
    if one.prompt is None:
        ids: Sequence[int] = one.request.token_ids or ()
        facts = _of_ids(one)
    else:
        found = encoded(one.prompt, one.options.tokenizer)
        ids = found.ids
        facts = _of_engine(one, one.prompt, found)
        whole = found.whole
        said += _doubts(one, one.prompt, found)
    chain = keys.chain(ids, keys.extra_of(one.request), wanted)
    facts = facts._replace(blocks=_blocks(chain, wanted), settings=_settings_of_engine(one, wanted.rule))
    return Keyed(facts, one, chain, ids, (*one.notes, *said, *_said(chain, wanted)), whole)


def _of_ids(one: Single) -> KeyFacts:
    """Ids as given: neither levels nor markers are known."""
    ids = one.request.token_ids or ()
    vocabulary = one.options.tokenizer.name if one.options.chosen else "ids as given"
    about = side(one.request, one.provider, vocabulary, None, len(ids), exact=True)
    return KeyFacts(about, one.provider.cache, 1, None, "unknown", _settings(one), (), (), None)


def _of_prompt(one: Single, prompt: Rendered) -> tuple[KeyFacts, Rule]:
    """Under the rules of a provider."""
    options, count = one.options, counted(prompt, one.options.tokenizer).in_a
    exact = is_exact(prompt, options)
    rule = rule_of(one.provider, one.request.model, marked=has_markers(prompt), exact=exact, own=options.own)
    if prompt.template is not None and rule.by_entries:  # who has the template serves the model
        rule = rule._replace(kind="prefix")
    total = count(len(prompt.text))
    facts = KeyFacts(
        side=side(one.request, one.provider, options.tokenizer.name, prompt.size, total, exact=exact),
        cache=rule.kind,
        step=rule.step,
        minimum=rule.minimum.tokens if rule.minimum.known and rule.minimum.tokens else None,
        size=_size(len(prompt.text), rule, count),
        settings=_settings(one),
        levels=tuple(_levels(prompt, count, total)),
        markers=tuple(_markers(one, prompt, rule, count)),
        blocks=None,
    )
    return facts, rule


def _rule_notes(one: Single, prompt: Rendered, facts: KeyFacts, rule: Rule) -> Iterator[str]:
    """What the tables do not say: why nothing is cached, and how exact the figures are."""
    if rule.by_entries and not facts.markers:
        yield f"nothing is cached: {written(prompt, rule)[2]}".replace("the first request", "the request")
    if facts.side.exact:
        return
    counts = "counted with the vocabulary that you chose" if one.options.chosen else one.provider.counts
    yield f"counts: {facts.side.tokenizer}, an estimate: {counts}"
    if rule.minimum.factor != 1 and facts.minimum is not None:
        yield f"against the minimum, {rule.minimum.factor:g} times as many tokens are taken, as the model counts"


def _of_engine(one: Single, prompt: Rendered, found: Ids) -> KeyFacts:
    """In an engine that one hosts oneself: any prefix may be read."""
    options = one.options
    exact = is_exact(prompt, options) and (options.chosen or prompt.tokens is not None)
    total = len(found.ids) if found.whole else found.at(len(prompt.text))
    about = side(one.request, one.provider, options.tokenizer.name, prompt.size, total, exact=exact)
    levels = tuple(_levels(prompt, found.at, total))
    return KeyFacts(about, one.provider.cache, 1, None, "unknown", (), levels, (), None)


def _settings(one: Single) -> tuple[KeySetting, ...]:
    """Fields that a provider's cache depends on."""
    return tuple(map(_setting, key_settings(one.request, one.provider)))


def _setting(setting: Keying) -> KeySetting:
    path = setting.field.path
    hidden = path is not None and is_private(path)
    value = None if path is None else "(hidden)" if hidden else word(setting.field)
    at = None if path is None else pointer(path)
    return KeySetting(setting.name, value, at, setting.level, setting.certainty, setting.beyond)


def _settings_of_engine(one: Single, rule: KeyRule) -> tuple[KeySetting, ...]:
    """Fields beside the text that are part of an engine's keys; all others act through the tokens alone."""
    fields = keys.held(rule)
    sent = {".".join(name): field for name, field in flat(one.request)}
    every = {**dict.fromkeys(fields, Field(None, None)), **{name: sent[name] for name in fields if name in sent}}
    return tuple(_setting(Keying(name, field, "tools", "certain", "")) for name, field in every.items())


def _levels(prompt: Rendered, count: Count, total: int) -> Iterator[KeyLevel]:
    """Runs of one level, in the order in which the model reads; a template may put one level into another."""
    start = 0
    items = prompt.items
    for item, following in zip(items, (*items[1:], None), strict=True):
        if following is None or following.item.level != item.item.level:
            end = total if following is None else count(following.char)
            yield KeyLevel(item.item.level, start, end)
            start = end


def _entries(prompt: Rendered, rule: Rule) -> tuple[list[Position], dict[int, str]]:
    """Where entries end, in prompt order, and markers that count for nothing, too; the lifetimes of entries."""
    if not rule.by_entries:
        return [], {}
    positions, entries, _ = written(prompt, rule)
    lifetimes = {entry.end: entry.lifetime for entry in entries}
    return [p for p in positions if p.marker is not None or p.end in lifetimes], lifetimes


def _markers(one: Single, prompt: Rendered, rule: Rule, count: Count) -> Iterator[KeyMarker]:
    shown, lifetimes = _entries(prompt, rule)
    positions = written(prompt, rule)[0] if shown else []
    refused = {fault.new: fault.message for fault in refusals(positions, one.request, rule.provider)}
    spots = [Spot(position.path, "value", CharIndex(0), CharIndex(0)) for position in shown]
    places = resolve(one.request.document, spots, one.request.ends)
    for position, place in zip(shown, places, strict=True):
        yield KeyMarker(
            pointer=pointer(position.path),
            line=place.line,
            column=place.column,
            level=position.level,
            kind=position.kind,
            explicit=position.marker is not None,
            ttl=lifetimes.get(position.end) or _asked(position, rule),
            tokens=count(position.end),
            minimum=rule.minimum.tokens if rule.minimum.known else None,
            size=_size(position.end, rule, count),
            refused=refused.get(position.path, ""),
        )


def _asked(position: Position, rule: Rule) -> str:
    asked = position.marker.ttl if position.marker is not None else None
    return asked or rule.provider.default_lifetime


def _size(end: int, rule: Rule, count: Count) -> str:
    """Of the first `end` characters against the minimum."""
    if not rule.minimum.known or not rule.minimum.tokens:
        return "unknown"
    found = size_of(end, rule, count)
    return "unlikely" if found == "near" and rule.minimum.unlikely(count(end)) else found


def _blocks(chain: keys.Chain, wanted: keys.Wanted) -> KeyBlocks:
    rule = wanted.rule
    engine = KeyEngine(
        rule.engine, rule.title, rule.version, wanted.hash, wanted.seed, rule.unit, rule.source, rule.checked
    )
    return KeyBlocks(
        engine=engine,
        block_tokens=chain.block_tokens,
        tokens=chain.tokens,
        keys=keys.Spelled(chain.keys),
        root=None if chain.root is None else keys.spelled(chain.root),
        events=chain.events,
        sequence=chain.sequence,
        extras=chain.extras,
        unstored=int(chain.partial and rule.partial == "never"),
    )


def _doubts(one: Single, prompt: Rendered, found: Ids) -> Iterator[str]:
    """Why the server's keys may be others."""
    if prompt.template is None and one.request.format == "text":
        yield "the text is taken as the whole prompt: a token that the server puts in front (BOS) is no part of it"
    elif prompt.template is None:
        yield (
            "these are keys of promptlint's own form of the prompt, not the server's: give --chat-template, or the "
            "token ids"
        )
    if not one.options.chosen and prompt.tokens is None:
        yield (
            f"these are keys of the ids of {one.options.tokenizer.name}: give the model's vocabulary with --tokenizer"
        )
    if not found.whole:
        yield (
            f"keys end at token {len(found.ids):,}, in front of the first image or document: what stands there in the "
            "prompt is made by the model's processor"
        )


def _said(chain: keys.Chain, wanted: keys.Wanted) -> Iterator[str]:
    """What a user should know about the keys themselves."""
    yield from chain.unused
    rule = wanted.rule
    if chain.partial:
        yield f"the last {rule.unit} is not full: it is stored {rule.partial}"
    if not chain.keys:
        full = f"full {rule.unit} of {wanted.block_tokens:,}"
        yield f"the prompt has {chain.tokens:,} tokens, no {full}: nothing is stored"
    by_pickle = rule.engine == "vllm" and "cbor" not in wanted.hash
    if by_pickle and any(len(parts) > 1 for parts in chain.extras.values()):
        yield (
            f"{wanted.hash} hashes pickled objects: where several media, adapters or salts meet in a block, its keys "
            "may depend on the process; sha256_cbor does not"
        )
    if rule.engine == "vllm" and wanted.seed is None:
        yield f"no --seed: the first block's parent is made of {rule.unset_seed!r}, as without PYTHONHASHSEED"
