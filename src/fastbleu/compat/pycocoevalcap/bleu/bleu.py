"""Replacement for `pycocoevalcap.bleu.bleu`: the class `Bleu`, which scores the captions of a set of images."""

from __future__ import annotations

from ....errors import describe
from .bleu_scorer import score_captions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


class Bleu:
    """Compute BLEU-1..n of image captions.

    Args:
        n: The largest order of n-grams.

    Example:
        >>> bleu = Bleu(2)
        >>> references = {42: ["a man rides a horse", "a person on a horse"], 7: ["two dogs"]}
        >>> scores, scores_of_images = bleu.compute_score(references, {42: ["a man on a horse"], 7: ["two cats"]})
        {'testlen': 7, 'reflen': 7, 'guess': [7, 5], 'correct': [6, 3]}
        ratio: 0.9999999998571429
        >>> scores
        [0.8571428568979593, 0.7171371653752504]
        >>> scores_of_images[0]
        [0.9999999996000004, 0.49999999950000074]
    """

    def __init__(self, n: int = 4) -> None:
        self._n = n

    def compute_score(
        self, gts: Mapping[Hashable, list[str]], res: Mapping[Hashable, list[str]], verbose: int = 1
    ) -> tuple[list[float], list[list[float]]]:
        """Score the captions of a set of images.

        Args:
            gts: A dictionary from images to lists of references, at least one each.
            res: A dictionary from the same images to lists that contain exactly one caption, which is scored.
            verbose: 0: print nothing. Above 0: print the counts of the corpus and the ratio of the lengths.

        Returns:
            A list with BLEU-1..n of the corpus, and n lists with the scores of the images, in the order of `gts`. All
            scores are 0..1.

        Raises:
            AssertionError: The images differ, a value is not a list, a list of captions does not have exactly one, or
                there is no reference.
            TypeError: A caption or a reference is not a str.
        """
        if gts.keys() != res.keys():
            raise AssertionError("gts and res must hold the same images")
        for image, captions in res.items():
            if type(captions) is not list or len(captions) != 1:
                raise AssertionError(
                    f"res[{image!r}] must be a list of one caption, not {describe(captions)}"
                )
        for image, references in gts.items():
            if type(references) is not list or not references:
                raise AssertionError(
                    f"gts[{image!r}] must be a list of at least one reference, not {describe(references)}"
                )
        captions = [res[image][0] for image in gts]
        return score_captions(captions, list(gts.values()), self._n, "closest", verbose)

    def method(self) -> str:
        """Return the metric's name."""
        return "Bleu"
