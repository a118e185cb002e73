"""Rewards token by token: by how much each token changes the score of what stands before it.

They are differences of prefix scores, so that those of a completion add up to its reward: a potential-based shaping of
it (Ng et al. 1999), which gives credit where it is due and leaves the best completion the best.
"""

from __future__ import annotations

from ..inputs.reading import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from ..counting.references import References
    from ..metric import BLEU, AnySegments, AnyStreams


def stepwise_rewards(
    metric: BLEU, hypotheses: AnySegments, references: References | AnyStreams | None, scale: float = 1.0
) -> NDArray[float64] | list[NDArray[float64]]:
    """Split the reward of each hypothesis into one number for each token.

    The number at token t is the score of the first t tokens less that of the first t - 1; no tokens score 0. The
    numbers of a hypothesis add up to its sentence score, but for the last digits, which each difference rounds.

    Args:
        metric: What scores.
        hypotheses: n segments, as for `BLEU.prefix_scores`.
        references: As for `BLEU.prefix_scores`.
        scale: What a perfect match is worth.

    Returns:
        Of a matrix of ids float64 [n, T] of its shape: a number at each id that counts, and 0 at padding, in front of
        it or behind, at ignored ids, at the id that ends a row, and at all after it. Otherwise a list of n arrays,
        float64 [tokens]: one number for each token of the metric's tokenizer. Scores are 0..scale; a difference of
        them lies between -scale and scale.

    Raises:
        TypeError: As `BLEU.prefix_scores`.
        ValueError: As `BLEU.prefix_scores`.

    Example:
        >>> import numpy as np
        >>> from fastbleu import BLEU, TokenIds
        >>> bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
        >>> samples = TokenIds(np.array([[0, 5, 6, 9, 2], [7, 2, 0, 0, 0]]), pad_id=0, eos_id=2)
        >>> targets = TokenIds(np.array([[5, 6, 2], [7, 8, 2]]), pad_id=0, eos_id=2)
        >>> stepwise_rewards(bleu, samples, targets).round(3).tolist()
        [[0.0, 0.368, 0.632, -0.423, 0.0], [0.368, 0.0, 0.0, 0.0, 0.0]]
        >>> [each.round(3).tolist() for each in stepwise_rewards(bleu, ["the cat", ""], [["the cat sat", "a dog"]])]
        [[0.135, 0.471], []]
    """
    import numpy as np

    segments = read(hypotheses, "hypotheses")
    scores = metric.prefix_scores(segments, references, scale=1)  # type: ignore[arg-type]  # doors keep Segments
    differences = np.diff(scores * scale, axis=-1, prepend=0)
    if len(getattr(segments.held, "shape", ())) > 1:
        return differences
    lengths = metric.statistics(segments, references)[:, 0].tolist()  # type: ignore[arg-type]  # likewise
    return [row[:length] for row, length in zip(differences, lengths, strict=True)]
