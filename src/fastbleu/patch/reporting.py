"""Report which functions are replaced, which are not and why, and the numbers of their calls."""

from __future__ import annotations

import sys
from atexit import register
from functools import cache
from typing import NamedTuple

from .. import errors
from .mistakes import Mistake, add_mistake, mistakes
from .peers import PEERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .peers import Peer


class Line(NamedTuple):
    """A line of the report, which describes one function, or one package without replaced functions.

    Attributes:
        peer: The name of the package.
        release: The installed release of the package; "" if it is not installed.
        function: The module and the name of the function; "" for a package without replaced functions.
        state: "replaced", or the reason why the function or package is not replaced.
        taken: The number of calls whose result fastbleu computed.
        left: The number of calls whose result the original code computed.
        refused: The latest error that fastbleu raised before the original code ran, as text; "" for none.
    """

    peer: str
    release: str
    function: str
    state: str
    taken: int
    left: int
    refused: str = ""


class Report(tuple[Line, ...]):  # noqa: SLOT001  # a tuple with an attribute
    """The lines of a report. `print` shows them as a table.

    Attributes:
        mistakes: The likely mistakes in calls. They are only collected if the program was started with `--report` or
            with the environment variable FASTBLEU_PATCH_REPORT.
    """

    mistakes: tuple[Mistake, ...] = ()

    def __str__(self) -> str:
        titles = ("peer", "release", "function", "state", "by fastbleu", "by original")
        table = [titles, *(tuple(map(str, line[:6])) for line in self)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rows = []
        for row in table:
            texts = [text.ljust(width) for text, width in zip(row[:4], widths, strict=False)]
            numbers = [text.rjust(width) for text, width in zip(row[4:], widths[4:], strict=True)]
            rows.append("  ".join([*texts, *numbers]).rstrip())
        rows += [
            f"{line.function}: the original code ran after {line.refused}" for line in self if line.refused
        ]
        if self.mistakes:
            heading = "likely mistakes, explained in the documentation under 'Is your BLEU right?':"
            rows += [heading, *map(str, self.mistakes)]
        return "\n".join(rows)

    __repr__ = __str__


def report() -> Report:
    """Report which functions are replaced, which are not and why, and the numbers of their calls so far.

    Returns:
        A line for each function, and for each package without replaced functions.
    """
    made = Report(line for peer in PEERS.values() for line in _lines(peer))
    made.mistakes = tuple(mistakes)
    return made


@cache
def report_at_exit() -> None:
    """Print the report on standard error when the program ends, and collect likely mistakes until then."""
    errors.observer = add_mistake
    register(lambda: sys.stderr.write(f"{report()}\n"))


def _lines(peer: Peer) -> list[Line]:
    """Return the lines of the report for one package."""
    lines = [
        Line(
            peer.name,
            peer.release or "",
            replacement.name,
            "replaced" if replacement.is_installed else "not replaced",
            replacement.taken,
            replacement.left,
            replacement.refused,
        )
        for replacement in peer.replacements.values()
    ]
    if lines and not peer.failure:
        return lines
    if peer.release is None:
        state = "not installed"
    elif peer.failure:
        state = f"not replaced, because it differs from its release: {peer.failure}"
    elif not peer.is_equal:
        state = f"not replaced: fastbleu was compared only with {peer.equal_releases}"
    elif not peer.is_installed:
        state = "not replaced"
    elif any(module in sys.modules for module in peer.modules):
        state = "nothing to replace"
    else:
        state = "not imported yet"
    return [Line(peer.name, peer.release or "", "", state, 0, 0)]
