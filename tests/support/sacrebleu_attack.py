"""Operations of a program on sacreBLEU's BLEU and CHRF, and on what is built on them, for `tests.support.attacks`."""

import copy
import os
import pickle
from importlib import import_module
from typing import Any

from tests.support.attacks import Attack, Cut, distorted

#: sacreBLEU's tokenizers by their modules.
TOKENIZERS = {
    "13a": "Tokenizer13a",
    "re": "TokenizerRegexp",
    "intl": "TokenizerV14International",
    "zh": "TokenizerZh",
}
#: Steps of the metrics that a program may put others in the place of.
CHECKS = "_preprocess_segment _check_corpus_score_args _check_sentence_score_args _aggregate_and_compute"
BLEU_METHODS = f"{CHECKS} _compute_segment_statistics _extract_reference_info _get_closest_ref_len".split()
CHRF_METHODS = (
    f"{CHECKS} _compute_segment_statistics _extract_reference_info _get_match_statistics _remove_punctuation "
    "_compute_f_score"
).split()
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
CHRF_ATTRIBUTES = [
    ("lowercase", True),
    ("lowercase", False),
    ("whitespace", True),
    ("whitespace", 0),
    ("eps_smoothing", True),
    *(("char_order", order) for order in (6, 2, True, 0, -1)),
    *(("word_order", order) for order in (2, 0, 1.0)),
    *(("order", order) for order in (6, 8, 2, 0)),
    *(("beta", beta) for beta in (1, 3.5, -2, True, 10**30, float("nan"), "2")),
    ("num_refs", None),
    ("_force", False),
    ("_PUNCTS", {"t"}),
]
CHANGES_OF_CACHES: list[Any] = [
    lambda cache: cache.reverse(),
    lambda cache: cache.append(cache[0]),
    lambda cache: cache.pop(),
    lambda cache: cache[0]["ref_ngrams"].clear(),
]
OF_BLEU: list[Any] = [
    lambda cache: cache[0].update(ref_lens=[9]),
    lambda cache: cache.__setitem__(slice(None), cache[::-1]),
]
OF_CHRF: list[Any] = [
    lambda cache: cache[0].update(ref_ngrams=[]),
    lambda cache: cache[0]["ref_ngrams"][0].clear(),
    lambda cache: cache[0]["ref_ngrams"][0][0].update("abc"),
]


