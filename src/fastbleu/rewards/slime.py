"""Provide BLEU as a custom reward model for slime, for one sample or a group.

This option of slime selects the reward with its default options:

    --custom-rm-path fastbleu.rewards.slime.bleu

For other options, write a module of your own:

    # my_rewards.py
    from fastbleu.rewards.slime import bleu_reward

    bleu = bleu_reward(language="de", extract="answer")

slime awaits `bleu(args, sample)`; with `--group-rm`, it awaits `bleu(args, samples)`
(slime/rollout/rm_hub/__init__.py). The reference is the sample's label, or an item of its metadata. Tested with slime's
source at commit 624b824 (0.3.1). This module does not import slime.
"""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, wrong_type
from ..options import check_name
from .training_stacks import Samples, StackReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class SlimeReward(StackReward):
    """Sentence BLEU as slime's custom reward model: an asynchronous function with slime's arguments.

    Special tokens are removed by default, since slime leaves them in the text of a response.

    Args:
        language: The language of the responses; see `BLEUReward`.
        metadata_key: The key of the references in a sample's metadata; None if the sample's label is the reference.
        options: The other options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another
            reward of this package. A reward that compares samples needs slime's option `--group-rm`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> import asyncio
        >>> from types import SimpleNamespace
        >>> reward = bleu_reward()
        >>> sample = SimpleNamespace(response="It rained today.<|im_end|>", label=["It rained today ."], metadata={})
        >>> asyncio.run(reward(None, sample)), asyncio.run(reward(None, [sample, sample]))
        (1.0, [1.0, 1.0])
    """

    STACK = "slime"
    HAS_GROUPS = True
    STRIPS = True

    def __init__(
        self, language: str | None = None, *, metadata_key: str | None = None, **options: Any
    ) -> None:
        check_name("metadata_key", metadata_key, is_optional=True)
        super().__init__({"language": language, **options})
        self.metadata_key = metadata_key

    async def __call__(self, args: Any, sample: Any, **others: Any) -> Any:
        """Reward one sample, or each sample of a list.

        Args:
            args: slime's arguments, of which `reward_key` is read.
            sample: A `Sample` of slime, or a list of several samples.
            others: Other arguments of slime, which are ignored.

        Returns:
            The reward, 0..`scale`, or a list with one reward per sample. With a `CombinedReward` and `--reward-key`, a
            reward is a dict: the sum as "score", and each component by name, with 0.0 if it does not apply.

        Raises:
            TypeError: A response or label has the wrong type.
            ValueError: A sample has no reference, or a reward that compares samples is called for a single sample.
        """
        samples = self._samples(args, sample, **others)
        if self.is_combined and self.reward.needs_groups and samples.is_one:
            raise ArgumentValueError(
                "sample", "must be the samples of a group, since the reward compares them: use --group-rm"
            )
        by_name = self.is_combined and getattr(args, "reward_key", None)
        rewards: list[Any] = self.by_sample(samples) if by_name else self._rewards(samples)
        return rewards[0] if samples.is_one else rewards

    def _samples(self, args: Any, sample: Any, **others: Any) -> Samples:
        del args, others
        is_one = not isinstance(sample, (list, tuple))
        listed = [sample] if is_one else sample
        location = Location("sample" if is_one else "samples")
        pairs = [self._pair(each, location if is_one else location[i]) for i, each in enumerate(listed)]
        return Samples(
            [response for response, _ in pairs],
            [references for _, references in pairs],
            ("response", "label" if self.metadata_key is None else f"metadata[{self.metadata_key!r}]"),
            is_one=is_one,
            groups=None if is_one else [0] * len(pairs),
            completion_ids=_ids_of(listed) if self.is_combined else None,
        )

    def _pair(self, sample: Any, location: Location) -> tuple[Any, Any]:
        """Return the response and the references of a sample.

        Raises:
            TypeError: The sample has no response, and `tolerant` is false.
        """
        if not hasattr(sample, "response"):
            if self.tolerant:
                return None, ""  # A response of None counts as malformed.
            raise wrong_type(location, "a sample with a response", sample)
        if self.metadata_key is None:
            return sample.response, getattr(sample, "label", None)
        metadata = getattr(sample, "metadata", None)
        return sample.response, metadata.get(self.metadata_key) if isinstance(metadata, dict) else None


def _ids_of(samples: Sequence[Any]) -> list[Any] | None:
    """Return the token ids of each sample's response, or None if the ids of any sample are missing."""
    lengths = [getattr(sample, "response_length", 0) for sample in samples]
    if not all(lengths):
        return None
    return [sample.tokens[-length:] for sample, length in zip(samples, lengths, strict=True)]


bleu_reward = SlimeReward

#: A reward with the default options, for slime's option `--custom-rm-path fastbleu.rewards.slime.bleu`.
bleu = bleu_reward()
