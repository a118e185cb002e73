"""The modules of Hugging Face `evaluate` that `fastbleu.compat.evaluate` has, as they would have been downloaded.

The class is `evaluate`'s own `Metric`, with the published features. What it computes is what the published scripts do:
with the installed sacreBLEU, with the installed NLTK, and for `bleu` by tests.support.nmt_oracle.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support import nmt_oracle
from tests.support.compared import compared
from tests.support.evaluate_corpora import tokens_of


def _lists(references: Any) -> Any:
    return [[texts] for texts in references] if isinstance(references[0], str) else references


def bleu_module(
    predictions: list[str], references: Any, max_order: int = 4, smooth: bool = False
) -> dict[str, Any]:
    """Do what `evaluate`'s `bleu` does."""
    lists = [tokens_of(texts) for texts in _lists(references)]
    return nmt_oracle.named(nmt_oracle.compute_bleu(lists, tokens_of(predictions), max_order, smooth))


def sacrebleu_module(predictions: list[str], references: Any, **options: Any) -> dict[str, Any]:
    """Do what `evaluate`'s `sacrebleu` does with the installed sacreBLEU."""
    import sacrebleu

    compared("sacrebleu 2.6.0, as evaluate's module")
    tokenize = options.pop("tokenize", None)
    score: Any = sacrebleu.corpus_bleu(
        predictions,
        [list(stream) for stream in zip(*_lists(references), strict=True)],
        **options,
        **({"tokenize": tokenize} if tokenize else {}),
    )
    keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {key: getattr(score, key) for key in keys}


def google_bleu_module(
    predictions: list[str], references: Any, min_len: int = 1, max_len: int = 4
) -> dict[str, Any]:
    """Do what `evaluate`'s `google_bleu` does with the installed NLTK."""
    from nltk.translate.gleu_score import corpus_gleu

    compared("nltk 3.10.4, as evaluate's google_bleu")
    lists = [tokens_of(texts) for texts in _lists(references)]
    return {"google_bleu": corpus_gleu(lists, tokens_of(predictions), min_len, max_len)}


def chrf_module(predictions: list[str], references: Any, **options: Any) -> dict[str, Any]:
    """Do what `evaluate`'s `chrf` does with the installed sacreBLEU."""
    import sacrebleu

    compared("sacrebleu 2.6.0, as evaluate's chrf")
    streams = [list(stream) for stream in zip(*_lists(references), strict=True)]
    score: Any = sacrebleu.CHRF(**options).corpus_score(predictions, streams)
    return {key: getattr(score, key) for key in ("score", "char_order", "word_order", "beta")}


#: Each module's class and what it computes.
PEERS: dict[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    "bleu": ("Bleu", bleu_module),
    "sacrebleu": ("Sacrebleu", sacrebleu_module),
    "google_bleu": ("GoogleBleu", google_bleu_module),
    "chrf": ("ChrF", chrf_module),
}


def peer_module(name: str, folder: Path | None = None) -> Any:
    """A module as `evaluate` would have loaded it, with its Arrow files in a folder, or in memory.

    Files where `evaluate` puts them would be locked, and each further module would wait for the lock.
    """
    import datasets
    import evaluate

    class_name, function = PEERS[name]

    def text() -> Any:
        return datasets.Value("string", id="sequence")

    class PeerModule(evaluate.Metric):  # type: ignore[misc]
        def _info(self) -> Any:
            nested = {"predictions": text(), "references": datasets.Sequence(text(), id="references")}
            flat = {"predictions": text(), "references": text()}
            features = [datasets.Features(nested), datasets.Features(flat)]
            return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

        def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
            return function(predictions, references, **options)

    PeerModule.__name__ = class_name
    return PeerModule(cache_dir=folder and str(folder / "peer"), keep_in_memory=folder is None)
