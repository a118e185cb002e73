"""Reasoning removed: every mark, nested, unclosed, unopened, and in linear time."""

import pytest

from fastbleu.rewards.completions.reasoning import REASONING_TAGS, strip_reasoning


@pytest.mark.parametrize(("opening", "closing"), REASONING_TAGS.items())
def test_every_mark(opening: str, closing: str) -> None:
    assert strip_reasoning(f"{opening}Cats\nsit.{closing}\n\nThe cat sat.\n") == ("The cat sat.", False)
    assert strip_reasoning(f"Cats sit.{closing} The cat sat.") == ("The cat sat.", False)
    assert strip_reasoning(f"The cat. {opening}Cats sit.") == ("The cat.", True)
    assert strip_reasoning(f"{opening}Cats sit.") == ("", True)
    assert strip_reasoning(f"The {opening}x{closing}cat {opening}y{closing}sat.") == ("The cat sat.", False)
    assert strip_reasoning(f"{opening}{closing}") == ("", False)


HARMONY = "<|channel|>analysis<|message|>Cats sit.<|end|><|start|>assistant"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        # The first closing tag ends it: of nested tags the outer closing one has no opening one.
        ("<think>a<think>b</think>c</think>d", ("d", False)),
        ("<think>a <think> b</think>c", ("c", False)),
        # Other marks inside are reasoning as well.
        ("<think>a<reason>b</think>c", ("c", False)),
        ("<think>a</reason>b</think>c", ("c", False)),
        ("<reasoning>a</reasoning><think>b</think>c", ("c", False)),
        # What has no mark stays as it is, white space and all.
        (" The cat\n", (" The cat\n", False)),
        ("", ("", False)),
        ("< think>a</ think>b [think] <thinks>", ("< think>a</ think>b [think] <thinks>", False)),
        ("a\x00b</think>\ud800", ("\ud800", False)),
        # Channels of Harmony.
        (f"{HARMONY}<|channel|>final<|message|>The cat sat.<|return|>", ("The cat sat.", False)),
        (f"{HARMONY}<|channel|>final<|message|>The cat", ("The cat", False)),
        # A recipient or a format, on lines of its own or not, may be between the name of the channel and its message.
        (HARMONY + "<|channel|>final to=user\n<|constrain|>\njson<|message|>{}<|return|>", ("{}", False)),
        (f"{HARMONY}<|channel|>commentary<|message|>Wait.<|end|>", ("", True)),
        ("<|channel|>analysis<|message|>Cats sit", ("", True)),
        (
            "<|channel|>final<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|end|>",
            ("B", False),
        ),
    ],
)
def test_what_is_left(text: str, rest: tuple[str, bool]) -> None:
    assert strip_reasoning(text) == rest


PARTS = ["<think>", "</think>", "<think></think>", "<", "[THINK]", "<|channel|>", "◁think▷", "a"]


@pytest.mark.parametrize("part", PARTS)
def test_long_texts(part: str) -> None:
    """In linear time: a quadratic search of a million characters would take hours."""
    rest, unclosed = strip_reasoning(part * (1_000_000 // len(part)))
    assert unclosed == (part in ("<think>", "[THINK]", "<|channel|>", "◁think▷"))
    assert len(rest) == (1_000_000 if part in ("<", "a") else 0)
