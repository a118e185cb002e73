"""Report the functions that were replaced, those that were not and why, and the number of calls that each answered."""

from __future__ import annotations

import sys
from atexit import register
from functools import cache
from typing import NamedTuple

from .. import errors
from .mistakes import Mistake, found_mistakes, keep
from .peers import PEERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .peers import Peer


class Line(NamedTuple):
    """One function of a peer, or a peer without replaced functions.

    Attributes:
        peer: The peer's name.
        release: Its release; "" if it is not installed.
        function: The function's module and name; "" if none is replaced.
        state: "replaced", or the reason why it is not.
        taken: The number of calls that fastbleu answered.
        left: The number of calls that the original code answered.
        refused: The latest exception for which the original code ran instead, as text; "" for none.
    """

    peer: str
    release: str
    function: str
    state: str
    taken: int
    left: int
    refused: str = ""


class Report(tuple[Line, ...]):  # noqa: SLOT001  # a tuple with an attribute
    """The lines of a report; printed, they are a table.

    Attributes:
        mistakes: Likely mistakes in calls since `report_at_exit`: the message, the file and the line of each.
    """

    mistakes: tuple[Mistake, ...] = ()

    def __str__(self) -> str:
        heading = ("peer", "release", "function", "state", "by fastbleu", "by itself")
        table = [heading, *(tuple(map(str, line[:6])) for line in self)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rows = []
        for row in table:
            texts = [text.ljust(width) for text, width in zip(row[:4], widths, strict=False)]
            numbers = [text.rjust(width) for text, width in zip(row[4:], widths[4:], strict=True)]
            rows.append("  ".join([*texts, *numbers]).rstrip())
        rows += [
            f"{line.function} last left a call by itself: {line.refused}" for line in self if line.refused
        ]
        if self.mistakes:
            rows += ["likely mistakes (docs: Is your BLEU right?):", *map(str, self.mistakes)]
        return "\n".join(rows)

    __repr__ = __str__


def report() -> Report:
    """Report which functions are replaced, which are not and why, and how many calls fastbleu answered so far.

    Returns:
        A line for each function, and the likely mistakes of the program if it was started with `--report` or with the
        environment variable FASTBLEU_PATCH_REPORT. It prints as a table.
    """
    made = Report(line for peer in PEERS.values() for line in _lines(peer))
    made.mistakes = tuple(found_mistakes)
    return made


@cache
def report_at_exit() -> None:
    """Print the report on standard error when the program ends, and collect likely mistakes until then."""
    errors.observer = keep
    register(lambda: sys.stderr.write(f"{report()}\n"))


def _lines(peer: Peer) -> list[Line]:
    lines = [
        Line(
            peer.name,
            peer.release or "",
            replacement.name,
            "replaced" if replacement.is_installed else "not installed",
            replacement.taken,
            replacement.left,
            replacement.refused,
        )
        for replacement in peer.replacements.values()
    ]
    release = peer.release
    if release is None:
        return lines or [Line(peer.name, "", "", "not on this machine", 0, 0)]
    if peer.failure:
        return [
            Line(peer.name, release, "", f"left alone, it is not as its release has it: {peer.failure}", 0, 0)
        ]
    if lines:
        return lines
    if not peer.is_equal:
        return [Line(peer.name, release, "", f"left alone: fastbleu equals {peer.equal_releases}", 0, 0)]
    state = "waits for its import" if peer.is_installed else "not installed"
    if any(module in sys.modules for module in peer.modules) and peer.is_installed:
        state = "nothing to replace"
    return [Line(peer.name, release, "", state, 0, 0)]
