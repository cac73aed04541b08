"""The readers by the words that the command line has for them, each with the options that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kappax.errors import RatingsError
from kappax.readers._argilla import argilla
from kappax.readers._crowd import appen, crowd_kit, mturk
from kappax.readers._doccano import doccano
from kappax.readers._label_studio import label_studio
from kappax.readers._prodigy import prodigy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kappax.readers._table import LongTable


class Tool(NamedTuple):
    """A reader, the options that it takes, and whether it finds pools of models by itself."""

    read: Callable[..., LongTable]
    options: tuple[str, ...]
    finds_pools: bool = False


TOOLS = {
    "label-studio": Tool(label_studio, ("question", "label"), finds_pools=True),
    "prodigy": Tool(prodigy, ("question", "label")),
    "doccano": Tool(doccano, ("question", "label")),
    "argilla": Tool(argilla, ("question", "label"), finds_pools=True),
    "appen": Tool(appen, ("question", "label", "pool")),
    "mturk": Tool(mturk, ("question", "label", "pool", "unit")),
    "crowd-kit": Tool(crowd_kit, ("pool",)),
}


def read_export(name: str, source: Any, given: dict[str, Any], *, by_pool: bool) -> LongTable:
    """Read an export with the options given; without pools, what models say is left out."""
    tool = TOOLS[name]
    for option, word in given.items():
        if option not in tool.options:
            raise RatingsError(f"--{option} does not go with --format {name}: {word!r}")
    if tool.finds_pools:
        return tool.read(source, **given, predictions=by_pool)
    return tool.read(source, **given)
