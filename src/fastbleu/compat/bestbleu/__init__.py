"""bestbleu.py, with which distillation pipelines take the best candidate of each n-best list by its reference.

    python -m fastbleu.compat.bestbleu -i file.nbest -r file.ref -o file.out      # bestbleu.py -i ... -r ... -o ...

Equal to `train-student/data/bestbleu.py` of https://github.com/browsermt/students at commit 18bb4fd, which
firefox-translations-training and OpusDistillery have copied, and with `--copyrate` to the copy of
https://github.com/GreenNLP/firefox-translations-training at commit f4633d0: the same options, the same lines on
standard output, the same scores with `--debug`, under the same interpreter. As there:

- The score is BLEU of tokens between white space, with 1 added to both counts of each order. A candidate with fewer
  than four tokens scores 0. The first of the candidates with the best score wins.
- Sources are numbered from 0. Candidates after those of the last reference are not read.
- `--metric` is "bleu", "sacrebleu" or "chrf". Another `--toolkit` than "marian" and "t2t" writes nothing.

Where it differs, deliberately:

- `--threads` is new. Files and standard input may be compressed by gzip or zstd, and are UTF-8 in every locale.
- A source without candidates, a line that cannot be read, and an empty reference end the script with a traceback. Here
  they end it with a message and the same exit code, 1. What stands before has been written.
- Where candidates are left over after the last reference, standard error says so.
- A source's number is written in digits. The script takes all that Python's `int` reads, such as `1_0`.
- `--metric chrf` scores against a list of references, as the script at this commit does. Later copies give sacreBLEU a
  str, which sacreBLEU 2 refuses.
"""

from __future__ import annotations

from .command import main

__all__ = ["main"]
