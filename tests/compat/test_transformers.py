"""`fastbleu.compat.transformers` by itself, and inside a real `Seq2SeqTrainer`."""

import logging
import pickle
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compat.transformers import compute_metrics

#: By their names in transformers, in the order of their ids.
SPECIAL_TOKENS = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>"}
SENTENCE = "the a cat dog sat lay on by mat rug . it rained all day"
WORDS = [*SPECIAL_TOKENS.values(), *SENTENCE.split()]
SPECIAL = len(SPECIAL_TOKENS)


class Words:
    """The least that a tokenizer must be, without padding. Each text has white space at its ends."""

    def batch_decode(self, sequences: list[list[int]], skip_special_tokens: bool = False) -> list[str]:
        assert all(type(i) is int for ids in sequences for i in ids)
        first = SPECIAL if skip_special_tokens else 0
        return [" " + " ".join(WORDS[i] for i in ids if i >= first) + "\n" for ids in sequences]


class PaddedWords(Words):
    pad_token_id = 0


def text(ids: Any) -> str:
    return " ".join(WORDS[i] for i in ids if i >= SPECIAL)


def score(predictions: Any, labels: Any, metric: BLEU | None = None) -> float:
    texts = [text(ids) for ids in predictions], [text(ids) for ids in labels]
    return (metric or BLEU()).corpus_score(texts[0], [texts[1]]).score


PREDICTIONS = np.array(
    [
        [1, 4, 6, 8, 10, 4, 12, 1, 0, 0],
        [1, 15, 16, 17, 18, 14, 1, 0, 0, -100],
        [1, 5, 7, 9, 11, 4, 13, 14, 1, 2],
    ]
)
LABELS = np.array(
    [[4, 6, 8, 10, 4, 12, 14, 1], [15, 16, 17, 18, 14, 1, -100, -100], [5, 7, 9, 10, 4, 13, 14, 1]]
)


def test_values() -> None:
    metrics = compute_metrics(PaddedWords())
    expected = score(PREDICTIONS, LABELS)
    assert 0 < expected < 100
    # 8 ids before the padding; 7; all 10.
    assert metrics((PREDICTIONS, LABELS)) == {"bleu": expected, "gen_len": 25 / 3}
    assert {type(value) for value in metrics((PREDICTIONS, LABELS)).values()} == {float}


class Processor(Words):
    tokenizer = PaddedWords()


@pytest.mark.parametrize(("tokenizer", "gen_len"), [(Words(), 29 / 3), (Processor(), 25 / 3)])
def test_padding(tokenizer: Any, gen_len: float) -> None:
    """Without a padding token all predicted ids count; a processor knows that of its tokenizer."""
    predictions, labels = PREDICTIONS.copy(), LABELS.copy()
    found = compute_metrics(tokenizer)((predictions, labels))
    assert found == {"bleu": score(PREDICTIONS, LABELS), "gen_len": gen_len}
    assert (predictions == PREDICTIONS).all()
    assert (labels == LABELS).all()


def test_options() -> None:
    metric = BLEU(max_ngram_order=2, smooth_method="add-k")
    result = compute_metrics(PaddedWords(), metric=metric)((PREDICTIONS, LABELS))
    assert result["bleu"] == score(PREDICTIONS, LABELS, metric)
    result = compute_metrics(PaddedWords(), skip_special_tokens=False)((LABELS[:1, :4], LABELS[:1]))
    texts = [" ".join(WORDS[i] for i in ids) for ids in (LABELS[0, :4], LABELS[0])]
    assert result["bleu"] == BLEU().corpus_score(texts[:1], [texts[1:]]).score


@pytest.mark.parametrize("stops", [[3], [1, 3], [2, 3], [1, 2, 3], [0, 1, 1, 3, 3]])
def test_any_split_into_batches_scores_the_same(stops: list[int]) -> None:
    metrics = compute_metrics(PaddedWords())
    parts = [slice(*pair) for pair in pairwise([0, *stops])]
    for _ in range(2):  # a result begins anew
        for part in parts[:-1]:
            assert metrics((PREDICTIONS[part], LABELS[part]), compute_result=False) == {}
        result = metrics((PREDICTIONS[parts[-1]], LABELS[parts[-1]]), compute_result=True)
        assert result == {"bleu": score(PREDICTIONS, LABELS), "gen_len": 25 / 3}


def test_batches_that_were_not_put_together() -> None:
    # Trainer's eval_do_concat_batches=False; models give tuples whose first entry the ids are.
    predictions = [(PREDICTIONS[:2, :9], np.ones((2, 3))), (PREDICTIONS[2:], np.ones((1, 3)))]
    result = compute_metrics(PaddedWords())((predictions, [LABELS[:2], LABELS[2:]]))
    assert result == {"bleu": score(PREDICTIONS, LABELS), "gen_len": 25 / 3}


