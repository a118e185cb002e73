"""BLEU as the reward that training stacks call.

`BLEUReward` scores completions. A module for each stack gives it the shape that its host calls: `fastbleu.rewards.trl`
and others, imported when they are first asked for. None of them imports its host.
"""

from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .counts import RewardCounts
    from .repetition import repetition_share

__all__ = ["BLEUReward", "RewardCounts", "repetition_share"]

#: The names that are imported when they are first asked for, and the modules that hold them.
_LATER = {"RewardCounts": ".counts", "repetition_share": ".repetition"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _LATER:
            return getattr(import_module(_LATER[name], __name__), name)
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
