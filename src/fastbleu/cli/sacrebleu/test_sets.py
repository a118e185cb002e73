"""sacreBLEU's test sets: listed, echoed, downloaded and cited, and what of them is scored against.

sacreBLEU keeps them in the folder that the environment's SACREBLEU names, `~/.sacrebleu` without it, and downloads what
is not there.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import count

from ...inputs._column import concatenate
from ..bleu.options import PROGRAM
from ..bleu.results_table import shows_colours
from ..bleu.text import read_stream
from ..common import UserError, print_text, say
from .calls import peer_calls, peer_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...inputs._text import TextColumn
    from ..bleu.metrics import AnyMetric
    from ..bleu.text import Streams

_PURPOSE = "a test set"


def show(options: Namespace) -> None:
    """Do what ``--download``, ``--list``, ``--citation`` or ``--echo`` asks for.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: It does not have what is asked for, or cannot download it.
    """
    if options.download is not None:
        _download(options)
    elif options.list:
        _list(options)
    elif options.citation:
        _cite(options)
    else:
        _check_pair(options)
        for name in _names(options):
            with peer_calls(options, f"print test set {name}"):
                _utils().print_test_set(
                    name, options.language_pair, options.echo, options.origlang, options.subset
                )


def reference_files(options: Namespace) -> list[list[str]]:
    """The files of references of each test set, downloaded if they are not there.

    Raises:
        UserError: As `show`; or a test set has no references, or another number of them than the one before.
    """
    _check_pair(options)
    if options.encoding != "utf-8":
        say(
            PROGRAM,
            f"references of test sets are UTF-8, but are read as {options.encoding}, as sacreBLEU does",
        )
    if options.tokenize == "none":
        say(
            PROGRAM,
            "You are turning off BLEU's internal tokenizer presumably to supply your own tokenized files.",
        )
        say(PROGRAM, "Published numbers will not be comparable to other papers.")
    found: list[list[str]] = []
    for name in _names(options):
        with peer_calls(options, f"read test set {name}"):
            found.append(_utils().get_reference_files(name, options.language_pair))
        if not found[-1]:
            raise UserError(f"test set {name!r} has no references for {options.language_pair}")
        if len(found[-1]) != len(found[0]):
            raise UserError(
                f"test sets have different numbers of references: {_names(options)[0]} has {len(found[0])}, "
                f"{name} has {len(found[-1])}"
            )
    return found


def read_test_sets(files: list[list[str]], options: Namespace) -> Streams:
    """The streams of references of several test sets, one test set after the other."""
    streams = [[read_stream(path, options) for path in stream] for stream in zip(*files, strict=True)]
    return [
        (f"reference {number} of {options.test_set}", concatenate(stream))
        for number, stream in enumerate(streams, 1)
    ]


def keep_subset(streams: Streams, options: Namespace) -> Streams:
    """The segments that ``--origlang`` and ``--subset`` ask for.

    Args:
        streams: Systems and references of the whole of the test sets.
        options: Those of the command line.

    Raises:
        UserError: sacreBLEU does not know these subsets, or no segment is left.
    """
    import numpy as np

    with peer_calls(options, f"read the subsets of test set {options.test_set}"):
        # Given numbers instead of segments, the function keeps the numbers of the segments that are wanted.
        (kept,) = _utils().filter_subset(
            [count()], options.test_set, options.language_pair, options.origlang, options.subset
        )
    if not kept:
        wanted = (("--origlang", options.origlang), ("--subset", options.subset))
        named = " and ".join(f"{option} {value}" for option, value in wanted if value is not None)
        raise UserError(f"test set {options.test_set!r} has no segment with {named}")
    name, lines = streams[0]
    if kept[-1] >= len(lines):
        raise UserError(
            f"{name} has {len(lines)} lines, fewer than there are documents for in {options.test_set}"
        )
    numbers = np.array(kept, dtype=np.int64)
    return [(name, column.take(numbers)) for name, column in streams]


def print_subsets(
    metrics: dict[str, AnyMetric], options: Namespace, system: TextColumn, references: Streams
) -> None:
    """Print the score of each subset of the test sets, as ``--detail`` asks for.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: It cannot find the subsets.
    """
    if options.test_set is None:
        print_text("No subset information found. Consider using --origlang argument.")
        return
    utils = _utils()
    utils.Color.ENABLE_COLORS = shows_colours(options)
    with peer_calls(options, f"score the subsets of test set {options.test_set}"):
        utils.print_subset_results(
            {name: getattr(metric, "metric", metric) for name, metric in metrics.items()},
            list(system),
            [list(column) for _, column in references],
            Namespace(**vars(options), langpair=options.language_pair),
        )


def _download(options: Namespace) -> None:
    """Download a test set: of one language pair, or of all."""
    for pair in _pairs(options.download, options):
        with peer_calls(options, f"download test set {options.download}"):
            _utils().download_test_set(options.download, pair)


def _list(options: Namespace) -> None:
    """Print the names of test sets, or the fields of one."""
    if options.test_set is not None:
        for pair in _pairs(options.test_set, options):
            with peer_calls(options, f"list the fields of test set {options.test_set}"):
                print_text(f"{pair}: {', '.join(_known(options.test_set).fieldnames(pair))}")
        return
    if options.language_pair is None:
        names, wanted = _utils().get_available_testsets(), ""
    else:
        names = _utils().get_available_testsets_for_langpair(options.language_pair)
        wanted = f" for {options.language_pair}"
    print_text(f"The available test sets{wanted} are:")
    for name in sorted(names):
        print_text(f"{name:<30}: {_known(name).description.strip()}")


def _cite(options: Namespace) -> None:
    """Print the BibTeX entries of test sets."""
    for name in _names(options):
        citation = _known(name).citation
        if citation:
            print_text(citation)
        else:
            say(PROGRAM, f"No citation found for {name}")


def _names(options: Namespace) -> list[str]:
    names: list[str] = options.test_set.split(",")
    return names


def _known(name: str) -> Any:
    """A test set.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: It does not have the test set.
    """
    found = peer_module("dataset", _PURPOSE).DATASETS.get(name)
    if found is None:
        raise UserError(f"unknown test set {name!r}; --list names all of them")
    return found


def _check_pair(options: Namespace) -> None:
    """Refuse test sets that sacreBLEU does not have, or not for the pair of languages."""
    for name in _names(options):
        _pairs(name, options)


def _pairs(name: str, options: Namespace) -> list[str]:
    """The pair of languages that is asked for, or all that a test set has."""
    pairs = list(_known(name).langpairs)
    if options.language_pair is None:
        return pairs
    if options.language_pair not in pairs:
        raise UserError(
            f"test set {name!r} has no language pair {options.language_pair!r}, only {', '.join(pairs)}"
        )
    return [options.language_pair]


def _utils() -> Any:
    return peer_module("utils", _PURPOSE)
