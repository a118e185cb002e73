"""chrF and TER: sacreBLEU's own metrics over the references of a command line."""

from __future__ import annotations

from .calls import peer_calls, peer_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from ...inputs._text import TextColumn
    from ...scoring.score import BLEUScore


class PeerWithReferences:
    """A metric of sacreBLEU over the references of a command line.

    Args:
        name: "chrf" or "ter".
        options: Those that begin with this name are the metric's.
        references: The streams.

    Attributes:
        metric: sacreBLEU's object.

    Raises:
        UserError: sacreBLEU is not installed, or refuses an option.
    """

    def __init__(self, name: str, options: Namespace, references: list[TextColumn]) -> None:
        self._options = options
        self._references = [list(column) for column in references]
        self._name = name.upper()
        self._task = f"compute {name}"
        kind = getattr(peer_module(f"metrics.{name}", f"the metric {name}"), self._name)
        own = {
            option.removeprefix(f"{name}_"): value
            for option, value in vars(options).items()
            if option.startswith(f"{name}_")
        }
        with self._calls():
            self.metric = kind(**own, references=self._references)

    def score(self, system: TextColumn, n_bootstrap: int = 1) -> BLEUScore:
        """Scores a system; sacreBLEU's scores have what is used of a `BLEUScore`."""
        with self._calls():
            score: BLEUScore = self.metric.corpus_score(list(system), None, n_bootstrap=n_bootstrap)
        return score

    def sentences(self, system: TextColumn) -> Iterator[BLEUScore]:
        """Scores each segment of a system by itself."""
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
        significance = peer_module("significance", self._task)
        with self._calls():
            paired = significance.PairedTest(
                systems, {self._name: self.metric}, None, test_type=test, n_samples=number, n_jobs=jobs
            )
            signatures, columns = paired()
        ((name, signature),) = signatures.items()
        return name, columns[name], signature

    def _calls(self) -> AbstractContextManager[None]:
        return peer_calls(self._options, self._task)