class OfSacrebleu(Attack):
    operations = (
        "corpus corpus corpus sentence sentence make bootstrap signature "
        "set replace_step replace_in_class tokenizer expressions copy cache"
    )

    name = "BLEU"
    steps, attributes, changes_of_caches = BLEU_METHODS, ATTRIBUTES, [*CHANGES_OF_CACHES, *OF_BLEU]

    def __init__(self, seed: int, way: str) -> None:
        super().__init__(seed, way)
        self.kind: Any = getattr(import_module(f"sacrebleu.metrics.{self.name.lower()}"), self.name)
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
        name = self.pick(*self.steps)
        step = {name: distorted(getattr(self.kind, name))}
        meta = type("Meta", (type(self.kind),), step)
        kind: Any = self.pick(
            self.kind,
            self.kind,
            type("Own", (self.kind,), self.pick({}, {"__slots__": ("extra",)}, step)),
            meta("Own", (self.kind,), {}),
        )
        self.metrics.append(kind(**self.options(), references=self.pick(None, None, self.references)))

    def options(self) -> dict[str, Any]:
        return {
            "lowercase": self.pick(False, False, True),
            "tokenize": self.pick(None, "13a", "intl", "zh", "none", "char"),
            "smooth_method": self.pick("exp", "floor", "add-k", "none"),
            "effective_order": self.pick(False, True),
            "max_ngram_order": self.pick(4, 4, 2, 1, 5),
        }

    def corpus(self, n_bootstrap: int = 1) -> list[Any]:
        references = self.pick(self.references, self.references, None)
        hypotheses = self.of_own_kind(self.hypotheses)
        return numbers(self.metric.corpus_score(hypotheses, references, n_bootstrap=n_bootstrap))

    def bootstrap(self) -> list[Any]:
        return self.corpus(self.pick(2, 5))

    def sentence(self) -> list[Any]:
        i = self.random.randrange(len(self.hypotheses))
        return numbers(
            self.metric.sentence_score(
                self.pick(str, str, str, Cut)(self.hypotheses[i]),
                self.of_own_kind([stream[i] for stream in self.references]),
            )
        )

    def set(self) -> None:
        setattr(self.metric, *self.pick(*self.attributes))

    def replace_step(self) -> None:
        metric, name = self.metric, self.pick(*self.steps)
        setattr(metric, name, distorted(getattr(metric, name)))

    def replace_in_class(self) -> None:
        name = self.pick(*self.steps)
        holder = next(kind for kind in self.kind.__mro__ if name in vars(kind))
        self.put(holder, name, distorted(vars(holder)[name]))

    def with_tokenizer(self) -> Any:
        """A metric with one of sacreBLEU's own tokenizers, which has remembered nothing yet."""
        name, metric = self.pick("13a", "intl", "zh"), self.metric
        metric.tokenizer = getattr(
            import_module(f"sacrebleu.tokenizers.tokenizer_{name}"), TOKENIZERS[name]
        )()
        return metric

    def tokenizer(self) -> Any:
        return self.with_tokenizer().tokenizer.signature()

    def expressions(self) -> None:
        tokenizer = self.with_tokenizer().tokenizer
        getattr(tokenizer, "_post_tokenizer", tokenizer)._re.pop()

    def copy(self) -> None:
        self.metrics.append(self.pick(copy.copy, copy.deepcopy)(self.metric))

    def cache(self) -> bool:
        found = getattr(self.metric, "_ref_cache", None)
        change = self.pick(*self.changes_of_caches)
        if found:
            change(found)
        return bool(found)

    def signature(self) -> str:
        return str(self.metric.get_signature()).replace("|fastbleu:0.1.0", "")


class OfAllOfSacrebleu(OfSacrebleu):
    """Changes of the modules and classes around the metric, which the replacement lacks."""

    operations = OfSacrebleu.operations + " function attribute pickle seed"
    scores = "corpus sentence bootstrap function"
    reads: tuple[str, ...] = (
        "sacrebleu.metrics.bleu BLEU BLEUScore extract_all_word_ngrams math my_log sum_of_lists sacrelogger",
        "sacrebleu.metrics.helpers Counter extract_all_word_ngrams",
        "sacrebleu.metrics.base Sequence sacrelogger",
        "sacrebleu.utils math",
        "sacrebleu.tokenizers.tokenizer_zh _UCODE_RANGES",
        "sacrebleu.compat BLEU",
    )

    written = (
        "sacrebleu.metrics.bleu extract_all_word_ngrams my_log sum_of_lists BLEU.__init__ BLEU.compute_bleu",
        "sacrebleu.metrics.bleu BLEU._preprocess_segment BLEU._get_closest_ref_len BLEU._extract_reference_info",
        "sacrebleu.metrics.bleu BLEU._compute_segment_statistics BLEU._compute_score_from_stats BLEUScore.__init__",
        "sacrebleu.metrics.base Metric.corpus_score Metric.sentence_score Metric._extract_corpus_statistics",
        "sacrebleu.metrics.base Metric._cache_references Metric._check_corpus_score_args Score.__init__",
        "sacrebleu.compat corpus_bleu sentence_bleu",
        "sacrebleu.tokenizers.tokenizer_re TokenizerRegexp.__call__",
        "sacrebleu.tokenizers.tokenizer_13a Tokenizer13a.__call__ Tokenizer13a.signature",
        "sacrebleu.tokenizers.tokenizer_intl TokenizerV14International.__call__",
        "sacrebleu.tokenizers.tokenizer_zh TokenizerZh.__call__ TokenizerZh._is_chinese_char",
    )

    def __init__(self, seed: int, way: str) -> None:
        super().__init__(seed, way)
        self.functions = import_module("sacrebleu.compat")

    def put(self, holder: Any, name: str, value: Any) -> None:
        super().put(holder, name, value)
        forget()

    def restore(self) -> None:
        super().restore()
        forget()

    def function(self) -> list[Any]:
        options: dict[str, Any] = {
            "smooth_method": self.pick("exp", "floor", "add-k"),
            "smooth_value": self.pick(None, None, 0.5),
            "lowercase": self.pick(False, True),
            "tokenize": self.pick("13a", "13a", "intl", "zh", "none"),
            "use_effective_order": self.pick(False, True),
        }
        if self.pick(False, True):
            return numbers(self.functions.corpus_bleu(self.hypotheses, self.references, **options))
        streams = [stream[0] for stream in self.references]
        return numbers(self.functions.sentence_bleu(self.hypotheses[0], streams, **options))

    def attribute(self) -> None:
        """Change the tokenizer of a metric, which may have scored before, or take something away."""
        metric = self.metric
        metric.tokenizer = copy.deepcopy(metric.tokenizer)  # sacreBLEU's remembers its lines
        inner = getattr(metric.tokenizer, "_post_tokenizer", metric.tokenizer)
        self.pick(
            lambda: setattr(metric.tokenizer, "_post_tokenizer", lambda line: line[::-1]),
            lambda: setattr(metric.tokenizer, "extra", 1),
            lambda: setattr(inner, "_re", inner._re[:1]),
            lambda: delattr(inner, "_re"),
            lambda: delattr(metric, "num_refs"),
            lambda: setattr(metric, "extra", 1),
            lambda: setattr(
                metric, "__class__", type("Own", (type(metric),), {"_get_closest_ref_len": lambda *_: 5})
            ),
            lambda: setattr(metric, "__class__", type("Own", (type(metric),), {"__getattribute__": got})),
        )()

    def seed(self) -> None:
        os.environ["SACREBLEU_SEED"] = self.pick("12345", "7", "0")

    def pickle(self) -> None:
        self.metrics.append(pickle.loads(pickle.dumps(self.metric)))


