"""Random sequences of changes that a program may make to another package; the outcomes as JSON, a line for each seed.

    python -m tests.support.attacks PEER peer|patch|replacement FIRST_SEED SEQUENCES

A seed determines all choices, so each way does the same. The replacement is `fastbleu.compat.sacrebleu`; the peer
"sacrebleu.compat" is sacreBLEU with the modules around its metrics, which the replacement lacks.
"""

import copy
import inspect
import json
import logging
import math
import pickle
import sys
import warnings
from collections import Counter
from importlib import import_module
from random import Random
from typing import Any
from unittest import mock

NOTHING = object()
TWO = (lambda *_, **__: 2).__code__
WORDS = ["the", "cat", "The", "sat.", "on", "mat,", "1.5", "&amp;", "-", "中", "a", "b", "İ", "\x85"]


class Cut(str):
    """Text that overrides methods of str."""

    __slots__ = ()

    def rstrip(self, *_: Any) -> str:
        return self[:7]

    def split(self, *_: Any) -> list[str]:
        return list(self)

    def __iter__(self) -> Any:
        return iter("the cat")


class Backwards(list[Any]):
    def __iter__(self) -> Any:
        return reversed(self)


class Odd(str):
    """A token that is equal to different tokens."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return str(self)[:1] == str(other)[:1]

    def __hash__(self) -> int:
        return 5


class Attack:
    """A sequence for one package. Each subclass has operations that make, score, change and replace."""

    operations = ""
    #: Modules of the peer, and functions in each that its code calls.
    written: tuple[str, ...] = ()
    #: A module of the peer, and names in it that its code reads.
    reads: tuple[str, ...] = ()
    #: Operations that score.
    scores = ""

    def __init__(self, seed: int, way: str) -> None:
        self.random, self.way = Random(seed), way
        self.undo: list[tuple[Any, str, Any]] = []
        self.metrics: list[Any] = []

    def run(self) -> list[Any]:
        found = []
        for _ in range(12):
            more = ["mocked", "shadowed", "deleted", "mathematics"] if self.reads else []
            more += ["exchanged", "replaced"] if self.written else []
            operation = self.random.choice([*self.operations.split(), "restore", "switch", *more])
            try:
                value = shown(getattr(self, operation)())
            except Exception as error:  # noqa: BLE001  # whatever the peer raises
                value = type(error).__name__
            found.append([operation, value])
        while self.undo:
            self.restore()
        return found

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def words(self, *lengths: int) -> list[Any]:
        return self.random.choices(WORDS, k=self.random.choice(lengths))

    def put(self, holder: Any, name: str, value: Any) -> None:
        is_function = inspect.isfunction(holder)
        before = getattr(holder, name) if is_function else vars(holder).get(name, NOTHING)
        self.undo.append((holder, name, before))
        setattr(holder, name, value)

    def restore(self) -> None:
        if self.undo:
            holder, name, value = self.undo.pop()
            if value is not NOTHING:
                setattr(holder, name, value)
            elif name in vars(holder):
                delattr(holder, name)

    def part(self) -> tuple[Any, str]:
        module, *names = self.pick(*self.reads).split()
        return import_module(module), self.pick(*names)

    def function_of_the_peer(self) -> tuple[Any, str]:
        """Pick a module or class of the peer and the name of a function in it."""
        module, *names = self.pick(*self.written).split()
        *path, name = self.pick(*names).split(".")
        holder = import_module(module)
        return (getattr(holder, path[0]) if path else holder), name

    def replaced(self) -> None:
        """Put a function in the place of one of the peer that changes its result."""
        holder, name = self.function_of_the_peer()
        self.put(holder, name, distorted(vars(holder)[name]))

    def exchanged(self) -> Any:
        """Give a function of the peer other code or other defaults."""
        function = getattr(*self.function_of_the_peer())
        function = inspect.unwrap(getattr(function, "__func__", function))
        defaults = function.__defaults__ and (2,) * len(function.__defaults__)
        self.put(function, *self.pick(("__code__", TWO), ("__code__", TWO), ("__defaults__", defaults)))
        return self.score_somehow()

    def of_own_kind(self, texts: list[Any]) -> Any:
        """Usually return a list unchanged; otherwise one of a subclass, or with texts of a subclass."""
        return self.pick(list, list, list, list, list, Backwards, lambda each: [*map(Cut, each)])(texts)

    def score_somehow(self) -> Any:
        return shown(getattr(self, self.pick(*self.scores.split()))())

    def mocked(self) -> Any:
        """Score with a name of a module wrapped, as tests of programs do, and count its calls."""
        holder, name = self.part()
        value = vars(holder).get(name)
        if not callable(value):
            return None
        with mock.patch.object(holder, name, side_effect=value) as wrapped:
            return [self.score_somehow(), wrapped.call_count]

    def shadowed(self) -> Any:
        """Give a module a name of Python's own built-in functions."""
        holder, _ = self.part()
        self.put(
            holder,
            self.pick("len", "min", "max", "sum", "zip", "range", "abs", "enumerate"),
            lambda *_, **__: 2,
        )
        return self.score_somehow()

    def deleted(self) -> Any:
        holder, name = self.part()
        if name in vars(holder):
            self.put(holder, name, None)
            delattr(holder, name)
        return self.score_somehow()

    def mathematics(self) -> Any:
        self.put(math, self.pick("log", "exp", "fsum"), lambda *_: -0.5)
        try:
            return self.score_somehow()
        finally:
            self.restore()

    def switch(self) -> None:
        is_off = self.pick(False, True)
        if self.way == "patch":
            from fastbleu import patch

            (patch.uninstall if is_off else patch.install)()


