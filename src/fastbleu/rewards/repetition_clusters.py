"""Measure repetition in a batch of texts: the share of the batch that is in the same cluster as each text.

Questions that a model generates for its own training soon resemble each other. R-Zero (Huang et al. 2025,
https://arxiv.org/abs/2508.05004) clusters the questions of a batch by their BLEU distance, and reduces the reward of a
question by the share of the batch that is in its cluster. This module returns the same shares as
`cluster_share_per_problem` in `examples/reward_function/caller_penalty.py` of Chengsong-Huang/R-Zero at commit
5699329d. That function calls NLTK (3.10.4) and scikit-learn's `AgglomerativeClustering` (1.9.1); this module imports
neither.
"""

from __future__ import annotations

from ..errors import ArgumentError, suggests_options
from ..inputs.ids import as_token_ids
from ..metric import BLEU
from ..options import check_choice, check_number
from ..rerank.mbr import pairwise
from ..system.extras import imports_of
from .completions.call_arguments import are_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from ..metric import AnySegments

    #: The measures of the distance of two clusters.
    Linkage: TypeAlias = Literal["average", "complete", "single"]

LINKAGES: tuple[Linkage, ...] = ("average", "complete", "single")


@suggests_options
def repetition_share(texts: AnySegments, threshold: float = 0.5, linkage: Linkage = "average") -> list[float]:
    """Return, for each text, the share of the batch that is in its cluster.

    R-Zero subtracts this share from the reward of a text.

    Clustering is agglomerative: at first each text is a cluster, and then the two nearest clusters are merged
    repeatedly while their distance is below the threshold. Time and memory grow with the square of the number of texts.

    Args:
        texts: n texts whose tokens are separated by white space, such as the questions of one batch; or n rows of token
            ids.
        threshold: Two clusters are merged only if their distance, 0..1, is below this value.
        linkage: The distance of two clusters: the mean ("average"), the largest ("complete") or the smallest ("single")
            of the distances between a text of one cluster and a text of the other.

    Returns:
        n shares, each above 0 and at most 1: 1 / n for a text that is alone in its cluster, 1.0 if all texts are in one
        cluster. A single text gets 1.0, although scikit-learn raises an error for it.

    Raises:
        TypeError: `texts` is a bare str, an item is neither text nor ids (bool and float are not ids), or `threshold`
            is not a number.
        ValueError: `linkage` is unknown, `threshold` is negative or NaN, or an id is negative.
        ImportError: SciPy is not installed; `fastbleu-metric[rewards]` installs it.

    Example:
        >>> repetition_share(["What is 3 times 4 plus 5 ?", "What is 3 times 4 plus 6 ?", "Name a prime above 90 ."])
        [0.6666666666666666, 0.6666666666666666, 0.3333333333333333]
    """
    import numpy as np

    check_clustering(threshold, linkage)
    distances = bleu_distances(texts)
    if len(distances) < 2:
        return [1.0] * len(distances)
    with imports_of("rewards", "repetition_share"):
        from scipy.cluster import hierarchy
        from scipy.spatial.distance import squareform

    tree = hierarchy.linkage(squareform(distances, checks=False), linkage)
    # SciPy also merges clusters whose distance equals the limit, so pass the next float below the threshold.
    labels = hierarchy.fcluster(tree, np.nextafter(threshold, -1), "distance")
    shares: list[float] = (np.bincount(labels)[labels] / len(labels)).tolist()
    return shares


def check_clustering(threshold: float, linkage: Linkage) -> None:
    """Check the options of the clustering.

    Raises:
        TypeError: `threshold` is not a number.
        ValueError: `linkage` is unknown, or `threshold` is negative or NaN.
    """
    check_choice("linkage", linkage, LINKAGES)
    check_number("threshold", threshold, lambda distance: distance >= 0, "at least 0")  # false for NaN


def bleu_distances(texts: AnySegments) -> NDArray[float64]:
    """Return the BLEU distance of each pair of texts, as R-Zero computes it.

    Args:
        texts: n texts whose tokens are separated by white space, or n rows of token ids.

    Returns:
        float64 [n, n], 0..1, symmetric, with 0 on the diagonal. For i < j, the value at [i, j] equals NLTK's
        `1 - sentence_bleu([texts[j].split()], texts[i].split(), smoothing_function=SmoothingFunction().method1)`.
        A text without tokens has the distance 1 to all other texts, even to other texts without tokens.

    Raises:
        TypeError: `texts` is a bare str, or an item is neither text nor ids.
        ValueError: An id is negative.

    Example:
        >>> bleu_distances(["a b c d", "a b c", "a b c d"]).round(2).tolist()
        [[0.0, 0.6, 0.0], [0.6, 0.0, 0.6], [0.0, 0.6, 0.0]]
    """
    import numpy as np

    try:
        if isinstance(texts, (list, tuple)) and are_ids(texts, None):
            texts = as_token_ids(texts, "texts")
        scores = pairwise(texts, formula="nltk", upper_triangle=True, metric=BLEU(tokenize="none"))
    except ArgumentError as error:
        raise error.renamed(hypotheses="texts") from None
    distances: NDArray[float64] = np.subtract(1, scores, out=scores)
    np.fill_diagonal(distances, 0)
    return distances
