"""NLTK's BLEU, GLEU and chrF: `nltk.translate.bleu_score`, `gleu_score` and `chrf_score` of NLTK 3.10.4.

Names, arguments, scores (0..1), return types, exceptions and warnings are those of NLTK, and each float is the same to
the last bit. NLTK's peculiarities are reproduced:

- A hypothesis that is too short for an order still adds 1 to the number of candidates of that order.
- `corpus_bleu` passes only the last segment to smoothing functions. Methods 5 and 7 use the 5-gram precision of this
  segment as the precision above the largest order, and method 6 uses the numbers of n-grams of this segment. So scores
  depend on which segment is last, and may exceed 1.
- Method 6 requires a matching trigram, although its message says bigram.
- Weights need not sum to 1.
- The score is the integer 0 if no unigram matches.

Segments are sequences of hashable tokens: lists, tuples, arrays, or str, which are sequences of characters.

Deliberate differences:

- Some input makes NLTK fail by accident, mostly with a KeyError. Here, the error names the argument: a segment without
  references raises a ValueError, and an iterator of references raises a TypeError.
- Iterators of tokens, of hypotheses and of lists of references raise a TypeError. NLTK accepts some of these iterators
  for GLEU.
- A bare str, or bytes, instead of a list of references or of hypotheses raises a TypeError. So does a set or a
  dictionary instead of a sequence of tokens. NLTK scores the characters, or the keys in their order of iteration.
- A str compared with a list of words in one segment (`sentence_bleu(["the cat"], ["the", "cat"])`) causes a
  `UserWarning`. Its characters are compared with the words, as in NLTK.
- Weights that are NaN or infinite raise a ValueError (NLTK returns NaN or 0, or fails). Weights that are not numbers
  raise a TypeError even if nothing matches.
- Orders below 1 raise a ValueError.
- Equal numbers in arrays and tensors are equal tokens. In NLTK, each item of a tensor is a different token.
- With `max_len=-1`, `corpus_gleu` counts n-grams of all orders in segments of any length. NLTK's limit is 256 tokens.
"""

from ...scoring.nltk.nltk_formula import brevity_penalty
from .bleu_and_gleu import bleu, corpus_bleu, corpus_gleu, gleu, sentence_bleu, sentence_gleu
from .chrf_functions import corpus_chrf, sentence_chrf
from .counts import closest_ref_length, modified_precision
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
