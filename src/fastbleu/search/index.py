"""An index of texts, and the texts of it that are nearest to queries."""

from __future__ import annotations

import os
import threading
from array import array
from typing import NamedTuple

from ..errors import wrong_value
from ..inputs.files import COMPRESSED, Input
from ..metric.checks import as_bleu
from ..options import DIRECTIONS, check_choice, check_flag, check_integer, check_number
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..scoring.nltk.formula import NLTKFormula
from ..system.progress import progress_bar
from ..system.saving import replacing
from ..system.threads import chunk_size, for_each_chunk
from ._searcher import Searcher
from .parts import part_of, texts_of
from .saved import pieces_of, read_index
from .texts import Tokens, new_seeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from numpy import float64, int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..inputs._column import Memory
    from ..metric import BLEU, AnySegments
    from ..options import Direction, FormulaName, NLTKSmoothing
    from ..scoring.formula import Formula
    from ._lists import Part
    from ._vocabulary import NumberedTexts

    Result = TypeVar("Result")

#: Numbers in the result of a chunk of queries, as `chunk_size` counts them for each query.
_WIDTH = 256


class Found(NamedTuple):
    """The texts found for each query, best first.

    Attributes:
        indices: int64 [queries, k]: their places among the texts of the index; -1 where there are fewer.
        scores: float64 [queries, k]: their scores, 0..100 (by NLTK's formula 0..1); NaN there.
    """

    indices: NDArray[int64]
    scores: NDArray[float64]