def test_integers_of_any_kind_all_padding_and_no_width() -> None:
    metrics = compute_metrics(PaddedWords())
    for dtype in ("int8", ">i8", "uint64"):
        predictions, labels = (np.where(ids == -100, 0, ids).astype(dtype) for ids in (PREDICTIONS, LABELS))
        assert metrics((predictions, np.asfortranarray(labels)))["bleu"] == score(PREDICTIONS, LABELS)
    assert metrics((np.full((2, 3), -100), LABELS[:2])) == {"bleu": 0.0, "gen_len": 0.0}
    assert metrics((np.empty((2, 0), dtype=int), LABELS[:2])) == {"bleu": 0.0, "gen_len": 0.0}


def test_a_pickle_and_a_reset_start_without_counts() -> None:
    metrics = compute_metrics(PaddedWords(), metric=BLEU(lowercase=True))
    metrics((PREDICTIONS[:1], LABELS[:1]), compute_result=False)
    copy = pickle.loads(pickle.dumps(metrics))
    assert copy.metric.lowercase
    assert copy((PREDICTIONS[1:], LABELS[1:]))["bleu"] == score(PREDICTIONS[1:], LABELS[1:])
    assert metrics((PREDICTIONS[1:], LABELS[1:]))["bleu"] == score(PREDICTIONS, LABELS)
    metrics((PREDICTIONS[:1], LABELS[:1]), compute_result=False)
    metrics.reset()
    expected = {"bleu": score(PREDICTIONS[1:], LABELS[1:]), "gen_len": 8.5}
    assert metrics((PREDICTIONS[1:], LABELS[1:])) == expected


LOGITS = np.zeros((3, 8, 19), dtype=np.float32)


@pytest.mark.parametrize(
    ("predictions", "labels", "error", "message"),
    [
        (LOGITS, LABELS, TypeError, r"predictions must be token ids, .* float32 \[3, 8, 19\].*predict_with_g"),
        ((LOGITS, LOGITS), LABELS, TypeError, "predict_with_generate=True"),
        (PREDICTIONS > 0, LABELS, TypeError, "predictions must be an array of integers, not of bool"),
        (PREDICTIONS[0], LABELS, ValueError, r"predictions must have the shape \[segments, tokens\], not \[10\]"),
        (PREDICTIONS[:2], LABELS, ValueError, "label_ids has 3 rows, but predictions has 2"),
        (PREDICTIONS, np.where(LABELS == 18, -1, LABELS), ValueError, r"label_ids\[1\]\[3\] must be an id, .* got -1"),
        (PREDICTIONS, (LABELS, LABELS), TypeError, "label_ids must be an array of ids, not tuple"),
        ((), LABELS, TypeError, "predictions must be an array of ids, not tuple"),
        ([PREDICTIONS], LABELS, ValueError, "predictions is a list of 1 array, but label_ids is ndarray"),
        (PREDICTIONS[:0], LABELS[:0], ValueError, "predictions is empty"),
        (PREDICTIONS + 100, LABELS, IndexError, "list index out of range"),  # the tokenizer's own
    ],
)  # fmt: skip
def test_errors_end_an_evaluation(
    predictions: Any, labels: Any, error: type[Exception], message: str
) -> None:
    metrics = compute_metrics(PaddedWords())
    if "is empty" not in message:
        metrics((PREDICTIONS[:1], LABELS[:1]), compute_result=False)
    with pytest.raises(error, match=message):
        metrics((predictions, labels))
    assert metrics((PREDICTIONS, LABELS)) == {"bleu": score(PREDICTIONS, LABELS), "gen_len": 25 / 3}


def test_errors_in_options() -> None:
    with pytest.raises(TypeError, match="tokenizer must have a method batch_decode, unlike str: 'bart'"):
        compute_metrics("bart")
    metric: Any = "13a"
    with pytest.raises(TypeError, match="metric must be a BLEU, not str: '13a'"):
        compute_metrics(Words(), metric=metric)


