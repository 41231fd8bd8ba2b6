"""Known shapes of secrets, masked with their length and first four characters kept."""

from promptlint.secrets import HIDDEN_MARKED as HIDDEN_MARKED
from promptlint.secrets import Range as Range
from promptlint.secrets import mask as mask
