"""Count the calls of patched packages."""

from fastbleu import patch


def calls_of(peer: str, function: str = "") -> tuple[int, int]:
    """Return the numbers of calls that fastbleu and the original answered, of functions whose names end so."""
    lines = [line for line in patch.report() if line.peer == peer and line.function.endswith(function)]
    return sum(line.taken for line in lines), sum(line.left for line in lines)
