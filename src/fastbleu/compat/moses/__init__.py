"""Moses' scripts as functions and commands: multi-bleu.perl, multi-bleu-detok.perl, mteval-v13a.pl, mteval-v14.pl.

    python -m fastbleu.compat.moses multi-bleu -lc ref < hyp            # multi-bleu.perl -lc ref < hyp
    python -m fastbleu.compat.moses multi-bleu-detok ref < hyp          # multi-bleu-detok.perl ref < hyp
    python -m fastbleu.compat.moses mteval-v14 -r ref.sgm -s src.sgm -t tst.sgm -c     # mteval-v14.pl -r ...
    python -m fastbleu.compat.moses mteval-v13a -r ref.xml -s src.xml -t tst.xml -d 2  # mteval-v13a.pl -r ...

Equal to the scripts of https://github.com/moses-smt/mosesdecoder at commit 3445289, under Perl 5.36: the same options,
standard output to the last character (but for dates and the program's name), exit codes, and files of references that
belong to a stem. BLEU is the same float. NIST is the same to 12 digits: Perl adds in the order of its hashes, which
differs from run to run. As there:

- multi-bleu.perl sees bytes. White space is ASCII's, so that a no-break space is a part of a word, and `-lc` lowercases
  ASCII letters only. Text need not be UTF-8.
- The search for the closest reference begins at 9999 words. A line without any reference counts as if its reference
  had that many, and so does one whose references all differ from it by more.
- multi-bleu-detok.perl takes the last character of a file that does not end with a newline. It lowercases hypotheses
  before it tokenizes them, and references afterwards.
- mteval finds a word too many where XML text begins with a line break or a tab and the international tokenization is
  on. NIST takes the word "0" for no context.

Where it differs, deliberately:

- Where files have different numbers of lines, standard error says so, and functions warn.
- Perl's own warnings about uninitialized values are not printed, and its other messages have other words.
- Where a script divides by 0 or takes the logarithm of 0, there is a ValueError, or a message and its exit code, 255.
- Files and standard input may be compressed by gzip or zstd, recognised by their first bytes, not by their name.
- Hypotheses of multi-bleu-detok.perl and SGML files that are not UTF-8 are refused; Perl stops at most of these.
- In references of multi-bleu-detok.perl that are not UTF-8, each byte that is not valid is escaped, as there. Perl's
  decoder also escapes a valid character between two stray continuation bytes, and a cut surrogate at the very end.
- The orders of n-grams that match (`-d 3`), of segments with the same number (v13a), and of ids that are neither
  numbers nor letters (v14) are fixed. `-x`, which neither script documents, is not there.
"""

from __future__ import annotations

from .lines import MultiBLEUScore, multi_bleu, multi_bleu_detok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .evaluation import DocumentScores, Mteval, MtevalScores, SystemScores, mteval
    from .reports import report, write_matr_files

__all__ = [
    "DocumentScores",
    "Mteval",
    "MtevalScores",
    "MultiBLEUScore",
    "SystemScores",
    "mteval",
    "multi_bleu",
    "multi_bleu_detok",
    "report",
    "write_matr_files",
]

# What mteval needs is imported when it is asked for: the commands for lines start without it.
_LATER = {
    **dict.fromkeys(("DocumentScores", "Mteval", "MtevalScores", "SystemScores", "mteval"), ".evaluation"),
    **dict.fromkeys(("report", "write_matr_files"), ".reports"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
