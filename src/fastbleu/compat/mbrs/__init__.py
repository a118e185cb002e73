"""Metrics for mbrs, loaded through its plug-in directory: `--metric fastbleu` and `--metric fastbleu_chrf`.

    mbrs-decode samples.txt -n 16 --plugin_dir "$(python -m fastbleu.compat.mbrs)" --metric fastbleu

Equal to the metrics `bleu` and `chrf` of mbrs 0.1.8: the same options, the same tensors, so the same candidates. They
score all pairs in one call, without a pool of processes for each source. `num_workers` is how many threads may share a
call. `DecoderAggregateMBR` takes the steps of mbrs' own metrics. fastchrf has other numbers and stays mbrs'.

In a program, `fastbleu.compat.mbrs.metric` has the classes, which register themselves. `fastbleu.patch` makes mbrs' own
BLEU fast instead, and `fastbleu.rerank.mbr` takes all pools in one call.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["plugin_directory"]


def plugin_directory() -> str:
    """Return the directory to pass to mbrs' option ``--plugin_dir``.

    Example:
        >>> Path(plugin_directory()).name
        'fastbleu_mbrs'
    """
    # mbrs adds the parent directory to the module search path, so it must contain nothing else.
    return str(Path(__file__).with_name("plugins") / "fastbleu_mbrs")
