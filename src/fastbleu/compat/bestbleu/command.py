"""The command line: files read in step, candidates scored block by block, the best of each source written."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from itertools import pairwise

from ...inputs.files import Input
from ...inputs.text_files import LineReader, UniversalLines
from ...metric import BLEU
from ...metric.chrf import CHRF
from ...rerank.nbest._fields import join_lines
from ...rerank.nbest.blocks import Reader
from ...rerank.nbest.output import Output, Part
from ...rerank.ranking import first_largest
from ...scoring.nmt import sentence_scores
from ...system.threads import for_each
from .lists import MarianLists, TabLists, joined_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn
    from ...rerank.nbest.blocks import Block, Form

    #: Scores each candidate of some sources against the reference of its source.
    Score: TypeAlias = Callable[[Block, TextColumn], NDArray[float64]]
    #: The candidates of some sources, and their references.
    Job: TypeAlias = tuple[Block, TextColumn]

#: What Python ends with after an exception, and argparse after a wrong option or a file that it cannot open.
_FAILED, _MISUSED = 1, 2

#: The script says so after this many sources.
_TOLD_EVERY = 100_000

_FORMS: dict[str, Callable[[], Form]] = {"marian": MarianLists, "t2t": TabLists}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script.

    Args:
        arguments: Its arguments; None: those of the process.

    Returns:
        The exit code: 0, 1 for input that cannot be scored, 2 for a file that cannot be opened.

    Raises:
        SystemExit: An option is unknown or wrong, or help was asked for.
    """
    options = _parser().parse_args(arguments)
    score = _score_function(options)
    if score is None:
        _say(f"Unrecognized metric: {options.metric}")
        return _FAILED
    if any(_is_same_file(path, options.output) for path in (options.nbest, options.references)):
        _say(f"bestbleu: error: argument -o/--output: {options.output} is an input file too")
        return _MISUSED
    with ExitStack() as stack:
        try:
            nbest, references = (
                stack.enter_context(Input(None if path == "-" else path))
                for path in (options.nbest, options.references)
            )
            output = stack.enter_context(
                Output(None if options.output == "-" else options.output, as_they_come=True)
            )
        except OSError as error:
            _say(f"bestbleu: error: can't open {error.filename!r}: {error}")
            return _MISUSED
        if options.toolkit not in _FORMS:
            _say(f"WARNING: there is no toolkit {options.toolkit!r}, so nothing is written")
            return 0
        reader = Reader(UniversalLines(nbest), _FORMS[options.toolkit]())
        # A byte order mark is a character of the first line for the script.
        lines = LineReader(UniversalLines(references), may_have_mark=True)
        try:
            _run(options, score, reader, lines, output)
        except BrokenPipeError:
            # Python would complain once more when it closes standard output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _FAILED
        except (OSError, ValueError) as error:
            _say(f"bestbleu: error: {error}")
            return _FAILED
    return 0


def _is_same_file(path: str, output: str) -> bool:
    """Return whether the output, if it is not a standard output, is what is read; "-" is standard input."""
    try:
        return output != "-" and os.path.samestat(
            os.fstat(0) if path == "-" else os.stat(path), os.stat(output)
        )
    except OSError:
        return False