class OfNLTK(Attack):
    operations = "sentence sentence sentence sentence corpus corpus gleu corpus_gleu precision chrf"
    scores = "sentence corpus gleu corpus_gleu precision chrf"
    written = (
        "nltk.translate.bleu_score modified_precision closest_ref_length brevity_penalty SmoothingFunction.method1",
        "nltk.translate.bleu_score sentence_bleu corpus_bleu SmoothingFunction.__init__ Fraction.__new__",
        "nltk.translate.gleu_score sentence_gleu corpus_gleu",
        "nltk.translate.chrf_score sentence_chrf corpus_chrf chrf_precision_recall_fscore_support",
        "nltk.util ngrams everygrams pad_sequence",
    )
    reads = (
        "nltk.translate.bleu_score Counter Fraction brevity_penalty closest_ref_length corpus_bleu math ngrams",
        "nltk.translate.gleu_score Counter everygrams corpus_gleu",
        "nltk.util pad_sequence chain islice deque",
    )

    def __init__(self, seed: int, way: str) -> None:
        super().__init__(seed, way)
        names = (f"nltk.translate.{name}_score" for name in ("bleu", "gleu", "chrf"))
        self.bleu, self.of_gleu, self.of_chrf = map(import_module, names)

    def tokens(self) -> Any:
        words = self.words(0, 1, 2, 4, 7, 11)
        kinds = (list, list, list, list, tuple, " ".join, iter, dict.fromkeys, lambda each: [*each, ["list"]])
        odd = (Backwards, lambda each: Cut(" ".join(each)), lambda each: [*map(Odd, each)])
        return self.pick(*kinds, *odd, lambda each: [*map(WORDS.index, each)], lambda each: [*each, None])(
            words
        )

    def references(self) -> Any:
        return self.pick(list, list, list, Backwards)(
            [self.tokens() for _ in range(self.pick(1, 1, 2, 3, 0))]
        )

    def options(self) -> tuple[Any, Any]:
        smoothing = self.bleu.SmoothingFunction(*self.pick((), (), (), (0.5, 2, 3.5), (0, 1.5)))
        if self.random.random() < 0.1:
            smoothing.k = self.pick(1, 7, 0)
        method = getattr(smoothing, f"method{self.random.randrange(8)}")
        own = self.pick(lambda p_n, *_, **__: [max(float(p), 0.01) for p in p_n], 3)
        weights = self.pick((0.25,) * 4, (0.5, 0.5), (1,), [0.25] * 4, (0, 0, 1), [(0.5, 0.5), (1,)], (1, 1))
        return weights, self.pick(None, method, method, method, own)

    def sentence(self) -> Any:
        return self.bleu.sentence_bleu(self.references(), self.tokens(), *self.options())

    def corpus(self) -> Any:
        references, hypotheses = [self.references(), [self.tokens()]], [self.tokens(), self.tokens()]
        return self.bleu.corpus_bleu(references, hypotheses, *self.options(), self.pick(False, False, True))

    def gleu(self) -> Any:
        return self.of_gleu.sentence_gleu(
            self.references(), self.tokens(), self.pick(1, 2), self.pick(4, 3, 2)
        )

    def corpus_gleu(self) -> Any:
        return self.of_gleu.corpus_gleu([self.references(), [self.tokens()]], [self.tokens(), self.tokens()])

    def precision(self) -> Any:
        found = self.bleu.modified_precision(self.references(), self.tokens(), self.pick(1, 2, 4, 0))
        return type(found).__name__, found.numerator, found.denominator

    def chrf(self) -> Any:
        options = (self.pick(0, 1, 1, 2), self.pick(1, 2, 6), self.pick(3.0, 1, 0), self.pick(False, True))
        if self.pick(False, True):
            return self.of_chrf.sentence_chrf(self.tokens(), self.tokens(), *options)
        pairs = [(self.tokens(), self.tokens()) for _ in range(self.pick(1, 2, 3))]
        return self.of_chrf.corpus_chrf(*map(list, zip(*pairs, strict=True)), *options)