class OfChrf(OfSacrebleu):
    operations = (
        "corpus corpus corpus sentence sentence make bootstrap signature "
        "set replace_step replace_in_class punctuation copy cache"
    )
    name = "CHRF"
    steps, changes_of_caches = CHRF_METHODS, [*CHANGES_OF_CACHES, *OF_CHRF]
    attributes: list[Any] = CHRF_ATTRIBUTES

    def options(self) -> dict[str, Any]:
        return {
            "char_order": self.pick(6, 6, 2, 1, 0),
            "word_order": self.pick(0, 2, 2, 1),
            "beta": self.pick(2, 2, 1, 3.5),
            "lowercase": self.pick(False, False, True),
            "whitespace": self.pick(False, True),
            "eps_smoothing": self.pick(False, False, True),
        }

    def punctuation(self) -> None:
        changed = set("t.")
        self.kind._PUNCTS ^= changed
        self.undo.append((self, "swapped", changed))

    @property
    def swapped(self) -> set[str]:
        return set()

    @swapped.setter
    def swapped(self, changed: set[str]) -> None:
        self.kind._PUNCTS ^= changed


def forget() -> None:
    """Forget what tokenizers remember: under the patch they are not asked, and have remembered nothing."""
    for module, name in TOKENIZERS.items():
        call = getattr(import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), name).__call__
        getattr(call, "cache_clear", lambda: None)()


def got(metric: Any, name: str) -> Any:
    """The attributes of a metric, with one step of its own."""
    return (lambda _: "a b c d") if name == "_preprocess_segment" else object.__getattribute__(metric, name)


def numbers(score: Any) -> list[Any]:
    if isinstance(score, str):
        return [score]
    kept = {name: value for name, value in vars(score).items() if name not in ("_mean", "_ci")}
    copied = pickle.loads(pickle.dumps(score))
    return [
        *map(repr, kept.items()),
        str(score),
        score.format(3, signature="own"),
        str(copied) == str(score) and vars(copied) == vars(score),
        round(getattr(score, "_mean", 0), 4),
    ]


ATTACKS: dict[str, type[Attack]] = {
    "sacrebleu": OfSacrebleu,
    "sacrebleu.compat": OfAllOfSacrebleu,
    "sacrebleu.metrics.chrf": OfChrf,
}
