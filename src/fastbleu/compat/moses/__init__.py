"""Moses' multi-bleu.perl and multi-bleu-detok.perl, as functions and as commands.

    python -m fastbleu.compat.moses multi-bleu -lc ref < hyp            # multi-bleu.perl -lc ref < hyp
    python -m fastbleu.compat.moses multi-bleu-detok ref < hyp          # multi-bleu-detok.perl ref < hyp

Equal to the scripts of https://github.com/moses-smt/mosesdecoder at commit 3445289, under Perl 5.36: the same options,
standard output to the last character, exit codes, and files of references that belong to a stem. BLEU is the same
float. As there:

- multi-bleu.perl sees bytes. White space is ASCII's, so that a no-break space is a part of a word, and `-lc` lowercases
  ASCII letters only. Text need not be UTF-8.
- The search for the closest reference begins at 9999 words. A line without any reference counts as if its reference
  had that many, and so does one whose references all differ from it by more.
- multi-bleu-detok.perl takes the last character of a file that does not end with a newline. It lowercases hypotheses
  before it tokenizes them, and references afterwards.

Where it differs, deliberately:

- Where files have different numbers of lines, standard error says so, and functions warn.
- Perl's own warnings about uninitialized values are not printed, and its other messages have other words.
- Where a script divides by 0 or takes the logarithm of 0, there is a ValueError, or a message and its exit code, 255.
- Files and standard input may be compressed by gzip or zstd, recognised by their first bytes, not by their name.
- Hypotheses of multi-bleu-detok.perl that are not UTF-8 are refused; Perl stops at most of these.
- In references of multi-bleu-detok.perl that are not UTF-8, each byte that is not valid is escaped, as there. Perl's
  decoder also escapes a valid character between two stray continuation bytes, and a cut surrogate at the very end.
"""

from __future__ import annotations

from ...scoring.multi_bleu import MultiBLEUScore
from .lines import multi_bleu, multi_bleu_detok

__all__ = ["MultiBLEUScore", "multi_bleu", "multi_bleu_detok"]
