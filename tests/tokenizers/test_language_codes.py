"""What a code of a language means."""

from __future__ import annotations

from fastbleu.tokenizers.language_codes import Language, language_of


def test_the_target_of_a_pair_counts() -> None:
    assert language_of("en-zh") == Language("zh", "")
