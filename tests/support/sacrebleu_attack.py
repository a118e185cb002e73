"""Random sequences of what a program may do to sacreBLEU's metric; the outcomes as JSON, a line for each seed.

    python -m tests.support.sacrebleu_attack peer|patch|stand-in FIRST_SEED SEQUENCES

All of a seed's choices are its own, so that the three ways do the same things.
"""

from __future__ import annotations

import copy
import json
import logging
import sys
import warnings
from random import Random
from typing import Any

WORDS = ["the", "cat", "sat", "on", "The", "mat", ".", ",", "1.5", "-", "dog", "中", "a", "b"]
OPERATIONS = 14

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


class Attack:
    """The operations of one seed, one after the other."""

    def __init__(self, seed: int, way: str) -> None:
        from sacrebleu.metrics.bleu import BLEU

        self.random = Random(seed)
        self.way = way
        self.kind = BLEU
        self.metrics: list[Any] = []
        self.undone: list[tuple[str, Any]] = []
        number = self.random.choice([1, 2, 4])
        self.hypotheses = [self.line() for _ in range(number)]
        streams = self.random.choice([1, 1, 2, 3])
        self.references = [[self.line() for _ in range(number)] for _ in range(streams)]

    def line(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.choice([0, 1, 3, 5, 8, 12])))

    def run(self) -> list[Any]:
        often = [
            "corpus",
            "corpus",
            "corpus",
            "sentence",
            "sentence",
            "make",
            "bootstrap",
            "signature",
            "switch",
            "restore",
        ]
        seldom = ["set", "replace", "replace_in_class", "tokenizer", "expressions", "copy", "cache"]
        found: list[Any] = []
        for _ in range(OPERATIONS):
            name = self.random.choice(often + seldom) if self.metrics else "make"
            try:
                found.append(getattr(self, name)())
            except Exception as error:  # noqa: BLE001  # its kind is an outcome
                found.append(type(error).__name__)
        while self.undone:
            self.restore()
        return found

    @property
    def metric(self) -> Any:
        return self.random.choice(self.metrics)

    def make(self) -> None:
        choose, name = self.random.choice, self.random.choice(list(STEPS))
        kind: Any = choose(
            [self.kind, self.kind, type("Own", (self.kind,), choose([{}, {name: STEPS[name]}]))]
        )
        self.metrics.append(
            kind(
                lowercase=choose([False, False, True]),
                tokenize=choose([None, "13a", "intl", "zh", "none", "char"]),
                smooth_method=choose(["exp", "floor", "add-k", "none"]),
                effective_order=choose([False, True]),
                max_ngram_order=choose([4, 4, 2, 1, 5]),
                references=choose([None, None, self.references]),
            )
        )

    def corpus(self, n_bootstrap: int = 1) -> list[Any]:
        references = self.random.choice([self.references, self.references, None])
        return numbers(self.metric.corpus_score(self.hypotheses, references, n_bootstrap=n_bootstrap))

    def bootstrap(self) -> list[Any]:
        return self.corpus(self.random.choice([2, 5]))

    def sentence(self) -> list[Any]:
        i = self.random.randrange(len(self.hypotheses))
        return numbers(
            self.metric.sentence_score(self.hypotheses[i], [stream[i] for stream in self.references])
        )

    def set(self) -> None:
        setattr(self.metric, *self.random.choice(ATTRIBUTES))

    def replace(self) -> None:
        metric, name = self.metric, self.random.choice(list(STEPS))
        setattr(metric, name, STEPS[name].__get__(metric))

    def replace_in_class(self) -> None:
        name = self.random.choice(list(STEPS))
        self.undone.append((name, vars(self.kind)[name]))
        setattr(self.kind, name, STEPS[name])

    def restore(self) -> None:
        setattr(self.kind, *self.undone.pop())

    def tokenizer(self) -> Any:
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
        from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
        from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

        kinds: list[Any] = [Tokenizer13a, TokenizerV14International, TokenizerZh]
        found = self.random.choice(kinds)()
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
        self.metrics.append(self.random.choice([copy.copy, copy.deepcopy])(self.metric))

    def cache(self) -> bool:
        found = getattr(self.metric, "_ref_cache", None)
        change = self.random.choice(CHANGES_OF_CACHES)
        if found:
            change(found)
        return bool(found)

    def signature(self) -> str:
        return str(self.metric.get_signature()).replace("|fastbleu:0.1.0", "")

    def switch(self) -> None:
        is_off = self.random.choice([False, True])
        if self.way == "patch":
            from fastbleu import patch

            (patch.uninstall if is_off else patch.install)()


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


def main(way: str, first: str, sequences: str) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    if way == "stand-in":
        from fastbleu.compat import sacrebleu

        sys.modules["sacrebleu"] = sacrebleu
    for seed in range(int(first), int(first) + int(sequences)):
        if way == "patch":
            from fastbleu import patch

            patch.install()
        sys.stdout.write(json.dumps(Attack(seed, way).run()) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
