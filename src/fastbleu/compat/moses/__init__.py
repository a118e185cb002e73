"""Moses' multi-bleu.perl and multi-bleu-detok.perl, as functions and as commands.

    python -m fastbleu.compat.moses multi-bleu -lc ref < hyp            # multi-bleu.perl -lc ref < hyp
    python -m fastbleu.compat.moses multi-bleu-detok ref < hyp          # multi-bleu-detok.perl ref < hyp

The options, standard output, exit codes and the search for files of references equal those of the scripts of
https://github.com/moses-smt/mosesdecoder at commit 3445289, under Perl 5.36. BLEU is the same float. As in the scripts:

- multi-bleu.perl reads bytes, which need not be UTF-8. Only ASCII white space separates words, so a no-break space is
  part of a word. `-lc` lowercases only ASCII letters.
- A line without any reference counts as if its reference had 9999 words.
- multi-bleu-detok.perl removes the last character of a file that does not end with a newline. It lowercases hypotheses
  before it tokenizes them, and references afterwards.

Deliberate differences:

- If files have different numbers of lines, the command writes a warning to standard error, and the functions warn.
- Perl's own warnings about uninitialized values are not printed, and error messages are worded differently.
- If a script divides by 0 or takes the logarithm of 0, the functions raise a ValueError, and the command prints a
  message and exits with the script's code, 255.
- Files and standard input may be compressed by gzip or zstd. Compression is recognised by the first bytes of the data,
  not by the name of the file.
- In files for multi-bleu-detok, bytes that are not UTF-8 raise a ValueError, and Unicode's noncharacters, such as
  U+FFFE, are read as text. In most cases, the original script aborts if hypotheses contain such bytes. In
  references, it escapes invalid bytes and noncharacters.
- A reference may have 9999 words or more; the scripts do not find the closest length among such references.
"""

from __future__ import annotations

from ...scoring.moses_formula import MultiBLEUScore
from .lines import multi_bleu, multi_bleu_detok

__all__ = ["MultiBLEUScore", "multi_bleu", "multi_bleu_detok"]
