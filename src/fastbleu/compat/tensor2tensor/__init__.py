r"""tensor2tensor's BLEU, and that of flax' example `wmt`, on the compiled counting pass.

    from fastbleu.compat.tensor2tensor import bleu_hook     # from tensor2tensor.utils import bleu_hook
    from fastbleu.compat.tensor2tensor import flax_bleu     # import bleu, in examples/wmt

Equal, in every bit and in the types of what is returned, to
https://github.com/tensorflow/tensor2tensor/blob/bafdc1b/tensor2tensor/utils/bleu_hook.py (the last commit, release
1.15.7) and https://github.com/google/flax/blob/18f8f31/examples/wmt/bleu.py. Neither TensorFlow nor JAX is needed.

Both score one reference for each translation. An order without candidates is left out of the sum of logarithms, but the
sum is divided by the number of all orders. The tokens are those of mteval-v14, with the punctuation, symbols and
decimal digits of the interpreter's version of Unicode; the backslash does not count as punctuation, since it escapes a
bracket in the regular expression there. White space at the end of a line separates a full stop from a number before it.

Where they differ, deliberately:

- Corpora of unequal length are cut to the shorter one, as there, with a UserWarning; so are the characters of a str
  scored in the place of a list of tokens.
- `bleu_wrapper` reads local files; there, all that TensorFlow can open. `bleu_score`, which works on tensors of
  TensorFlow, and the functions that wait for checkpoints are not there.
- `complete_bleu(use_bp=False)` has a penalty of 1; there, it is an UnboundLocalError.
"""

from . import bleu_hook, flax_bleu

__all__ = ["bleu_hook", "flax_bleu"]