class Index:
    """Texts in which those that score highest with a query are found without scoring the others.

    It has for each token and each pair of neighbouring tokens a list of the texts that have it, and the tokens of each
    text as numbers: about 14 bytes for a token, and up to 60 for each distinct token; 2.6 times English text. Several
    threads may search at the same time, also while another one adds texts: a search finds those that were there when it
    began.

    Args:
        texts: Text, tokens, or token ids. There may be none.
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used.
        threads: How many threads one call uses; None: as many as the metric has.
        progress: Whether to show a progress bar on standard error while the texts are read.

    Attributes:
        metric: The options.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a segment; says where.
        ValueError: The options do not take tokens.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> index = Index(["the cat sat", "a dog ran away", "the cat sat down"])
        >>> found = index.nearest(["the cat sat up"], k=2)
        >>> found.indices.tolist(), found.scores.round(2).tolist()
        ([[0, 2]], [[59.46, 59.46]])
    """

    metric: BLEU

    def __init__(
        self,
        texts: AnySegments,
        metric: BLEU | None = None,
        *,
        threads: int | None = None,
        progress: bool = False,
    ) -> None:
        self.metric = as_bleu(metric, warn=False)
        self._tokens = Tokens(self.metric)
        self._parts: list[Part] = []
        self._seeds: tuple[int, ...] = new_seeds()
        self._threads = as_threads(threads, self.metric)
        self._lock = threading.Lock()
        self.add(texts, progress=progress)

    def __len__(self) -> int:
        """Return how many texts there are."""
        return sum(part.texts for part in self._parts)

    def __repr__(self) -> str:
        return f"<Index of {len(self)} texts, {self._tokens.vocabulary.tokens} distinct tokens>"

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the index takes; those in a file are counted, too."""
        of_parts: int = sum(array.nbytes for part in self._parts for array in part.arrays)
        return of_parts + self._tokens.vocabulary.nbytes

    def add(self, texts: AnySegments, *, progress: bool = False) -> None:
        """Add texts, whose places go on from those that are there.

        Each call makes a part of its own, and parts of about the same size become one: adding one text at a time takes
        a few times as long as adding all at once.

        Args:
            texts: Texts of the same kind (str, tokens or ids) as those in the index.
            progress: Whether to show a progress bar on standard error.

        Raises:
            TypeError, ValueError, ImportError: As for the index. It stays as it was.
        """
        import numpy as np

        column = self._tokens.column(texts, "texts")
        with (
            progress_bar(len(column), " texts", check_flag("progress", progress)) as bar,
            self._lock,
        ):
            numbered = self._tokens.number_all(column, bar.update)
            if not numbered.texts:
                return
            self._tokens.kind = column.kind
            found, parts = numbered.arrays(), list(self._parts)
            while parts and len(found[0]) + len(found[1]) >= (parts[-1].tokens + parts[-1].texts) // 2:
                numbers, lengths, names = texts_of(parts[-1])
                if len(numbers) + len(found[0]) >= _MOST_TOKENS:
                    break
                names = np.append(names, found[2] + len(names))
                found = np.append(numbers, found[0]), np.append(lengths, found[1]), names
                parts.pop()
            self._parts = [*parts, part_of(found, self._seeds)]

    def nearest(
        self,
        queries: AnySegments,
        k: int = 5,
        at_least: float = 0.0,
        direction: Direction = "query-as-hypothesis",
        *,
        formula: FormulaName = "sacrebleu",
        smoothing: NLTKSmoothing | None = None,
        threads: int | None = None,
        progress: bool = False,
    ) -> Found:
        """Find the k texts that score highest with each query.

        The result is that of scoring all texts. What it costs depends on how high the scores are: a text that scores as
        high as the k-th best must share at least one of the rarest tokens or pairs of a query, and only their lists are
        read, the rarest first.
        Where `at_least` is 0 and fewer than k texts share a token with a query, all texts are scored; also where two
        texts without a common token may score above `at_least` (smoothing methods that add to order 1). With more than
        8 orders, with NLTK's methods 5 to 7, and with a value for "floor" that is infinite there is no bound, and each
        query is scored with all texts.

        Args:
            queries: Q >= 0 segments of the kind of the texts.
            k: How many texts are wanted for each query, at least 1.
            at_least: Texts that score less are left out.
            direction: "query-as-hypothesis": a text is the only reference of the query; "query-as-reference": the other
                way round; "max", "mean", "min",
                "harmonic-mean": that of both scores.
            formula: "sacrebleu" or "nltk", as for `rerank.pairwise`.
            smoothing: How NLTK's formula smooths, as there; "method0" gives no warning here.
            threads: How many threads may search at the same time; None: as many as the index was made with.
            progress: Whether to show a progress bar on standard error.

        Returns:
            The texts' places and their scores, which are those of `rerank.pairwise`. Of equal scores the text with the
            lower place comes first.

        Raises:
            TypeError: Something is not a segment, or queries are of another kind than the texts.
            ValueError: `k` is below 1, `at_least` outside 0..100 (0..1 by NLTK's formula), or NaN; there is no such
                direction, formula or smoothing; "method6" as in `rerank.pairwise`; the file of the index is damaged.
            ImportError: `progress` is True, and tqdm is not installed.
        """
        import numpy as np

        metric, scoring = bleu_and_formula(self.metric, formula, smoothing, warn=False)
        k = check_integer("k", k, 1)
        at_least = check_score("at_least", at_least, scoring)
        check_choice("direction", direction, DIRECTIONS)
        threads = self._threads if threads is None else as_threads(threads, metric)
        column = self._tokens.column(queries, "queries")
        with self._lock:
            parts, vocabulary = self._parts, self._tokens.vocabulary.tokens
        number = len(column)
        found = Found(np.empty((number, k), dtype=np.int64), np.empty((number, k)))
        read_some = self._tokens.reader(column, False)
        searchers = Searchers(scoring, vocabulary, direction)

        def read(start: int, stop: int) -> tuple[NumberedTexts, int]:
            with self._lock:
                return read_some(start, stop)

        def work(texts: NumberedTexts, start: int, stop: int) -> tuple[int]:
            best = found.indices[start:stop], found.scores[start:stop]
            searchers.use(lambda searcher: searcher.find_best(texts, parts, at_least, *best))
            return (stop - start,)

        with progress_bar(number, " queries", check_flag("progress", progress)) as bar:
            step = chunk_size(number, _WIDTH, threads)
            for_each_chunk(read, work, bar.update, 0, number, step, threads, failed=searchers.stop)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, which is either written as a whole or left as it was.

        Raises:
            OSError: The file cannot be written.
            ValueError: Tokens that are neither str nor int cannot be written; or the name is that of a compressed file.
        """
        name = os.fspath(path)
        if str(name).endswith(COMPRESSED):
            raise ValueError(
                f"path is {name!r}, but an index is not compressed: its file is mapped; choose another name"
            )
        data = self._pieces()
        with replacing(path) as file:
            for piece in data:
                file.write(piece)

    def _pieces(self) -> list[bytes | memoryview]:
        """The bytes of the index's file; the arrays of its parts are not copied."""
        with self._lock:
            return list(pieces_of(self.metric, self._tokens, self._parts, self._seeds))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (b"".join(self._pieces()), self.metric, self._threads)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        metric: BLEU | None = None,
        *,
        threads: int | None = None,
        verify: bool = False,
    ) -> Self:
        """Open an index that was saved. Its lists and texts stay in the file, which is mapped into memory.

        All numbers are checked once, and a file with numbers that cannot be right is refused. Other changes of lists
        and texts would lead to other results: `verify=True` compares the file with its checksum, and refuses it if
        anything was changed.

        Args:
            path: The file; it must stay as it is while the index is used.
            metric: The options that it was made with; None: they are made of what the file says. A metric with a
                callable for a tokenizer, or one of a model, must be given.
            threads: How many threads may search at the same time; None: as many as the metric has.
            verify: Whether to compare the whole file with its checksum.

        Raises:
            OSError: The file cannot be read.
            TypeError: `metric` is not a BLEU, or `verify` not a bool.
            ValueError: It is not an index, one of another version or byte order, cut short or, as far as is noticed,
                changed, or made with other options than those of `metric`.
        """
        metric = None if metric is None else as_bleu(metric, False)
        verify = check_flag("verify", verify)
        with Input(os.fspath(path)) as file:
            return cls._of_bytes(file.hold_all(), file.name, metric, threads, verify)

    @classmethod
    def _of_bytes(
        cls, held: bytes | Memory, name: str, metric: BLEU | None, threads: int | None, verify: bool
    ) -> Self:
        metric, tokens, parts, seeds = read_index(held, name, metric, verify)
        index = cls([], metric, threads=threads)
        index._tokens, index._parts, index._seeds = tokens, parts, seeds
        return index


