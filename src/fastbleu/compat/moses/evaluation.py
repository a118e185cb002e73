"""mteval-v13a.pl and mteval-v14.pl: BLEU and NIST of systems, documents and segments."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import reduce
from math import exp, log
from operator import add

from ...counting.corpus import read_corpus
from ...counting.matcher import Matcher
from ...errors import wrong_value
from ...tokenizers.names import get_tokenizer
from .nist import NgramInformation, nist_scores
from .rules import EMPTY_WORD, Rules
from .sets import MtevalSets
from .texts import show_separators

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from ...options import ReferenceLength
    from .sets import Documents

#: The longest n-grams that are counted. The scores are those of order 4 (BLEU) and 5 (NIST).
MAX_ORDER = 9
BLEU_ORDER, NIST_ORDER = 4, 5

#: In the order of the report.
METRICS = ("NIST", "BLEU")


@dataclass(frozen=True)
class MtevalScores:
    """The scores of a system, a document or a segment.

    Attributes:
        score: BLEU of the orders 1..4 (0..1), or NIST of the orders 1..5 (>= 0).
        individual: The score of each order 1..9 alone.
        cumulative: The score of the orders 1..n for each n of 1..9.
        words: Words of the translation.
        reference_length: For BLEU the sum of the reference lengths of the segments; for NIST words of all references.
    """

    score: float
    individual: tuple[float, ...]
    cumulative: tuple[float, ...]
    words: int
    reference_length: int


@dataclass(frozen=True)
class DocumentScores:
    """One document of one system.

    Attributes:
        scores: Its scores, by the metric's name, "BLEU" and "NIST".
        segments: The scores of each segment by its id, in the order of the script.
    """

    scores: dict[str, MtevalScores]
    segments: dict[str, dict[str, MtevalScores]]


@dataclass(frozen=True)
class SystemScores:
    """One system.

    Attributes:
        scores: Its scores, by the metric's name, "BLEU" and "NIST".
        documents: Those of each document by its id, in alphabetical order.
    """

    scores: dict[str, MtevalScores]
    documents: dict[str, DocumentScores]


def bleu_scores(row: Sequence[int], smoothing: bool = True) -> MtevalScores:
    """Compute mteval's BLEU from counts.

    Args:
        row: 20 counts: words of the translation, the reference's length, matched n-grams of the orders 1..9, n-grams of
            the translation of these orders.
        smoothing: Count half a match at the first order that has none, a quarter at the second, and so on.

    Example:
        >>> counts = [6, 6, 5, 3, 1, 0, 0, 0, 0, 0, 0, 6, 5, 4, 3, 2, 1, 0, 0, 0]
        >>> bleu_scores(counts).score, bleu_scores(counts, smoothing=False).score
        (0.37991784282579627, 0.0)
    """
    words, reference_length, *counts = row
    pairs = list(zip(counts[:MAX_ORDER], counts[MAX_ORDER:], strict=True))
    logarithm = min(0, 1 - reference_length / words) if words else 0
    individual, cumulative = [], []
    total, smooth = 0.0, 1
    # The order of the operations decides the last bit.
    for n, (matches, ngrams) in enumerate(pairs, 1):
        found = 0.0
        if matches:
            found = log(matches / ngrams)
        elif ngrams and smoothing:
            smooth *= 2
            found = log(1 / (smooth * ngrams))
        total += found
        if smoothing:
            individual.append(exp(found))
            cumulative.append(exp(total / n) * (exp(logarithm) if words else 0))
        else:
            individual.append(exp(found) if matches else 0.0)
            cumulative.append(exp(total / n + logarithm) if matches else 0.0)
    return MtevalScores(
        cumulative[BLEU_ORDER - 1], tuple(individual), tuple(cumulative), words, reference_length
    )


class Mteval:
    """An evaluation: the scores of each system, and what the script's report needs.

    Args:
        sets: The sources, the references and the translations.
        rules: The options.
        metrics: "NIST" and "BLEU", or one of them.

    Attributes:
        systems: The scores of each system by its name, in alphabetical order.
        sets, rules, metrics: The arguments.
    """

    def __init__(self, sets: MtevalSets, rules: Rules, metrics: tuple[str, ...]) -> None:
        self.sets, self.rules, self.metrics = sets, rules, metrics
        self._tokenizer = get_tokenizer("intl" if rules.international_tokenization else "13a")
        self._matcher = Matcher(
            self._tokenizer, max_ngram_order=MAX_ORDER, reference_length=rules.brevity_penalty
        )
        self._references = [
            {
                document: {segment: rules.prepared(text) for segment, text in segments.items()}
                for document, segments in documents.items()
            }
            for _, documents in sorted(sets.references.items())
        ]
        self._information: NgramInformation | None = None
        self.systems = {system: self._score(documents) for system, documents in sorted(sets.tests.items())}

    def __str__(self) -> str:
        from .reports import report

        return report(self)

    @property
    def information(self) -> NgramInformation:
        """The information of the n-grams of all references."""
        if self._information is None:
            texts = (
                text
                for documents in self._references
                for segments in documents.values()
                for text in segments.values()
            )
            self._information = NgramInformation(map(self._words, texts), MAX_ORDER)
        return self._information

    def words(self, system: str, document: str, segment: str) -> tuple[list[str], list[list[str]]]:
        """The words of a system's segment, and of each of its references."""
        return (
            self._words(self.rules.prepared(self.sets.tests[system][document][segment])),
            [self._words(documents[document].get(segment, "")) for documents in self._references],
        )

    def _words(self, prepared: str) -> list[str]:
        words = self._tokenizer(prepared).split(" ")
        if words == [""]:
            return []
        return [show_separators(word) if word != EMPTY_WORD else "" for word in words]

    def _score(self, system: Documents) -> SystemScores:
        order = _numeric if self.rules.version == "13a" else _natural
        pairs = [
            (document, segment)
            for document in sorted(self.sets.sources)
            for segment in sorted(system[document], key=order)
        ]
        hypotheses = [self.rules.prepared(system[document][segment]) for document, segment in pairs]
        streams = [
            [documents[document].get(segment) for document, segment in pairs]
            for documents in self._references
        ]
        missing = sum(stream.count(None) for stream in streams)
        if missing:
            warnings.warn(
                f"{missing} references have no segment of the translation's id, and count as empty ones",
                UserWarning,
                stacklevel=4,
            )
        references = [[text or "" for text in stream] for stream in streams]
        count: dict[str, Any] = {"NIST": self._count_nist, "BLEU": self._count_bleu}
        return self._grouped(
            pairs, {metric: count[metric](hypotheses, references) for metric in self.metrics}
        )

    def _count_bleu(self, hypotheses: list[str], references: list[list[str]]) -> list[list[int]]:
        corpus = read_corpus(self._matcher, hypotheses, references)
        rows = [row for row, _ in corpus.rows()]
        for i, hypothesis in enumerate(hypotheses):
            if hypothesis.startswith(EMPTY_WORD):
                # Where the empty word alone matches, it counts for no order.
                rows[i][2] -= any(stream[i].startswith(EMPTY_WORD) for stream in references)
        return rows

    def _count_nist(self, hypotheses: list[str], references: list[list[str]]) -> list[list[float]]:
        return [
            self.information.count(self._words(hypothesis), list(map(self._words, texts)))
            for hypothesis, *texts in zip(hypotheses, *references, strict=True)
        ]

    def _grouped(self, pairs: list[tuple[str, str]], counted: dict[str, list[Any]]) -> SystemScores:
        """The scores of segments, documents and the system, from the counts of segments."""
        documents = {document: DocumentScores({}, {}) for document, _ in pairs}
        scores = {}
        for metric, segments in counted.items():
            score = self._bleu if metric == "BLEU" else self._nist
            sums: dict[str, Any] = {}
            for (document, segment), counts in zip(pairs, segments, strict=True):
                documents[document].segments.setdefault(segment, {})[metric] = score(counts)
                sums[document] = _added(sums[document], counts) if document in sums else counts
            for document, counts in sums.items():
                documents[document].scores[metric] = score(counts)
            scores[metric] = score(reduce(_added, sums.values()))
        return SystemScores(scores, documents)

    def _bleu(self, row: list[int]) -> MtevalScores:
        return bleu_scores(row, self.rules.smoothing)

    def _nist(self, counts: list[Any]) -> MtevalScores:
        individual, cumulative = nist_scores(counts, len(self._references))
        return MtevalScores(
            cumulative[NIST_ORDER - 1], tuple(individual), tuple(cumulative), counts[MAX_ORDER], counts[-1]
        )


