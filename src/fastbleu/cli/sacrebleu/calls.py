"""The installed sacreBLEU, for what only it has: its modules and metrics, what it logs, and its errors in one line."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib import import_module

from ...system.extras import imports_of
from ..bleu.options import PROGRAM
from ..chrf_options import options_of
from ..common import UserError, reason, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from ...inputs._text import TextColumn
    from ...scoring.score import Score
    from ..bleu.text import Streams

_PEER = "sacrebleu"


def peer_module(name: str, purpose: str) -> Any:
    """Import a module of sacreBLEU.

    Args:
        name: The module's name in the package, such as "utils".
        purpose: What needs it, for the message.

    Raises:
        ImportError: sacreBLEU is not installed.
    """
    with imports_of("sacrebleu", purpose):
        return import_module(f"{_PEER}.{name}")


@contextmanager
def peer_calls(options: Namespace, task: str) -> Iterator[None]:
    """Calls of sacreBLEU's functions: what they log is said, and how they fail is one error.

    They log several lines and exit, or raise what escapes as a traceback in its own command line.

    Args:
        options: Whether to be quiet.
        task: What they do, for the message: "cannot ...".

    Raises:
        UserError: One of them failed.
    """
    handler = _Handler(options.quiet)
    logger = logging.getLogger(_PEER)
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    except SystemExit as error:
        raise UserError("; ".join(handler.errors) or f"cannot {task}") from error
    except (BrokenPipeError, UserError):
        raise
    except Exception as error:
        raise UserError(f"cannot {task}: {_what(error)}") from error
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]


class _Handler(logging.Handler):
    """Says what is logged, and keeps errors for the one that is raised."""

    def __init__(self, quiet: bool) -> None:
        super().__init__()
        self.errors: list[str] = []
        self._quiet = quiet

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage().rstrip()
        if record.levelno >= logging.ERROR:
            self.errors.append(message.strip().rstrip("."))
        elif record.levelno >= logging.WARNING or not self._quiet:
            say(PROGRAM, message)


def _what(error: Exception) -> str:
    """Describe an error, with its kind where its message alone says too little, as a KeyError's does."""
    # urllib's error for a server that cannot be reached has the reason in an attribute, and no strerror.
    inner = getattr(error, "reason", None)
    if isinstance(inner, Exception):
        return f"its server cannot be reached: {reason(inner)}"
    is_plain = type(error) is Exception or isinstance(error, (OSError, ValueError, ImportError))
    return reason(error) if is_plain else f"{type(error).__name__}: {error}"


class TERWithReferences:
    """TER of sacreBLEU over the references of a command line.

    Args:
        options: Those that begin with "ter" are the metric's.
        references: The streams.

    Attributes:
        metric: sacreBLEU's object.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: It refuses an option.
    """

    def __init__(self, options: Namespace, references: list[TextColumn]) -> None:
        self._options = options
        self._references = [list(column) for column in references]
        with self._calls():
            self.metric = peer_module("metrics.ter", "the metric ter").TER(
                **options_of("ter", options), references=self._references
            )

    def get_signature(self) -> Any:
        """Return the signature of the latest score."""
        return self.metric.get_signature()

    def scores(
        self, systems: Streams, n_bootstrap: int, advance: Callable[[int], object]
    ) -> list[tuple[str, Score, Any]]:
        """Score systems; sacreBLEU's scores have what is used of ours.

        Args:
            systems: The name and the lines of each.
            n_bootstrap: How many resamples an interval is made of, 1 for none.
            advance: Called with how many more lines have been scored.

        Returns:
            The name of each system, its score, and the signature.
        """
        found = []
        for name, column in systems:
            with self._calls():
                score: Score = self.metric.corpus_score(list(column), None, n_bootstrap=n_bootstrap)
            found.append((name, score, self.get_signature()))
            advance(len(column))
        return found

    def iterate_scores(self, system: TextColumn, _: list[TextColumn]) -> Iterator[Score]:
        """Score each segment of a system by itself."""
        for hypothesis, *references in zip(system, *self._references, strict=True):
            with self._calls():
                score = self.metric.sentence_score(hypothesis, references)
            yield score

    def paired_test(
        self, systems: list[tuple[str, list[Any]]], test: str, number: int, jobs: int
    ) -> tuple[str, list[Any], Any]:
        """Tests systems against the first one.

        Args:
            systems: The name and the lines of each.
            test: "ar" for approximate randomization, "bs" for the paired bootstrap.
            number: How many trials or resamples.
            jobs: How many processes work at the same time.

        Returns:
            What the metric is called, sacreBLEU's results of the systems, and the signature.
        """
        significance = peer_module("significance", "the metric ter")
        with self._calls():
            paired = significance.PairedTest(
                systems, {"TER": self.metric}, None, test_type=test, n_samples=number, n_jobs=jobs
            )
            signatures, columns = paired()
        ((name, signature),) = signatures.items()
        return name, columns[name], signature

    def _calls(self) -> AbstractContextManager[None]:
        return peer_calls(self._options, "compute ter")