class OfTorchmetrics(Attack):
    scores = "update function chrf"
    reads = (
        "torchmetrics.functional.text.bleu Counter _count_ngram _tokenize_fn",
        "torchmetrics.functional.text.sacre_bleu re partial",
    )
    written = (
        "torchmetrics.functional.text.bleu _count_ngram _tokenize_fn _bleu_score_update _bleu_score_compute",
        "torchmetrics.functional.text.chrf _chrf_score_update _chrf_score_compute _get_n_grams_counts_and_total_ngrams",
        *(
            f"torchmetrics.functional.text.sacre_bleu _SacreBLEUTokenizer.{name}"
            for name in [
                "__call__",
                "tokenize",
                "_lower",
                "_tokenize_regex",
                "_tokenize_13a",
                "_is_chinese_char",
            ]
        ),
    )
    operations = "make update update update update forward function chrf attribute of_tokenizer copy"

    def __init__(self, seed: int, way: str) -> None:
        super().__init__(seed, way)
        self.torch: Any = import_module("torch")
        self.torch.set_num_threads(1)
        names = (
            "torchmetrics.functional.text.bleu",
            "torchmetrics.functional.text.sacre_bleu",
            "torchmetrics.text",
            "torchmetrics.functional.text",
        )
        self.bleu, self.sacrebleu, self.text, self.functions = map(import_module, names)
        self.chrf_metrics = [self.text.CHRFScore(), self.text.CHRFScore(lowercase=True, n_word_order=0)]
        self.kind = self.sacrebleu._SacreBLEUTokenizer
        self.make()

    def line(self) -> str:
        return " ".join(self.words(0, 1, 3, 6, 9))

    def texts(self) -> tuple[Any, Any]:
        n = self.pick(1, 2, 4)
        lines = [self.line() for _ in range(n)]
        targets: list[Any] = [[self.line() for _ in range(self.pick(1, 1, 2, 3))] for _ in range(n)]
        often: tuple[Any, ...] = (list,) * 4
        of_lines = (*often, tuple, iter, dict.fromkeys, lambda each: [*each, "extra"], "".join)
        of_targets = (*often, iter, lambda each: [*map(iter, each)], lambda each: each[:-1])
        flat = self.pick(*of_targets, lambda each: [x[0] for x in each], lambda each: [*each[:-1], []])
        return self.pick(*of_lines, self.of_own_kind)(lines), flat(targets)

    def make(self) -> None:
        options: dict[str, Any] = {"n_gram": self.pick(1, 2, 4, 5), "smooth": self.pick(False, True)}
        if self.pick(False, True):
            options.update(self.of_sacrebleu())
        self.metrics.append(
            (self.text.SacreBLEUScore if "tokenize" in options else self.text.BLEUScore)(**options)
        )

    def of_sacrebleu(self) -> dict[str, Any]:
        return {
            "tokenize": self.pick("none", "13a", "zh", "intl", "char"),
            "lowercase": self.pick(False, True),
        }

    def update(self) -> Any:
        metric = self.pick(*self.metrics)
        failed = ""
        try:
            metric.update(*self.texts())
        except (AttributeError, IndexError, RuntimeError, TypeError, ValueError) as error:
            failed = type(error).__name__
        sums = [getattr(metric, name) for name in ("numerator", "denominator", "preds_len", "target_len")]
        return [failed, *((str(each.dtype), each.tolist()) for each in sums), metric.compute().item()]

    def forward(self) -> Any:
        return self.pick(*self.metrics)(*self.texts()).item()

    def function(self) -> Any:
        options = {"n_gram": self.pick(4, 2), "smooth": self.pick(False, True)}
        if self.pick(False, True):
            return self.sacrebleu.sacre_bleu_score(*self.texts(), **options, **self.of_sacrebleu()).item()
        return self.bleu.bleu_score(*self.texts(), **options).item()

    def attribute(self) -> None:
        metric, torch = self.pick(*self.metrics), self.torch
        values = {
            "n_gram": self.pick(1, 2, 4, 3, True, 0, 2.0),
            "numerator": self.pick(torch.zeros(4, 2), metric.denominator),
            "denominator": metric.denominator.to(self.pick(torch.float16, torch.int64)),
            "preds_len": torch.tensor(self.pick(16777215.0, 5.0)),
            "tokenizer": self.pick(
                str.split, self.bleu._tokenize_fn, self.kind("13a"), self.kind("zh", True)
            ),
        }
        setattr(metric, *self.pick(*values.items()))

    def of_tokenizer(self) -> None:
        tokenizer = self.pick(*self.metrics).tokenizer
        values = {
            "lowercase": True,
            "tokenize_fn": self.pick(self.kind._tokenize_char, lambda line: line[::-1]),
            "_REGEX": (),
            "_lower": lambda line, _: line.upper(),
        }
        if isinstance(tokenizer, self.kind):
            setattr(tokenizer, *self.pick(*values.items()))

    def chrf(self) -> Any:
        texts, metric = self.texts(), self.chrf_metrics[self.pick(0, 1)]
        call = self.pick(metric, lambda *each: self.functions.chrf_score(*each, n_word_order=self.pick(0, 2)))
        found = call(*texts)
        return [each.tolist() for each in (found if isinstance(found, tuple) else (found, metric.compute()))]

    def copy(self) -> None:
        copied = self.pick(copy.copy, copy.deepcopy, lambda metric: pickle.loads(pickle.dumps(metric)))
        self.metrics.append(copied(self.pick(*self.metrics)))


