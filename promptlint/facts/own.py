"""Facts of the user's own, as rows. facts/overrides.py checks and makes them; it is loaded where there are some."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Overrides(NamedTuple):
    """Rows of the same shape as those of data/*.yaml."""

    models: Mapping[str, dict[str, Any]] = {}  # name -> fields that replace ours, or all of a new model
    prices: Mapping[str, list[dict[str, Any]]] = {}  # name -> rows; on a day that none holds, ours do
    providers: Mapping[str, dict[str, Any]] = {}  # name -> fields that replace ours


NONE = Overrides()
