"""Operations of a program on sacreBLEU's metric, for `tests.support.attacks`."""

from __future__ import annotations

import copy
from typing import Any

from tests.support.attacks import Attack

#: Steps that a program may put in the place of sacreBLEU's.
STEPS: dict[str, Any] = {
    "_preprocess_segment": lambda _, sent: " ".join(sent.split()[:3]),
    "_compute_segment_statistics": lambda self, *_: [
        4,
        4,
        *[3] * self.max_ngram_order,
        *[4] * self.max_ngram_order,
    ],
    "_extract_reference_info": lambda *_: {"ref_ngrams": {}, "ref_lens": [3]},
    "_get_closest_ref_len": lambda *_: 7,
    "_aggregate_and_compute": lambda self, stats: self._compute_score_from_stats(
        [len(stats), 4, *[3] * self.max_ngram_order, *[4] * self.max_ngram_order]
    ),
}
ATTRIBUTES = [
    ("lowercase", True),
    ("lowercase", False),
    ("smooth_method", "floor"),
    ("smooth_method", "add-k"),
    ("smooth_value", 0.5),
    ("smooth_value", None),
    ("effective_order", True),
    *(("max_ngram_order", order) for order in (3, 4, True, 0)),
    ("num_refs", None),
    ("_force", True),
    ("trg_lang", "zh"),
]
CHANGES_OF_CACHES: list[Any] = [
    lambda cache: cache.reverse(),
    lambda cache: cache.append(cache[0]),
    lambda cache: cache.pop(),
    lambda cache: cache[0].update(ref_lens=[9]),
    lambda cache: cache[0]["ref_ngrams"].clear(),
    lambda cache: cache.__setitem__(slice(None), cache[::-1]),
]


class OfSacrebleu(Attack):
    operations = (
        "corpus corpus corpus sentence sentence make bootstrap signature "
        "set replace_step replace_in_class tokenizer expressions copy cache"
    )

    def __init__(self, seed: int, way: str) -> None:
        from sacrebleu.metrics.bleu import BLEU

        super().__init__(seed, way)
        self.kind = BLEU
        number = self.pick(1, 2, 4)
        self.hypotheses = [self.line() for _ in range(number)]
        self.references = [[self.line() for _ in range(number)] for _ in range(self.pick(1, 1, 2, 3))]
        self.make()

    def line(self) -> str:
        return " ".join(self.words(0, 1, 3, 5, 8, 12))

    @property
    def metric(self) -> Any:
        return self.pick(*self.metrics)

    def make(self) -> None:
        name = self.pick(*STEPS)
        kind: Any = self.pick(
            self.kind, self.kind, type("Own", (self.kind,), self.pick({}, {name: STEPS[name]}))
        )
        self.metrics.append(
            kind(
                lowercase=self.pick(False, False, True),
                tokenize=self.pick(None, "13a", "intl", "zh", "none", "char"),
                smooth_method=self.pick("exp", "floor", "add-k", "none"),
                effective_order=self.pick(False, True),
                max_ngram_order=self.pick(4, 4, 2, 1, 5),
                references=self.pick(None, None, self.references),
            )
        )

    def corpus(self, n_bootstrap: int = 1) -> list[Any]:
        references = self.pick(self.references, self.references, None)
        return numbers(self.metric.corpus_score(self.hypotheses, references, n_bootstrap=n_bootstrap))

    def bootstrap(self) -> list[Any]:
        return self.corpus(self.pick(2, 5))

    def sentence(self) -> list[Any]:
        i = self.random.randrange(len(self.hypotheses))
        return numbers(
            self.metric.sentence_score(self.hypotheses[i], [stream[i] for stream in self.references])
        )

    def set(self) -> None:
        setattr(self.metric, *self.pick(*ATTRIBUTES))

    def replace_step(self) -> None:
        metric, name = self.metric, self.pick(*STEPS)
        setattr(metric, name, STEPS[name].__get__(metric))

    def replace_in_class(self) -> None:
        self.replace(self.kind, STEPS)

    def tokenizer(self) -> Any:
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
        from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
        from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

        kinds: list[Any] = [Tokenizer13a, TokenizerV14International, TokenizerZh]
        found = self.pick(*kinds)()
        self.metric.tokenizer = found
        return found.signature()

    def expressions(self) -> None:
        self.tokenizer()
        for metric in self.metrics:
            of_regexp = getattr(metric.tokenizer, "_post_tokenizer", metric.tokenizer)
            if hasattr(of_regexp, "_re"):
                metric.tokenizer = copy.deepcopy(metric.tokenizer)  # one that has remembered nothing
                getattr(metric.tokenizer, "_post_tokenizer", metric.tokenizer)._re.pop()
                return

    def copy(self) -> None:
        self.metrics.append(self.pick(copy.copy, copy.deepcopy)(self.metric))

    def cache(self) -> bool:
        found = getattr(self.metric, "_ref_cache", None)
        change = self.pick(*CHANGES_OF_CACHES)
        if found:
            change(found)
        return bool(found)

    def signature(self) -> str:
        return str(self.metric.get_signature()).replace("|fastbleu:0.1.0", "")


def numbers(score: Any) -> list[Any]:
    exact = [
        score.score,
        *score.counts,
        *score.totals,
        *score.precisions,
        score.bp,
        score.sys_len,
        score.ref_len,
    ]
    return [*exact, str(score), round(getattr(score, "_mean", 0), 4)]