ATTACKS: dict[str, type[Attack]] = {"nltk": OfNLTK, "torchmetrics": OfTorchmetrics}


def distort(value: Any) -> Any:
    """Change the result of a function into another value of its kind; raise an error in the place of None."""
    if value is None:
        raise ZeroDivisionError
    if hasattr(value, "score"):
        value.score /= 2
    if type(value) is dict:
        return {key: distort(each) for key, each in value.items()}
    if isinstance(value, Counter):
        return Counter(list(value)[:2])
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value.swapcase()
    return value[::-1] if isinstance(value, (list, tuple)) else value


def distorted(function: Any) -> Any:
    """A function, static method or method of a class that calls another one and changes its result."""
    plain = getattr(function, "__func__", function)

    def own(*arguments: Any, **options: Any) -> Any:
        return distort(plain(*arguments, **options))

    kind = type(function)
    return kind(own) if kind in (staticmethod, classmethod) else own


def shown(found: Any) -> Any:
    if isinstance(found, (list, tuple)):
        return [shown(each) for each in found]
    return found if isinstance(found, (int, str)) or found is None else repr(found)


def attack(peer: str, way: str, first: str, sequences: str) -> None:
    from tests.support import sacrebleu_attack

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    if way == "replacement":
        from fastbleu.compat import sacrebleu

        sys.modules["sacrebleu"] = sacrebleu
    kind = {**ATTACKS, **sacrebleu_attack.ATTACKS}[peer]
    for seed in range(int(first), int(first) + int(sequences)):
        if way == "patch":
            from fastbleu import patch

            patch.install()
        sys.stdout.write(json.dumps(kind(seed, way).run()) + "\n")


if __name__ == "__main__":
    from tests.support.attacks import attack  # the module that `sacrebleu_attack` has

    attack(*sys.argv[1:])
