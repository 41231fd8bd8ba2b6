"""The one exception that a user may cause."""


class PromptlintError(Exception):
    """A fault of the input or the call: printed as one line, exit code 2.

    `message` says what is wrong, `hint` what to do next.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message
