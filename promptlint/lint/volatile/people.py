"""Who the user is: a name, an address, an account number."""

from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet, is_supposed
from promptlint.lint.volatile.scan import compiled, near

_WHO = (
    r"(?:user|customer|client|caller|member|patient|student|employee|subscriber|account\s(?:holder|owner)|player|"
    r"tenant|guest)"
)
_IS = r"(?:[\"'`*_]{0,3}\s?(?:[:=>]|is\b|are\b)[\s\"'`*_<(\[]{0,5})"
_NAME = r"(?P<{name}>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]{{1,24}}(?:[ ](?:[A-ZÀ-ÖØ-Þ][\w'’-]{{0,24}}|[A-Z]\.)){{1,3}}))"
_FIRST = r"(?P<{name}>(?-i:[A-ZÀ-ÖØ-Þ][a-zà-ÿ'’-]{{1,24}}(?:[ ](?:[A-ZÀ-ÖØ-Þ][\w'’-]{{0,24}}|[A-Z]\.)){{0,3}}))"
_MAIL = r"[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}"
_PERSON = (
    rf"(?i)(?:(?<![\w-])(?:{_WHO}(?:['’]s)?[-_ ]?(?:full[-_ ]?|first[-_ ]?|display[-_ ]?)?name|signed[- ]in\sas|"
    r"logged\sin\sas)"
    rf"(?:{_IS}|\s){_FIRST.format(name='named')}(?=[\s\"'`*.,;<)\]]|\Z)"
    r"|(?<![\w-])you\sare\s(?:now\s)?(?:talking|speaking|chatting|helping|assisting|serving)(?:\s(?:to|"
    rf"with))?\s{_NAME.format(name='met')}"
    r"(?=\s?[.,;:(\n]|\Z|\s(?:who|from|at|and)\b)"
    rf"|(?<![\w-])the\s(?:current\s)?user\sis\s{_NAME.format(name='said')}(?=\s?[.,;(\n]|\Z)"
    rf"|(?m:^)[\s*_#>-]{{0,6}}{_WHO}[*_]{{0,2}}\s?:\s{{0,3}}[*_]{{0,2}}{_NAME.format(name='line')}(?=\s?(?:[(<,;.]|"
    r"\n|\Z))"
    rf"|(?<![\w-])(?:{_WHO}(?:['’]s)?[-_ ]?)e[-_ ]?mail(?:[-_ ]address)?{_IS}(?P<mail>{_MAIL})"
    rf"|(?<![\w-])(?:the\s|this\s|current\s)?{_WHO}(?:\sis)?:?\s[^\n.!?]{{0,40}}?[(<](?P<mail2>{_MAIL})[)>]"
    rf"|(?<![\w-])(?:{_WHO}|account|tenant|org(?:ani[sz]ation)?)(?:['’]s)?[-_ ]?(?:id|number|no\.?|nr)(?:{_IS}|\s)"
    r"(?P<number>(?-i:[A-Za-z]{0,6}[-_]?\d[\w-]{2,40})))"
)
_SIGN = (
    r"(?i)(?:user|customer|client|caller|member|patient|student|employee|subscriber|account|player|tenant|guest|"
    r"you\sare\s|ed\sin\sas|org)"
)
_NOBODY = (
    r"(?i)(?:name|unknown|anonymous|none|null|n/?a|test|the|a|an|required|optional|string|john (?:doe|smith)|jane doe|"
    r"[\w.+-]+@(?:example|domain|company|email|mail)\.\w+|(?:support|help|info|contact|sales|service|billing|"
    r"noreply|no-reply)@.*)\b"
)
_MOST = 2000  # candidates of one text


def people(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Names, addresses and numbers of the user, in order."""
    if in_argument:
        return
    for match in islice(near(_SIGN, _PERSON, text, 4, 120), _MOST):
        name = next(name for name in ("named", "met", "said", "line", "mail", "mail2", "number") if match[name])
        start, end = match.span(name)
        if compiled(_NOBODY).match(match[name]) or is_supposed(text, match.start()) or is_quiet(text, start, end):
            continue
        yield Found(
            start, end, {"mail": "the address", "mail2": "the address", "number": "the number"}.get(name, "the name")
        )
