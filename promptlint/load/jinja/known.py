"""Functions, methods, filters and names that mean the same in every template."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GLOBALS = _words("""
    range dict lipsum cycler joiner namespace raise_exception strftime_now self super caller varargs kwargs loop
""")
"""Names that the template language gives."""

FUNCTIONS = _words("""
    range dict cycler joiner list tuple set frozenset str int float bool len min max sum abs round sorted reversed
    enumerate zip repr gettext ngettext pgettext _
""")
"""Functions that answer from their arguments alone."""

OWN = _words("""
    strftime_now now utcnow today time timestamp localtime gmtime ctime current_time current_date uuid uuid1 uuid4
    random randint randrange choice shuffle sample token_hex token_urlsafe lipsum getenv gethostname
""")
"""Functions that an environment gives its templates: no arguments of the caller's where they are called."""

OWNERS = _words("datetime date time timezone timedelta random uuid secrets os platform socket")
"""Modules and classes with such functions."""

SILENT = _words("log debug trace track record emit warn print_log log_event")
"""Functions that a template calls for what they do, and that print nothing."""

SAME_ITEMS = _words("list tuple reversed enumerate zip sorted")
"""Functions whose answer has the items of their arguments."""

NO_ORDER = _words("set frozenset")
"""Functions whose answer has no order."""

METHODS = _words("""
    capitalize casefold center copy count decode encode endswith expandtabs find format get index isalnum isalpha
    isdigit islower isnumeric isspace istitle isupper items join keys ljust lower lstrip partition pop removeprefix
    removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
    title translate upper values zfill
""")
"""Methods of strings, lists and mappings that answer from what they are called with alone."""

OF_MAPPINGS = _words("items keys values")
GROWING = _words("append extend insert update setdefault add appendleft")
"""Methods that put their arguments into their object."""

FORMATTING = _words("strftime date dateformat datetimeformat format_date format_datetime datetime")
"""Methods and filters with a format of strftime."""

KEEPING = _words("""
    list unique reverse default d select reject selectattr rejectattr first last slice batch random sort dictsort
""")
"""Filters whose answer has the items of their value, or is one of them."""

ORDERING = _words("sort dictsort groupby length count sum min max")
"""Filters whose answer does not depend on the order of their value."""

SAME_TEXT = _words("safe forceescape escape e")
"""Filters that leave what is printed as it is, where nothing is HTML."""
