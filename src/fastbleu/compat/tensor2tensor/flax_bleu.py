"""`bleu.py` of flax' example `wmt`: counts that may be added up over devices, and the score of them."""

from __future__ import annotations

from ...errors import ArgumentValueError
from ...scoring.tensor2tensor import score
from .bleu_hook import bleu_tokenize, count_lines, count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    #: Matches by order, candidates by order, and the lengths of the references and of the translations.
    Statistics: TypeAlias = tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[int64]]

__all__ = ["bleu_local", "bleu_partial", "bleu_tokenize", "complete_bleu", "compute_bleu_matches"]


def compute_bleu_matches(
    reference_corpus: Iterable[Sequence[Hashable]],
    translation_corpus: Iterable[Sequence[Hashable]],
    max_order: int = 4,
) -> Statistics:
    """Count a corpus of tokens with one reference for each translation.

    Args:
        reference_corpus: For each translation its reference, a sequence of hashable tokens.
        translation_corpus: As many translations.
        max_order: The longest n-grams counted, at least 1.

    Returns:
        int64 arrays: matches by order, candidates by order, tokens in the references, tokens in the translations. They
        add up over parts of a corpus.

    Raises:
        TypeError: Something is not a sequence of hashable tokens.
        ValueError: `max_order` is below 1.

    Example:
        >>> [part.tolist() for part in compute_bleu_matches(["a b c".split()], ["a b d e".split()], 2)]
        [[2, 1], [4, 3], 3, 4]
    """
    return _arrays(count_tokens(reference_corpus, translation_corpus, max_order))


def bleu_partial(
    ref_lines: Sequence[str], hyp_lines: Sequence[str], case_sensitive: bool = False
) -> Statistics:
    """Count lines of text.

    Args:
        ref_lines: The references.
        hyp_lines: As many translations.
        case_sensitive: Whether case counts.

    Returns:
        As `compute_bleu_matches`, up to 4-grams.

    Raises:
        TypeError: A line is not a str.
        ValueError: There are more of one than of the other.

    Example:
        >>> [part.tolist() for part in bleu_partial(["It rained."], ["it rained"])]
        [[2, 1, 0, 0], [2, 1, 0, 0], 3, 2]
    """
    if len(ref_lines) != len(hyp_lines):
        raise ArgumentValueError(
            "hyp_lines",
            f"and ref_lines have different numbers of lines: {len(hyp_lines)} and {len(ref_lines)}",
        )
    return _arrays(count_lines(list(ref_lines), list(hyp_lines), case_sensitive))


def complete_bleu(
    matches_by_order: Any,
    possible_matches_by_order: Any,
    reference_length: Any,
    translation_length: Any,
    max_order: int = 4,
    use_bp: bool = True,
) -> float:
    """Compute the score from counts, which may be sums over parts of a corpus.

    Args:
        matches_by_order: Matches of the orders 1..`max_order`; arrays of NumPy, JAX or PyTorch, or lists.
        possible_matches_by_order: Candidates of the same orders.
        reference_length: Tokens in the references.
        translation_length: Tokens in the translations.
        max_order: The longest n-grams that count, at least 1.
        use_bp: Whether short translations are punished.

    Returns:
        The score, 0..100. Its digits are those of the arithmetic of the arrays.

    Example:
        >>> complete_bleu(*bleu_partial(["the cat sat on the mat"], ["the cat sat on a mat"]))
        53.7284965911771
    """
    found = score(
        matches_by_order, possible_matches_by_order, max_order, translation_length, reference_length, use_bp
    )
    return float(found) * 100.0


def bleu_local(ref_lines: Sequence[str], hyp_lines: Sequence[str], case_sensitive: bool = False) -> float:
    """Compute the score of lines of text.

    Args:
        ref_lines: The references.
        hyp_lines: As many translations.
        case_sensitive: Whether case counts.

    Returns:
        The score, 0..10000: as there, what `complete_bleu` returns times 100.

    Raises:
        TypeError: A line is not a str.
        ValueError: There are more of one than of the other.

    Example:
        >>> bleu_local(["the cat sat on the mat"], ["the cat sat on a mat"])
        5372.84965911771
    """
    return complete_bleu(*bleu_partial(ref_lines, hyp_lines, case_sensitive=case_sensitive)) * 100


def _arrays(row: list[int]) -> Statistics:
    import numpy as np

    orders = len(row) // 2 - 1
    return np.array(row[2 : 2 + orders]), np.array(row[2 + orders :]), np.array(row[1]), np.array(row[0])
