"""Count chrF's statistics as sacreBLEU does, for the metrics of `compat.sacrebleu` and those of a patched sacreBLEU."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from string import punctuation as all_punctuation

from ..counting.chrf_matcher import ChrfMatcher
from ..errors import ArgumentValueError
from ..inputs.reading import REFERENCES
from ..options import check_order
from .sacrebleu_statistics import ReferenceCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from ..counting.matcher import Matcher

#: The methods that sacreBLEU's `CHRF` calls to compute a score from text. A program may have changed them.
#: Counting in one pass skips some of them, so it is allowed only if all are unchanged.
CHRF_METHODS = (
    "_aggregate_and_compute",
    "_cache_references",
    "_check_corpus_score_args",
    "_check_sentence_score_args",
    "_compute_f_score",
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_corpus_statistics",
    "_extract_reference_info",
    "_get_match_statistics",
    "_preprocess_segment",
    "_remove_punctuation",
)

#: The characters that are separated from the end or the beginning of a word.
PUNCTUATION = frozenset(all_punctuation)

#: The largest beta for which a corpus is counted in one pass. Up to it, beta^2 and beta^2 + 1 are exact as floats.
_LARGEST_BETA = 1 << 20


@lru_cache(64)
def _cached_matcher(
    char_order: int, word_order: int, whitespace: bool, lowercase: bool, beta: float, eps_smoothing: bool
) -> ChrfMatcher:
    check_order("char_order", char_order, 0)
    check_order("word_order", word_order, 0)
    return ChrfMatcher(char_order, word_order, whitespace, lowercase, beta, eps_smoothing, 1)


def chrf_matcher_of(metric: Any) -> ChrfMatcher:
    """Return the matcher for the current attributes of a metric.

    Args:
        metric: An object with sacreBLEU's attributes.

    Raises:
        TypeError, ValueError: An attribute has a value that the matcher does not support, so the metric's methods must
            count the segments.
    """
    characters, words, beta = metric.char_order, metric.word_order, metric.beta
    if not (
        type(characters) is type(words) is int
        and metric.order == characters + words > 0
        and type(beta) in (int, float)
        and abs(beta) <= _LARGEST_BETA
        and (not words or metric._PUNCTS == PUNCTUATION)
        and metric._force
    ):
        raise ArgumentValueError("metric", "has attributes with values that sacreBLEU's CHRF does not set")
    return _cached_matcher(
        characters, words, bool(metric.whitespace), bool(metric.lowercase), beta, bool(metric.eps_smoothing)
    )


class ChrfReferenceCache(ReferenceCache):
    """The cache of references of a chrF metric."""

    OPTIONS = ("char_order", "word_order", "whitespace", "lowercase")

    def prepared_for(self, matcher: Matcher) -> Any:
        """Return the prepared references for a matcher; None if a program has accessed the cache's dictionaries.

        Raises:
            ValueError: The matcher has other orders or text options than the metric had when it cached the references.
        """
        if not isinstance(matcher, ChrfMatcher) or matcher.text_options != self._text_options:
            raise ArgumentValueError(REFERENCES, "were cached with other options")
        return self.prepared

    def _prepare(self) -> Any:
        options = self._metric
        flags = bool(options.whitespace), bool(options.lowercase)
        self._text_options: tuple[int, int, bool, bool] = (options.char_order, options.word_order, *flags)
        return _cached_matcher(*self._text_options, 2, False).prepare_segments(self._lines)

    def _is_picklable(self) -> bool:
        return True

    def _infos(self) -> Iterator[dict[str, Any]]:
        characters, words, whitespace, lowercase = self._text_options
        for lines in self._lines:
            yield {
                "ref_ngrams": [
                    ngrams_of(line.lower() if lowercase else line, characters, words, whitespace)
                    for line in lines
                ]
            }


def extract_all_char_ngrams(
    line: str, max_order: int, include_whitespace: bool = False
) -> list[Counter[str]]:
    """Count the character n-grams of a line.

    Args:
        line: The text.
        max_order: The largest order.
        include_whitespace: Count white space as characters.

    Returns:
        The counts of the n-grams of each order, from 1 on.

    Example:
        >>> extract_all_char_ngrams("a ba", 2)
        [Counter({'a': 2, 'b': 1}), Counter({'ab': 1, 'ba': 1})]
    """
    if not include_whitespace:
        line = "".join(line.split())
    return [Counter([line[i : i + n] for i in range(len(line) - n + 1)]) for n in range(1, max_order + 1)]


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Count the word n-grams of order `n`. The words of an n-gram are joined by spaces.

    Example:
        >>> extract_word_ngrams(["a", "b", "a"], 2)
        Counter({'a b': 1, 'b a': 1})
    """
    return Counter([" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)])


def remove_punctuation(line: str, punctuation: Collection[str] = PUNCTUATION) -> list[str]:
    """Split a line into words, and separate one punctuation character from the end or else the beginning of each word.

    Example:
        >>> remove_punctuation("(hi) a, !")
        ['(hi', ')', 'a', ',', '!']
    """
    words = []
    for word in line.split():
        if len(word) > 1 and word[-1] in punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def ngrams_of(
    line: str,
    char_order: int,
    word_order: int,
    whitespace: bool,
    words_of: Callable[[str], list[str]] = remove_punctuation,
    of_characters: Callable[[str, int, bool], list[Counter[str]]] = extract_all_char_ngrams,
    of_words: Callable[[list[str], int], Counter[str]] = extract_word_ngrams,
) -> list[Counter[str]]:
    """Return the n-gram counts of a line, for each order of characters and then for each order of words.

    Args:
        line: The text.
        char_order: The largest order of character n-grams.
        word_order: The largest order of word n-grams.
        whitespace: Count white space as characters.
        words_of: The function that splits the line into words.
        of_characters: The function that counts character n-grams.
        of_words: The function that counts word n-grams of one order.
    """
    counters = of_characters(line, char_order, whitespace)
    if word_order > 0:
        words = words_of(line)
        counters += [of_words(words, n) for n in range(1, word_order + 1)]
    return counters
