"""fairseq's BLEU: `fairseq.scoring.bleu`, which counts token ids in its library libbleu, and its scorer by sacreBLEU.

    from fastbleu.compat.fairseq import BleuConfig, Scorer         # from fairseq.scoring.bleu import BleuConfig, Scorer

Equal to the last digit to fairseq at commit 3d262bb (September 2025): the same classes, methods, statistics and types.
The older signature `Scorer(pad, eos, unk)`, which fairseq's own `fairseq-score --sentence-bleu` still calls, works as
well. PyTorch is not imported. As there:

- Padding is trimmed at the start, padding and end-of-sentence at the end; the first token that is left is never
  trimmed. Unknown tokens of the reference match nothing, and count.
- There is one reference. Without smoothing, the score is 0 where an order has no match. `reset(one_init=True)` adds 1
  to both counts of the orders 2 to 4, before the scores of single sentences.
- libbleu takes n-grams for equal whose hashes are, and its hash (as compiled for x86-64) is the same for some: (128, 0)
  and (126, 254) are one bigram. Where both stand in a pair, it counts a match too many, and so does this.
- Without tokens, `score`, `brevity` and `result_string` raise a ZeroDivisionError.
- `Scorer` has no `add_string`: by that, fairseq's programs tell the scorers of text from it.

Where it differs, deliberately:

- A prediction or reference without tokens, or of padding alone, counts as one of 0 tokens. There, libbleu reads memory
  that is not its own, and does not return.
- NumPy arrays and sequences of int are taken beside torch.IntTensor.
- A negative id in a reference is a ValueError, not an AssertionError; so is an unknown tokenizer.
- Nothing is registered with fairseq, and configurations are plain data classes.
"""

from __future__ import annotations

from .ids import BleuConfig, BleuStat, Scorer
from .text import EvaluationTokenizer, SacrebleuConfig, SacrebleuScorer

__all__ = [
    "BleuConfig",
    "BleuStat",
    "EvaluationTokenizer",
    "SacrebleuConfig",
    "SacrebleuScorer",
    "Scorer",
]