def _added(a: list[Any], b: list[Any]) -> list[Any]:
    return list(map(add, a, b))


def _numeric(segment: str) -> float:
    """The number that Perl sees in an id."""
    found = re.match(r"\s*([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)", segment)
    return float(found[1]) if found else 0.0


def _natural(segment: str) -> list[tuple[int, int, str]]:
    """Numbers in an id by their value, before letters."""
    parts = re.findall(r"(\d+)|(\D+)", segment)
    return [(0, int(digits), "") if digits else (1, 0, letters.lower()) for digits, letters in parts]


def mteval(
    reference_file: str | os.PathLike[str],
    source_file: str | os.PathLike[str],
    test_file: str | os.PathLike[str],
    *,
    version: str = "14",
    preserve_case: bool = False,
    international_tokenization: bool = False,
    split_non_ascii: bool = False,
    brevity_penalty: ReferenceLength = "closest",
    smoothing: bool = True,
    metrics: Sequence[str] = METRICS,
) -> Mteval:
    """Evaluate systems as mteval-v13a.pl or mteval-v14.pl does.

    Args:
        reference_file: The references (`-r`). A file named `.xml` is read as XML, any other as SGML.
        source_file: The sources (`-s`), which say what documents and how many segments there are.
        test_file: The translations of one or more systems (`-t`).
        version: "14" or "13a". Scores are the same; they differ in what they read and print, and in one rule for line
            breaks in the international tokenization.
        preserve_case: Whether case matters (`-c`). By default text is lowercased: its ASCII letters, or with the
            international tokenization all letters.
        international_tokenization: Tokenize by Unicode's categories of characters.
        split_non_ascii: Make each character beyond ASCII a word, in the international tokenization (`-e`).
        brevity_penalty: Whose length is a segment's reference length: the "closest" or the "shortest" reference's.
        smoothing: Whether BLEU is smoothed where an order has no match; False is `--no-smoothing`.
        metrics: "NIST" and "BLEU" (default), or one of them (`-n`, `-b`).

    Returns:
        The evaluation. `systems[name].scores["BLEU"].score` is a system's BLEU, 0..1; `print` shows the script's
        report, and `fastbleu.compat.moses.report` one with more detail.

    Raises:
        OSError: A file cannot be read.
        TypeError: A flag is not a bool.
        ValueError: A file is not valid or lacks something, the files do not fit each other, there are no words to
            score, or an option has no such value.

    Example:
        >>> import os, tempfile
        >>> def write(name, attributes, text):
        ...     path = os.path.join(folder, name)
        ...     with open(path, "w") as file:
        ...         tag = name.split(".")[0]
        ...         _ = file.write(f'<{tag} setid="s" srclang="de" trglang="en"><doc docid="d" {attributes}>')
        ...         _ = file.write(f'<seg id="1">{text}</seg></doc></{tag}>')
        ...     return path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source = write("srcset.sgm", "", "Es regnete den ganzen Tag.")
        ...     reference = write("refset.sgm", 'sysid="ref"', "It rained all day.")
        ...     test = write("tstset.sgm", 'sysid="ours"', "It rained all the day.")
        ...     evaluation = mteval(reference, source, test)
        >>> scores = evaluation.systems["ours"].scores
        >>> round(scores["BLEU"].score, 4), round(scores["NIST"].score, 4)
        (0.3799, 1.9349)
    """
    chosen = tuple(metric for metric in METRICS if metric in set(metrics))
    if not chosen or isinstance(metrics, str) or set(metrics) != set(chosen):
        raise wrong_value("metrics", "some of NIST and BLEU", metrics)
    rules = Rules(
        version, preserve_case, international_tokenization, split_non_ascii, brevity_penalty, smoothing
    )
    sets = MtevalSets(version)
    sets.read(reference_file, source_file, test_file)
    return Mteval(sets, rules, chosen)
