"""Small pools of text and metrics for them: what the compiled modules of `fastbleu.rerank` are tested with."""

from hypothesis import strategies as st

from fastbleu import BLEU

METHODS = ["exp", "floor", "add-k", "none", "add-one", "add-one-above-first"]

TEXT = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)
POOL = st.lists(TEXT, min_size=1, max_size=6)
METRICS = st.builds(
    BLEU,
    tokenize=st.just("none"),
    smooth_method=st.sampled_from(METHODS),
    max_ngram_order=st.sampled_from([1, 2, 3, 4, 4, 4, 5, 8, 9, 12]),
    effective_order=st.booleans(),
)
