"""BLEU and chrF as metrics of mbrs, loaded through its plug-in directory.

    mbrs-decode samples.txt -n 16 --plugin_dir "$(python -m fastbleu.compat.mbrs)" --metric fastbleu

The metrics `fastbleu` and `fastbleu_chrf` have the options of `bleu` and `chrf` of mbrs 0.1.8 and return equal tensors,
so that they select the same candidates. All pairs of candidates of one source are scored in one call, in the calling
process. The option `num_workers` is the number of threads of a call. With `DecoderAggregateMBR`, mbrs itself computes
the scores.
The option `fastchrf` of `chrf` is not supported, because it changes the scores.

Programs can use the classes in `fastbleu.compat.mbrs.metric`, whose import registers them. There are two alternatives:
`fastbleu.patch` speeds up mbrs' own BLEU, and `fastbleu.rerank.mbr` scores the candidates of all sources in one call.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["plugin_directory"]


def plugin_directory() -> str:
    """Return the directory of the plug-in, the value of mbrs' option ``--plugin_dir``.

    Example:
        >>> Path(plugin_directory()).name
        'fastbleu_mbrs'
    """
    # mbrs adds the parent directory, `plugins`, to `sys.path`. So `plugins` must contain nothing but the plug-in.
    return str(Path(__file__).with_name("plugins") / "fastbleu_mbrs")
