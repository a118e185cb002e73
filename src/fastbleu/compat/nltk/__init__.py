"""NLTK's BLEU, GLEU and chrF: `nltk.translate.bleu_score`, `gleu_score` and `chrf_score` of NLTK 3.10.4.

The names, arguments, scores (0..1), return types (the integers 0 and 1 included), exceptions and warnings are NLTK's,
and each float is the same to the last bit. Its peculiarities are kept: among them, each hypothesis that is too short
for an order adds 1 to the candidates of a corpus; `corpus_bleu` shows smoothing functions only the last segment;
the 5-grams of the last segment count as the order above the last one in methods 5 and 7, and its number of n-grams
divides in method 6, so that scores may exceed 1 and depend on which segment is the last; method 6 tests the trigrams,
where its message says bigrams; weights need not sum to 1.

Segments are sequences of hashable tokens: lists, tuples, arrays, or str, which are sequences of characters.

It differs on purpose in this:

- Some input that NLTK fails on by accident has a clear error: a segment without any reference is a ValueError, an
  iterator of references a TypeError (both most often a KeyError in NLTK). Iterators of tokens, of hypotheses and of
  lists of references are a TypeError as in NLTK, and for GLEU, too, which takes some of them there.
- A bare str, or bytes, in the place of a list of references or of hypotheses is a TypeError, and so are sets and
  dictionaries as segments: NLTK would score letters, or keys in the order in which it finds them.
- A text beside words, in one segment (`sentence_bleu(["the cat"], ["the", "cat"])`), has a `UserWarning`: as in NLTK,
  the letters of the one are compared with the words of the other.
- Weights that are NaN or infinite are a ValueError (NLTK gives NaN, 0 or an error), and weights that are not numbers a
  TypeError even if nothing matches.
- Orders of 0 and less are a ValueError.
- Numbers in arrays and tensors are tokens by their value; NLTK takes each item of a tensor for another token.
- `corpus_gleu` takes `max_len=-1`, n-grams of all lengths, for segments of any length; NLTK's limit is 256.
"""

from ...scoring.nltk.nltk_formula import brevity_penalty
from .chrf import corpus_chrf, sentence_chrf
from .counts import closest_ref_length, modified_precision
from .scores import bleu, corpus_bleu, corpus_gleu, gleu, sentence_bleu, sentence_gleu
from .smoothing import SmoothingFunction

__all__ = [
    "SmoothingFunction",
    "bleu",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_gleu",
    "gleu",
    "modified_precision",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_gleu",
]
