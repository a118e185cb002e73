"""Copies of a peer's modules inside programs, recognised by the source of their functions.

Many programs bring NLTK's `bleu_score.py` or pycocoevalcap's `bleu` folder along. A copy is replaced where all of its
functions that make the score are, token by token, those of a release that is known, whatever comments and docstrings
they have.
"""

from __future__ import annotations

import inspect
import sys
import tokenize
from hashlib import sha256
from io import StringIO
from textwrap import dedent

from ..compat.nltk.smoothing import recognise
from . import nltk, pycocoevalcap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType, ModuleType
    from typing import Any

    from .replacing import Pairs

#: The peers of which copies are recognised.
COPIED = ("nltk", "pycocoevalcap")

#: Tokens that say nothing about what code does.
_SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

#: Releases of NLTK that fail under Python 3.12.
_BEFORE_3_12 = "3.6.7 to 3.8.1"

#: For each function of NLTK's module that makes scores: its fingerprints, and the releases that have it.
_NLTK = {
    "corpus_bleu": {
        "bc008101bf00": _BEFORE_3_12,
        "7287dc275725": "3.9.1 to 3.9.4",
        "92e07dfcfd9f": "3.10.0 to 3.10.4",
    },
    "sentence_bleu": {"a76c14ebff43": ""},
    "modified_precision": {"97e4707d8019": ""},
    "closest_ref_length": {"6c7284a94062": ""},
    "brevity_penalty": {"851d0c2040f4": ""},
}

#: The same for its class of smoothing functions.
_DEFAULT = {"__init__": {"7e4865f98b38": ""}, "method0": {"18f1cd8ed25d": ""}}
_METHODS = {
    "method1": {"4eb6d93cd175": "", "53081f173f82": ""},
    "method2": {"aec67093ebfe": "", "4e5d17725f96": ""},
    "method3": {"ce92c3d870e6": ""},
    "method4": {"c84bbf39c94e": ""},
    "method5": {"b4a6a54687ff": ""},
    "method6": {"90fb1afdd878": ""},
    "method7": {"eb3bad5a0c1a": ""},
}

#: The same for pycocoevalcap's classes and the functions beneath them. Copies are older than its only release.
_BLEU = {
    "compute_score": {"4bdf27457ecf": "", "564fc35d1e83": "", "494c080c14d1": "", "26b625d20765": "quiet"}
}
_SCORER = {
    "__init__": {"81b86eb74ad7": ""},
    "cook_append": {"508e312d9860": ""},
    "__iadd__": {"0814a1e9a736": ""},
    "_single_reflen": {"2cceb5ecb537": ""},
    "compute_score": {"3a52f51a45d3": "1.2", "b8a9f7acac6a": "1.2, without its output"},
}
_COOKS = {
    "precook": {"c6e4feaa8fb2": ""},
    "cook_refs": {"d97c6f64616b": "", "06842ca07e9d": ""},
    "cook_test": {"27a3be3fa7bb": "", "b9ed08cba598": "", "9592e02e0d7b": "", "dd5b284e624e": ""},
}


def may_be_copy(name: str) -> bool:
    """Return whether a module of this name is worth a look: a look reads its source."""
    # The first question alone rejects nearly all of a program's thousands of modules.
    return (
        "bleu" in name.lower()
        and "bleu" in name.rpartition(".")[2].lower()
        and not name.startswith("fastbleu")
    )


def find_copy(module: ModuleType) -> tuple[str, str, Pairs] | None:
    """Look whether a module is a copy of a peer's.

    Returns:
        The peer's name, the release, and the functions to replace with what replaces them; None if it is none.
    """
    try:
        if hasattr(module, "SmoothingFunction"):
            return _nltk(module)
        if hasattr(module, "BleuScorer") and hasattr(module, "Bleu"):
            return _pycocoevalcap(module)
    except (OSError, TypeError, AttributeError, KeyError, SyntaxError, tokenize.TokenError):
        pass  # it has no source, or some of these names alone, or other things under them
    return None


def _nltk(module: Any) -> tuple[str, str, Pairs] | None:
    release = _release(module, _NLTK)
    if release is None or _release(module.SmoothingFunction, _DEFAULT) is None:
        return None
    if release == _BEFORE_3_12 and sys.version_info >= (3, 12):
        return None  # it fails there
    if _release(module.SmoothingFunction, _METHODS) is not None:
        recognise(module.SmoothingFunction)
    return "nltk", release, nltk.replacements_in(module)


def _pycocoevalcap(module: Any) -> tuple[str, str, Pairs] | None:
    kind = module.BleuScorer
    release = _release(kind, _SCORER)
    if release is None or _release(sys.modules[kind.__module__], _COOKS) is None:
        return None
    quiet = _release(module.Bleu, _BLEU)
    if quiet is None:
        return None
    prints = release == "1.2" and not quiet
    return "pycocoevalcap", release, pycocoevalcap.replacements_in(module, prints)


def _release(holder: Any, known: dict[str, dict[str, str]]) -> str | None:
    """Return the release of which all functions are; None if one is not known."""
    releases = [fingerprints.get(fingerprint(vars(holder)[name])) for name, fingerprints in known.items()]
    return None if None in releases else "".join(map(str, releases))


def fingerprint(function: FunctionType) -> str:
    """Return a short hash of a function's tokens, without comments and docstrings.

    Raises:
        OSError: Its source is not there.
        TypeError: It is not a function written in Python.
    """
    found, starts = [], True
    for kind, text, *_ in tokenize.generate_tokens(StringIO(dedent(inspect.getsource(function))).readline):
        if kind == tokenize.NEWLINE:
            starts = True
        elif kind not in _SILENT and not (starts and kind == tokenize.STRING):
            starts = False
            found.append(text)
    return sha256(" ".join(found).encode()).hexdigest()[:12]
