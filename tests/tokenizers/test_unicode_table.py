"""The generated table of characters: up to date, and equal to its sources at every code point."""

import sys
from types import ModuleType

import pytest
from packaging.version import Version

from fastbleu.tokenizers import _characters
from fastbleu.tokenizers._tokenize import TOKENIZE_NONE, TOKENIZE_ZH, tokenize
from tests.support.modules import REPOSITORY, loaded

TOOL = REPOSITORY / "tools" / "make_unicode_table.py"
CODE_POINTS = range(sys.maxunicode + 1)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return loaded(TOOL, TOOL.stem)


def differing(ours: list[int], theirs: list[int]) -> list[str]:
    return [f"U+{at:04X}" for at, (our, their) in enumerate(zip(ours, theirs, strict=True)) if our != their]


@pytest.mark.slow
def test_classes_equal_those_of_regex(tool: ModuleType) -> None:
    regex = pytest.importorskip("regex", reason="regex is not installed")
    # A newer release is compared, too: tools/check_peers.py installs it to learn whether its tables differ.
    if Version(regex.__version__) < min(map(Version, tool.REGEX_RELEASES)):
        pytest.skip(f"regex {regex.__version__} is older than {tool.REGEX_RELEASES}, whose tables are known")
    ours = [_characters.character_class(code_point) for code_point in CODE_POINTS]
    assert differing(ours, tool.character_classes()) == []


def tokens_around(code_point: int, tokenizer: int) -> int:
    """Return the number of tokens of "a", this character and "b": 3 if it is a token, 2 if it is white space."""
    return len(tokenize(f"a{chr(code_point)}b", tokenizer))


@pytest.mark.slow
def test_chinese_characters_equal_those_of_sacrebleu() -> None:
    tokenizer_zh = pytest.importorskip("sacrebleu.tokenizers.tokenizer_zh")
    is_chinese = tokenizer_zh.TokenizerZh._is_chinese_char.__wrapped__  # without its cache
    points = [point for point in CODE_POINTS if point >= 0x80 and not chr(point).isspace()]
    ours = [int(tokens_around(point, TOKENIZE_ZH) == 3) for point in points]
    assert differing(ours, [int(is_chinese(chr(point))) for point in points]) == []


def test_characters_that_decide_published_scores() -> None:
    assert {tokens_around(ord(each), TOKENIZE_ZH) for each in "\u2014\u20ac\u201c\u2a6d\u4e2d"} == {3}
    assert {tokens_around(ord(each), TOKENIZE_ZH) for each in "\u2a6e\u9fbc\U00020000\U0002f800"} == {1}
    for outside in (sys.maxunicode + 1, 0x1FFFFF, 0xFFFFFFFF):
        assert _characters.character_class(outside) == 0


@pytest.mark.slow
def test_white_space_is_where_str_splits() -> None:
    ours = [int(tokens_around(point, TOKENIZE_NONE) == 2) for point in CODE_POINTS]
    assert differing(ours, [int(not chr(point).split()) for point in CODE_POINTS]) == []


@pytest.mark.slow
def test_the_header_is_what_the_tool_writes(tool: ModuleType) -> None:
    if not tool.HEADER.is_file():
        pytest.skip("the sources are not beside the tests")
    if not tool.pinned_regex_installed():
        pytest.skip(f"regex=={tool.PINNED_REGEX}, which the header is made from, is not installed")
    assert tool.HEADER.read_text(encoding="ascii") == tool.header()
