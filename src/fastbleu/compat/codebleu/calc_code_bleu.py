"""CodeBLEU: the two n-gram matches from here, the syntax and data-flow matches from the caller or from `codebleu`."""

from __future__ import annotations

from pathlib import Path

from ..arguments import lines_of
from . import ngram_match, weighted_ngram_match
from .weighted_ngram_match import make_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    #: A match that is known, or what computes it of references, hypotheses and the language.
    Match: TypeAlias = float | Callable[[list[list[str]], list[str], str], float] | None


#: What `calc_codebleu` calls the four matches.
_NAMES = ("ngram_match_score", "weighted_ngram_match_score", "syntax_match_score", "dataflow_match_score")


def calc_codebleu(
    references: Sequence[str | list[str]],
    predictions: Sequence[str],
    lang: str,
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    tokenizer: Callable[[str], list[Any]] | None = None,
    keywords_dir: str | os.PathLike[str] | None = None,
    *,
    syntax_match: Match = None,
    dataflow_match: Match = None,
) -> dict[str, float]:
    r"""Compute CodeBLEU as the package `codebleu` 0.7.0 does.

    Args:
        references: For each prediction a reference, or a list of them.
        predictions: The programs to score.
        lang: The language, such as "java" or "python".
        weights: Of the n-gram match, the weighted n-gram match, the syntax match and the data-flow match.
        tokenizer: Makes tokens of a program; None: `str.split`.
        keywords_dir: The folder that holds the keywords of the language, one a line, as `java.txt`; None: that of the
            installed `codebleu`.
        syntax_match: The syntax match, or a function of references, predictions and language that returns it; None:
            the installed `codebleu` computes it.
        dataflow_match: The data-flow match, or a function of the same arguments; None: `codebleu` computes it, too.

    Returns:
        `codebleu`, `ngram_match_score`, `weighted_ngram_match_score`, `syntax_match_score`, `dataflow_match_score`; all
        0..1. As there, a data-flow match of 0 counts 1 in `codebleu`.

    Raises:
        AssertionError: There are more references than predictions, or fewer; or `weights` are not four.
        ImportError: `codebleu` is needed and not installed.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "c.txt").write_text("int\nfor\n")
        ...     scores = calc_codebleu(
        ...         ["int x = 0 ;"], ["int y = 0 ;"], "c", keywords_dir=folder, syntax_match=1.0, dataflow_match=0.5
        ...     )
        >>> scores["ngram_match_score"], scores["weighted_ngram_match_score"], scores["codebleu"]
        (0.28574404296988, 0.2933705789311311, 0.5197786554752528)
    """
    if len(references) != len(predictions):
        raise AssertionError(
            f"there are {len(predictions)} predictions, but references for {len(references)}"
        )
    if len(weights) != 4:
        raise AssertionError(f"weights must be four numbers, got {weights!r}")
    lists = [
        [each.strip() for each in some] if isinstance(some, list) else [some.strip()] for some in references
    ]
    keywords = _keywords(lang, keywords_dir)
    parts = _matches(
        lists, [each.strip() for each in predictions], lang, keywords, tokenizer, syntax_match, dataflow_match
    )
    # As there, a data-flow match of 0 counts 1 in the sum.
    combined = _combined(weights, (*parts[:3], parts[3] or 1))
    return {"codebleu": combined, **dict(zip(_NAMES, parts, strict=True))}


def get_codebleu(
    refs: str | os.PathLike[str] | list[str | os.PathLike[str]],
    hyp: str | os.PathLike[str],
    lang: str,
    params: str = "0.25,0.25,0.25,0.25",
    *,
    syntax_match: Match = None,
    dataflow_match: Match = None,
    keywords: Iterable[str] | None = None,
) -> float:
    """Compute CodeBLEU of files as CodeT5 and CodeReviewer do, and print its parts.

    Args:
        refs: The file of references, one program a line, or a list of files.
        hyp: The file to score.
        lang: The language, such as "java" or "c_sharp".
        params: The weights of the four matches, with commas between them.
        syntax_match: As for `calc_codebleu`.
        dataflow_match: As for `calc_codebleu`.
        keywords: The keywords of the language; None: those of the installed `codebleu`.

    Returns:
        The score, 0..1.

    Raises:
        AssertionError: A file has more lines than another.
        ImportError: `codebleu` is needed and not installed.
        OSError: A file cannot be read.
    """
    weights = [float(share) for share in params.split(",")]
    streams = [
        [line.strip() for line in lines_of(file)] for file in (refs if isinstance(refs, list) else [refs])
    ]
    hypotheses = [line.strip() for line in lines_of(hyp)]
    for stream in streams:
        if len(stream) != len(hypotheses):
            raise AssertionError(f"{hyp} has {len(hypotheses)} lines, but a file of refs {len(stream)}")
    lists = [list(some) for some in zip(*streams, strict=True)]
    words = _keywords(lang) if keywords is None else {*keywords}
    parts = _matches(lists, hypotheses, lang, words, None, syntax_match, dataflow_match)
    print("ngram match: {}, weighted ngram match: {}, syntax_match: {}, dataflow_match: {}".format(*parts))
    return _combined(weights, parts)


def _combined(weights: Sequence[float], parts: Sequence[float]) -> float:
    (alpha, beta, gamma, theta), (ngrams, weighted, syntax, dataflow) = weights, parts
    return alpha * ngrams + beta * weighted + gamma * syntax + theta * dataflow


def _keywords(lang: str, folder: str | os.PathLike[str] | None = None) -> set[str]:
    """Return the keywords of a language, from a folder or from the installed package."""
    home = Path(_installed().__file__).parent / "keywords" if folder is None else Path(folder)
    return {word.strip() for word in lines_of(home / f"{lang}.txt")}


def _matches(
    lists: list[list[str]],
    hypotheses: list[str],
    lang: str,
    keywords: set[str],
    tokenizer: Callable[[str], list[Any]] | None,
    syntax_match: Match,
    dataflow_match: Match,
) -> tuple[float, float, float, float]:
    """Return the four matches: of n-grams, of weighted n-grams, of the syntax and of the data flow."""
    tokens = tokenizer or str.split
    segments = [tokens(text) for text in hypotheses]
    references = [[tokens(text) for text in some] for some in lists]
    weighted = [[(found, make_weights(found, keywords)) for found in some] for some in references]

    def parsed(name: str, match: Match) -> float:
        if match is not None:
            return match(lists, hypotheses, lang) if callable(match) else match
        from importlib import import_module

        peer = _installed()
        language = import_module(f"{peer.__name__}.utils").get_tree_sitter_language(lang)
        compute = getattr(import_module(f"{peer.__name__}.{name}"), f"corpus_{name}")
        found: float = compute(lists, hypotheses, lang, tree_sitter_language=language)
        return found

    return (
        ngram_match.corpus_bleu(references, segments),
        weighted_ngram_match.corpus_bleu(weighted, segments),
        parsed("syntax_match", syntax_match),
        parsed("dataflow_match", dataflow_match),
    )


def _installed() -> Any:
    """The package `codebleu`.

    Raises:
        ImportError: It is not installed.
    """
    from importlib import import_module

    try:
        return import_module("codebleu")
    except ImportError:
        raise ImportError(
            "the syntax and data-flow matches, and lists of keywords, come from the package codebleu: "
            "pip install codebleu==0.7.0, or pass your own"
        ) from None
