"""BLEU as slime's custom reward model, for one sample or a group, and as its remote one.

    --custom-rm-path fastbleu.rewards.slime.bleu

is the reward with its default options, and with others it is a line in a module of your own:

    # my_rewards.py
    from fastbleu.rewards.slime import bleu_reward

    bleu = bleu_reward(language="de", extract="answer")

slime awaits `bleu(args, sample)`, or with `--group-rm` `bleu(args, samples)` (slime/rollout/rm_hub/__init__.py). The
reference is the sample's label, or an item of its metadata. Samples that are awaited at the same time are gathered and
counted in one pass. Tested with slime's source at commit 624b824 (0.3.1). This module imports no slime.
"""

from __future__ import annotations

from ..errors import ArgumentValueError, Place, wrong_type
from ..options import check_name
from .hosts import HostReward, item_of
from .stacks import STACKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from .hosts import LabelsAs


class SlimeReward(HostReward):
    """Sentence BLEU as slime's custom reward model: an asynchronous function with slime's arguments.

    slime leaves special tokens in the text of a response, so they are cut off.

    Args:
        language: The language of the responses; see `BLEUReward`.
        metadata_key: The item of a sample's metadata that holds its references; None for its label.
        labels_as: "json" if labels are JSON: of a string, or of a list of references.
        options: The other options of `BLEUReward`, without `baseline` and `stepwise`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> import asyncio
        >>> from types import SimpleNamespace
        >>> reward = bleu_reward(labels_as="json")
        >>> sample = SimpleNamespace(response="It rained today.<|im_end|>", label='["It rained today ."]', metadata={})
        >>> asyncio.run(reward(None, sample)), asyncio.run(reward(None, [sample, sample]))
        (1.0, [1.0, 1.0])
    """

    HOST = STACKS["slime"]

    def __init__(
        self,
        language: str | None = None,
        *,
        metadata_key: str | None = None,
        labels_as: LabelsAs = "text",
        **options: Any,
    ) -> None:
        check_name("metadata_key", metadata_key, is_optional=True)
        place = "label" if metadata_key is None else f"metadata[{metadata_key!r}]"
        super().__init__({"language": language, **options}, references=place, labels_as=labels_as)
        self.metadata_key = metadata_key

    def __call__(
        self, args: Any, sample: Any, **others: Any
    ) -> Coroutine[Any, Any, float] | Coroutine[Any, Any, list[float]]:
        """Reward a sample, or several.

        Args:
            args: slime's arguments; ignored.
            sample: A `Sample`, or a list of them.
            others: Ignored.

        Returns:
            The reward, 0..`scale`; of a list, one for each.

        Raises:
            TypeError: A response or label has the wrong type.
            ValueError: A sample has no reference.
        """
        del args, others
        if not isinstance(sample, (list, tuple)):
            return self._awaited(self.HOST, *self._pair(sample, Place("sample")))
        pairs = [self._pair(each, Place("samples")[i]) for i, each in enumerate(sample)]
        return self._awaited(STACKS["slime.group"], [pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def _pair(self, sample: Any, where: Place) -> tuple[Any, Any]:
        """A sample's response and label."""
        if not hasattr(sample, "response"):
            if self.tolerant:
                return None, ""  # no text: broken
            raise wrong_type(where, "a sample with a response", sample)
        if self.metadata_key is None:
            return sample.response, getattr(sample, "label", None)
        metadata = getattr(sample, "metadata", None)
        return sample.response, metadata.get(self.metadata_key) if isinstance(metadata, dict) else None

    def answer(self, request: Any) -> float:
        """Answer a request of slime's `--rm-type remote_rm`, for `fastbleu.rewards.serving.serve`.

        Args:
            request: The request's JSON: a dict with "prompt", "response" and "label".

        Returns:
            The reward, 0..`scale`.

        Raises:
            TypeError: The request is not a dict, or as in a call.
            ValueError: It lacks one of these items, or as in a call; or the reference is looked for in metadata, which
                slime does not send.

        Example:
            >>> bleu_reward().answer({"prompt": "Rain?", "response": "It rained .</s>", "label": "It rained today ."})
            0.45138644055033905
        """
        if self.metadata_key is not None:
            raise ArgumentValueError("metadata_key", "must be None: slime sends labels only")
        response, label = (item_of(request, name, "request") for name in ("response", "label"))
        reward: float = self._rewarded(self.HOST, response, label)
        return reward


bleu_reward = SlimeReward

#: The reward with its default options, for `--custom-rm-path fastbleu.rewards.slime.bleu`.
bleu = bleu_reward()
