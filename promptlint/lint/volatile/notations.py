"""How times and dates are written, as parts of regular expressions (for use with re.IGNORECASE)."""

# Names in full, and the short ones of English alone: "set", "out", "mar" and "mag" are words, too.
MONTH = (
    r"(?:jan(?:uary|uar|eiro|vier)?|feb(?:ruary|ruar|brero|braio)?|f[eé]vrier|fevereiro|febrero|mar(?:ch|zo|ço|s)?"
    r"|märz|"
    r"apr(?:il|ile)?|abril|avril|may|mai|mayo|maggio|maio|june?|juni|juin|junio|giugno|junho|july?|juli|juillet|"
    r"julio|luglio|"
    r"julho|aug(?:ust)?|ao[uû]t|agosto|sept?(?:ember|embre|iembre)?|settembre|setiembre|setembro|oct(?:ober|obre|"
    r"ubre)?|"
    r"oktober|ottobre|outubro|nov(?:ember|embre|iembre|embro)?|dec(?:ember)?|dezember|d[eé]cembre|dicembre|diciembre|"
    r"dezembro|gennaio|enero)\b\.?"
)
WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|"
    r"mittwoch|"
    r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)\b"
)
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{4}\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일]|"
    r"\d{1,2}/\d{1,2}/\d{2}"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
_NAMED = rf"{_NTH}[\s-](?:of\s|de\s)?{MONTH}(?:[,\s-]{{1,2}}(?:de\s)?\d{{4}})?|{MONTH}\s{_NTH}(?![\w:])(?:,?\s\d{{4}})?"
DATE = rf"(?:(?:{WEEKDAY},?\s(?:the\s|der\s|den\s|le\s|el\s)?)?(?:{_DAY}|{_NAMED})(?:\s?\(?{WEEKDAY}\)?)?)(?!\d)"
MONTH_OF_YEAR = rf"{MONTH},?\s(?:de\s)?\d{{4}}(?!\d)"
_HALF = r"\s?[ap](?:\.m\b\.?|m\b)"
CLOCK = (
    rf"(?:(?:[01]?\d|2[0-3])[:：][0-5]\d(?:[:：][0-5]\d(?:[.,]\d{{1,9}})?)?(?:{_HALF})?|(?:1[0-2]|0?[1-9]){_HALF}"
    r"|(?:[01]?\d|2[0-3])\s?[時时点](?:\s?[0-5]?\d\s?分(?:\s?[0-5]?\d\s?秒)?)?|(?:[01]?\d|2[0-3])[.:][0-5]\d\suhr\b)"
)
_ZONE = r"(?:\s?\(?(?:z|utc|gmt|bst|ist|jst|ces?t|[ecmp][sd]t|[a-z]{3,12}/[a-z_]{3,20})\b\)?|\s?[+-]\d{2}:?\d{2}\b)?"
_AT_DAY = rf"{WEEKDAY},?\s(?:at\s)?{CLOCK}"
DATE_AND_CLOCK = rf"{DATE}(?:t|,?\s(?:at\s|um\s|à\s|-\s|\|\s)?|\s?[-–|]\s?){CLOCK}{_ZONE}"
MOMENT = rf"(?:{DATE_AND_CLOCK}|{_AT_DAY}{_ZONE}|{CLOCK}{_ZONE}(?:,?\s(?:on\s)?{DATE})?)"
EPOCH = r"1[5-9]\d{8}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?(?![\d.])"
TO_THE_SECOND = rf"(?:[01]?\d|2[0-3])[:：][0-5]\d[:：][0-5]\d(?:[.,]\d{{1,9}})?{_ZONE}"
SECONDS = r"\d[:：]\d\d[:：]\d\d|\d\s?秒"