class Host:
    """A tokenizer and tiny models of transformers, made without any download."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
        self.transformers = pytest.importorskip("transformers", exc_type=ImportError)
        pytest.importorskip("accelerate", reason="accelerate is not installed", exc_type=ImportError)
        tokenizers = pytest.importorskip("tokenizers")
        vocabulary = {word: i for i, word in enumerate(WORDS)}
        tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, SPECIAL_TOKENS["unk_token"]))
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
        self.tokenizer = self.transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, **SPECIAL_TOKENS
        )
        # Random sentences to be copied.
        generator = np.random.default_rng(1)
        words = (SPECIAL, len(WORDS))
        rows = [generator.integers(*words, generator.integers(3, 8)).tolist() for _ in range(13)]
        self.data = [{"input_ids": [*row, 1], "labels": [*row, 1]} for row in rows]

    def trainer(self, metrics: Any, batch_size: int = 4, model: Any = None, **options: Any) -> Any:
        self.torch.manual_seed(0)
        sizes = {"d_model": 32, "vocab_size": len(WORDS), "max_position_embeddings": 32, "dropout": 0.0}
        for part in ("encoder", "decoder"):
            sizes |= {f"{part}_layers": 1, f"{part}_attention_heads": 2, f"{part}_ffn_dim": 64}
        ids = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 3, "decoder_start_token_id": 1}
        config = self.transformers.BartConfig(**sizes, **ids, forced_eos_token_id=None)
        model = model or self.transformers.BartForConditionalGeneration(config)
        arguments = {
            "output_dir": str(self.folder),
            "predict_with_generate": True,
            "generation_max_length": 12,
            "per_device_train_batch_size": 13,
            "per_device_eval_batch_size": batch_size,
            "learning_rate": 1e-2,
            "use_cpu": True,
            "report_to": [],
            "save_strategy": "no",
            "disable_tqdm": True,
            **options,
        }
        return self.transformers.Seq2SeqTrainer(
            model=model,
            args=self.transformers.Seq2SeqTrainingArguments(**arguments),
            train_dataset=self.data,
            eval_dataset=self.data,
            data_collator=self.transformers.DataCollatorForSeq2Seq(self.tokenizer, model=model),
            processing_class=self.tokenizer,
            compute_metrics=metrics,
        )

    def expected(self, trainer: Any) -> dict[str, float]:
        """Return the score of the trainer's model, from its predictions decoded by hand."""
        predictions, labels, _ = trainer.predict(self.data)
        lengths = np.count_nonzero((predictions != -100) & (predictions != 0), axis=1)
        return {"eval_bleu": score(predictions, labels), "eval_gen_len": lengths.mean()}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return Host(tmp_path_factory.mktemp("trainer"))


@pytest.fixture(scope="module")
def trained(host: Host) -> Any:
    """A trainer whose model has learned half of its task, evaluated twice in training."""
    trainer = host.trainer(
        compute_metrics(host.tokenizer), max_steps=20, eval_strategy="steps", eval_steps=10, logging_steps=100
    )
    trainer.train()
    return trainer


def only(metrics: dict[str, float]) -> dict[str, float]:
    return {name: metrics[name] for name in ("eval_bleu", "eval_gen_len")}


@pytest.mark.slow
def test_in_training(host: Host, trained: Any) -> None:
    logged = [entry for entry in trained.state.log_history if "eval_bleu" in entry]
    assert [entry["step"] for entry in logged] == [10, 20]
    assert logged[0]["eval_bleu"] < logged[1]["eval_bleu"]
    expected = host.expected(trained)
    assert 10 < expected["eval_bleu"] < 100
    assert only(logged[1]) == expected


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 4, 13])
@pytest.mark.parametrize("options", [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}])
def test_evaluation(host: Host, trained: Any, batch_size: int, options: dict[str, Any]) -> None:
    metrics = compute_metrics(host.tokenizer)
    trainer = host.trainer(metrics, batch_size, trained.model, **options)
    expected = host.expected(host.trainer(None, batch_size, trained.model))
    for _ in range(2):
        assert only(trainer.evaluate()) == expected


@pytest.mark.slow
def test_tensors(host: Host) -> None:
    metrics = compute_metrics(host.tokenizer)
    tensors = [host.torch.from_numpy(ids) for ids in (PREDICTIONS, LABELS)]
    assert metrics(tensors) == {"bleu": score(PREDICTIONS, LABELS), "gen_len": 25 / 3}
    for wrong in (tensors[0].to(host.torch.bfloat16), tensors[0] > 0):
        with pytest.raises(TypeError, match=r"predictions must be (token ids|an array of integers)"):
            metrics((wrong, tensors[1]))
    with pytest.raises(TypeError, match="predict_with_generate=True"):
        metrics((host.torch.zeros(3, 8, 19, requires_grad=True), tensors[1]))


@pytest.mark.slow
def test_an_interrupted_evaluation_leaves_no_counts(
    host: Host, trained: Any, caplog: pytest.LogCaptureFixture
) -> None:
    steps = count(1)

    def interrupt(*_: Any, **__: Any) -> None:
        if next(steps) == 3:
            raise KeyboardInterrupt

    expected = host.expected(trained)
    trainer = host.trainer(compute_metrics(host.tokenizer), 4, trained.model, batch_eval_metrics=True)
    callback = host.transformers.TrainerCallback()
    callback.on_prediction_step = interrupt
    trainer.add_callback(callback)
    with pytest.raises(KeyboardInterrupt) as kept:  # and with it every frame of the evaluation
        trainer.evaluate()
    with caplog.at_level(logging.WARNING, logger="fastbleu"):
        assert only(trainer.evaluate()) == expected
    assert [record.getMessage() for record in caplog.records if record.name == "fastbleu"] == [
        "an evaluation was interrupted; its 8 segments are not counted"
    ]
    assert kept.value is not None
    caplog.clear()
    assert only(trainer.evaluate()) == expected
    assert not [record for record in caplog.records if record.name == "fastbleu"]