def _run(options: Namespace, score: Score, reader: Reader, lines: LineReader, output: Output) -> None:
    """Writes the best candidate of each source.

    Raises:
        OSError: A file cannot be read or written.
        ValueError: A line cannot be read, or a source has no candidates.
    """

    def choose(job: Job) -> tuple[int, bytes, list[list[float]]]:
        pools, references = reader.parse(job[0]), job[1]
        if options.debpe:
            pools.texts, references = map(joined_pieces, (pools.texts, references))
        try:
            scores = score(pools, references)
        except _EmptyReferenceError as error:
            raise ValueError(
                f"{lines.name}: line {pools.ordinals[error.number] + 1}: expected a reference, found none"
            ) from None
        best = pools.bounds[:-1] + first_largest(scores, pools.bounds)
        shown = (
            [scores[start:stop].tolist() for start, stop in pairwise(pools.bounds.tolist())]
            if options.debug
            else []
        )
        return pools.stop, join_lines(pools.texts, best, None, b"", 0), shown

    written = 0

    def write(found: tuple[int, bytes, list[list[float]]]) -> None:
        nonlocal written
        stop, data, shown = found
        output.write(Part(data, 0))
        said = [(i, f"{i}: {scores}\n") for i, scores in enumerate(shown, written)]
        told = range(max(_TOLD_EVERY, -(-written // _TOLD_EVERY) * _TOLD_EVERY), stop, _TOLD_EVERY)
        said += [(i, f"[{i}]\n") for i in told]
        sys.stderr.write("".join(text for _, text in sorted(said, key=lambda each: each[0])))
        written = stop

    for_each(_jobs(reader, lines), choose, write, options.threads, ordered=True)
    if _has_more(reader):
        _say(f"WARNING: {reader.name} has candidates of more sources than {lines.name} has lines")


def _jobs(reader: Reader, lines: LineReader) -> Iterator[Job]:
    """Sources with their references, as many as there are references."""
    while (after := lines.ready()) is not None:
        stop = reader.ready()
        if stop is None:
            problem = f"expected candidates of source {lines.taken}, found none, but a reference"
            raise ValueError(f"{reader.name}: {problem}")
        stop = min(after, stop)
        yield reader.take(stop), lines.take(stop)


def _has_more(reader: Reader) -> bool:
    """Return whether there is anything after what has been taken."""
    try:
        return reader.ready() is not None
    except ValueError:
        return True


# Scores


class _EmptyReferenceError(ValueError):
    """A reference has no tokens, where the script divides by 0.

    Attributes:
        number: Which of the references.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"reference {number} is empty")
        self.number = number


def _score_function(options: Namespace) -> Score | None:
    """The score of this name, if there is one."""
    if options.metric == "bleu":
        return _word_bleu(not options.copyrate)
    if options.metric == "sacrebleu":
        # No advice for each block that candidates look tokenized.
        return _score_by(BLEU(effective_order=True, force=True))
    return _score_by(CHRF()) if options.metric == "chrf" else None


def _statistics(metric: BLEU | CHRF, pools: Block, references: TextColumn) -> NDArray[int64]:
    """Counts each candidate against the reference of its source."""
    import numpy as np

    numbers = np.repeat(np.arange(len(pools)), np.diff(pools.bounds))
    return metric.statistics(pools.texts, metric.prepare([references])[numbers])


def _word_bleu(has_penalty: bool) -> Score:
    metric = BLEU(tokenize="none", effective_order=True)

    def score(pools: Block, references: TextColumn) -> NDArray[float64]:
        rows = _statistics(metric, pools, references)
        if has_penalty and not rows[:, 1].all():
            candidate = int((rows[:, 1] == 0).argmax())
            raise _EmptyReferenceError(int(pools.bounds.searchsorted(candidate, side="right")) - 1)
        return sentence_scores(rows, has_penalty)

    return score


def _score_by(metric: BLEU | CHRF) -> Score:
    return lambda pools, references: metric.formula.score_rows(_statistics(metric, pools, references))


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")


def _parser() -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m fastbleu.compat.bestbleu",
        description="Write the candidate of each source that is closest to its reference.",
    )
    parser.add_argument("-i", "--nbest", default="-", help="the n-best lists (default: standard input)")
    parser.add_argument("-r", "--references", required=True, help="a line for each source")
    parser.add_argument("-o", "--output", default="-", help="file to write to (default: standard output)")
    parser.add_argument("-m", "--metric", default="bleu", help="'bleu', 'sacrebleu' or 'chrf'")
    parser.add_argument("--debpe", action="store_true", help="undo byte-pair encoding with @@ first")
    parser.add_argument("-d", "--debug", action="store_true", help="write scores to standard error")
    parser.add_argument(
        "-c", "--copyrate", action="store_true", help="no brevity penalty, for the metric bleu"
    )
    parser.add_argument("-t", "--toolkit", default="marian", help="Toolkit: 'marian' or 't2t'")
    parser.add_argument("--threads", type=int, default=1, help="how many threads may score (default: 1)")
    return parser
