"""BLEU as slime's custom reward model, for one sample or a group.

    --custom-rm-path fastbleu.rewards.slime.bleu

is the reward with its default options. For other options, write a module of your own:

    # my_rewards.py
    from fastbleu.rewards.slime import bleu_reward

    bleu = bleu_reward(language="de", extract="answer")

slime awaits `bleu(args, sample)`, or with `--group-rm` `bleu(args, samples)` (slime/rollout/rm_hub/__init__.py). The
reference is the sample's label, or an item of its metadata. Tested with slime's source at commit 624b824 (0.3.1). This
module does not import slime.
"""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, wrong_type
from ..options import check_name
from .hosts import HostReward, Samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class SlimeReward(HostReward):
    """Sentence BLEU as slime's custom reward model: an asynchronous function with slime's arguments.

    slime leaves special tokens in the text of a response, so they are removed.

    Args:
        language: The language of the responses; see `BLEUReward`.
        metadata_key: The item of a sample's metadata that holds its references; None for its label.
        options: The other options of `BLEUReward`. Or only `reward`: a `BLEUReward`, a `CombinedReward`, or one of its
            components. If such a reward compares samples, slime must pass groups, with `--group-rm`.

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

    HOST = "slime"
    HAS_GROUPS = True
    STRIPS = True

    def __init__(
        self, language: str | None = None, *, metadata_key: str | None = None, **options: Any
    ) -> None:
        check_name("metadata_key", metadata_key, is_optional=True)
        super().__init__({"language": language, **options})
        self.metadata_key = metadata_key

    async def __call__(self, args: Any, sample: Any, **others: Any) -> Any:
        """Reward a sample, or several.

        Args:
            args: slime's arguments; only `reward_key` is read.
            sample: A `Sample`, or a list of them.
            others: Ignored.

        Returns:
            The reward, 0..`scale`; for a list, one for each. With a `CombinedReward` and `--reward-key`, a dict of
            "score", the sum, and each component by name, 0.0 if one does not apply.

        Raises:
            TypeError: A response or label has the wrong type.
            ValueError: A sample has no reference, or a reward that compares samples is called for one.
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
        """Return a sample's response and references."""
        if not hasattr(sample, "response"):
            if self.tolerant:
                return None, ""  # None is not text, so the sample counts as malformed.
            raise wrong_type(location, "a sample with a response", sample)
        if self.metadata_key is None:
            return sample.response, getattr(sample, "label", None)
        metadata = getattr(sample, "metadata", None)
        return sample.response, metadata.get(self.metadata_key) if isinstance(metadata, dict) else None


def _ids_of(samples: Sequence[Any]) -> list[Any] | None:
    """Return the token ids of the response of each sample; None if a sample has none."""
    lengths = [getattr(each, "response_length", 0) for each in samples]
    if not all(lengths):
        return None
    return [each.tokens[-length:] for each, length in zip(samples, lengths, strict=True)]


bleu_reward = SlimeReward

#: The reward with its default options, for `--custom-rm-path fastbleu.rewards.slime.bleu`.
bleu = bleu_reward()
