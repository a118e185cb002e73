"""The command-line options of chrF."""

from __future__ import annotations

from .common import wrong_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..metric.chrf import CHRF


def add_chrf_options(parser: argparse.ArgumentParser) -> None:
    """Add an option group with the options of `sacrebleu.metrics.CHRF` and their defaults."""
    # fmt: off
    add = parser.add_argument_group("chrF").add_argument
    add("--chrf-char-order", "-cc", type=int, default=6, metavar="N",
        help="length of the longest character n-grams (default: %(default)s)")
    add("--chrf-word-order", "-cw", type=int, default=0, metavar="N",
        help="length of the longest word n-grams; 2 for chrF++ (default: %(default)s)")
    add("--chrf-beta", type=int, default=2, metavar="N",
        help="weight of recall relative to precision (default: %(default)s)")
    add("--chrf-whitespace", action="store_true", help="count white space in character n-grams")
    add("--chrf-lowercase", action="store_true", help="ignore case")
    add("--chrf-eps-smoothing", action="store_true",
        help="smooth with a small constant, as chrF++.py, NLTK and Moses do, instead of using effective order")
    # fmt: on


def make_chrf(options: argparse.Namespace, threads: int) -> CHRF:
    """Create a CHRF from the options that `add_chrf_options` added.

    Raises:
        UserError: An option has a wrong value.
    """
    from ..metric.chrf import CHRF

    given = {
        name.removeprefix("chrf_"): value for name, value in vars(options).items() if name.startswith("chrf_")
    }
    try:
        return CHRF(**given, threads=threads)
    except ValueError as error:
        raise wrong_argument(error, "chrf-") from error
