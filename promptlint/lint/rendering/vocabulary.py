"""Names of Jinja and of Python that tell what kind of value they are used on."""

TEXT_METHODS = frozenset(
    ("capitalize", "casefold", "center", "encode", "endswith", "expandtabs", "find", "format", "index", "isdigit",
     "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rjust",
     "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
     "zfill")
)  # fmt: skip
TEXT_FILTERS = frozenset(
    ("capitalize", "center", "escape", "e", "forceescape", "indent", "lower", "replace", "striptags", "title", "trim",
     "truncate", "upper", "urlencode", "urlize", "wordcount", "wordwrap", "xmlattr")
)  # fmt: skip
NUMBER_FILTERS = frozenset(("abs", "filesizeformat", "float", "int", "round"))
SAME_FILTERS = frozenset(("default", "d", "list", "unique", "reverse", "sort", "safe", "string", "select", "reject"))
ATTRIBUTE_FILTERS = frozenset(
    ("map", "selectattr", "rejectattr", "groupby", "sort", "sum", "unique", "join", "max", "min")
)
ITEM_FILTERS = frozenset(("first", "last", "random"))
LIST_FILTERS = frozenset(("batch", "slice", "map", "selectattr", "rejectattr", "groupby", "join", "sum", "max", "min"))
PAIRS = frozenset(("dictsort", "items"))  # filters that answer keys with values
VIEWS = frozenset(("items", "keys", "values"))
EQUAL_TESTS = frozenset(("equalto", "eq", "==", "ne", "!=", "in"))
NUMBER_TESTS = frozenset(("odd", "even", "divisibleby", "number", "integer", "float"))
# Of a date or a time.
CLOCK_METHODS = frozenset(("strftime", "isoformat", "date", "time", "timestamp", "astimezone"))
# Names that Jinja itself gives a value.
OWN = frozenset(
    ("range", "dict", "namespace", "cycler", "joiner", "lipsum", "loop", "caller", "self", "super", "true", "false",
     "none", "varargs", "kwargs", "_")
)  # fmt: skip