def _unpickled(data: bytes, metric: BLEU, threads: int) -> Index:
    return Index._of_bytes(data, "a pickled index", metric, threads, False)


class Searchers:
    """Makes the searchers of one call, and keeps those that no thread uses.

    Args:
        formula: The formula that scores pairs.
        vocabulary: How many tokens have numbers.
        direction: Which of two texts is the hypothesis, or how both scores become one.
    """

    def __init__(self, formula: Formula | NLTKFormula, vocabulary: int, direction: Direction) -> None:
        self._stopped = array("q", [0])
        self._options = formula.compiled, vocabulary, DIRECTIONS.index(direction), self._stopped
        self._free: list[Searcher] = []

    def use(self, search: Callable[[Searcher], Result]) -> Result:
        """Call a function with a searcher. One that fails is not used again."""
        try:
            searcher = self._free.pop()
        except IndexError:
            searcher = Searcher(*self._options)
        result = search(searcher)
        self._free.append(searcher)
        return result

    def stop(self) -> None:
        """End the searches of all threads."""
        self._stopped[0] = 1


#: Tokens of a part, at most: places have 32 bits.
_MOST_TOKENS = (1 << 31) - 1


def check_score(name: str, value: object, formula: Formula | NLTKFormula) -> float:
    """Check a score that texts must reach.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not within the scale of the formula.
    """
    most = 1 if isinstance(formula, NLTKFormula) else 100
    score = check_number(name, value)
    if not 0 <= score <= most:
        raise wrong_value(name, f"a score of 0..{most}", value)
    return score
