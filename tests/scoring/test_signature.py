"""The signature's fields, their order and their short names."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu._version import __version__
from fastbleu.scoring.formula import Formula
from fastbleu.scoring.signature import Signature, Signed, Signer, sign

END, SHORT_END = f"version:2.6.0|fastbleu:{__version__}", f"v:2.6.0|fb:{__version__}"


@pytest.mark.parametrize(
    ("num_references", "options", "long", "short"),
    [
        (
            None,
            {"lowercase": True, "effective_order": True, "tokenizer": "zh"},
            "nrefs:var|case:lc|eff:yes|tok:zh|smooth:exp",
            "#:var|c:lc|e:yes|tok:zh|s:exp",
        ),
        (
            3,
            {"n_bootstrap": 1000, "seed": "12345"},
            "nrefs:3|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp",
            "#:3|bs:1000|rs:12345|c:mixed|e:no|tok:13a|s:exp",
        ),
    ],
)
def test_fields(num_references: int | None, options: dict[str, Any], long: str, short: str) -> None:
    signature = Signature(num_references, **options)
    assert str(signature) == repr(signature) == signature.format() == f"{long}|{END}"
    assert signature.format(short=True) == f"{short}|{SHORT_END}"
    assert str(pickle.loads(pickle.dumps(signature))) == str(signature)
    with pytest.raises(ValueError, match="unknown smooth_method 'floored'"):
        Signature(num_references, **options, smooth_method="floored")


def test_update() -> None:
    signature = Signature(1, smooth_method="floor", smooth_value=0.014)
    for name, value in {"test": "wmt21", "note": "0.50,0.50", "pretokenized": True}.items():
        signature.update(name, value)
    rest = "c:mixed|e:no|tok:13a|s:floor[0.01]|note:0.50,0.50|pretokenized:yes|"
    assert signature.format(short=True) == f"#:1|t:wmt21|{rest}{SHORT_END}"
    # What sacreBLEU lacks, no release of it can vouch for.
    signature.update("version", None)
    assert str(signature).endswith(f"|pretokenized:yes|fastbleu:{__version__}")


def test_options_that_sacrebleu_has_not_stand_in_the_signature_and_drop_the_version() -> None:
    bleu = BLEU(references=[["a"]], weights=(0.5, 0.5, 0, 0), reference_length="shortest")
    expected = (
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|reflen:shortest|weights:0.5/0.5/0.0/0.0|fastbleu:"
    )
    assert str(bleu.get_signature()).startswith(expected)
    assert "|s:exp|rl:shortest|w:0.5/" in bleu.get_signature().format(short=True)
    smoothed = str(BLEU(references=[["a"]], smooth_method="add-one").get_signature())
    assert smoothed.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-one|fastbleu:")


def test_the_latest_is_that_of_the_thread_or_else_of_any() -> None:
    signer = Signer(Signed(False, "13a", True, "closest", Formula()))
    seen = [signer.latest]
    score = Formula().score([4, 4, 4, 3, 2, 1, 4, 3, 2, 1])
    assert signer.sign(score, 3, 100, "7") is score
    assert str(score.signature) == f"nrefs:3|bs:100|seed:7|case:mixed|eff:no|tok:13a|smooth:exp|{END}"

    def elsewhere() -> None:
        seen.append(signer.latest)
        signer.sign(Formula().score([0] * 10), 1)
        seen.append(signer.latest)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [None, (signer.signed, 3, 100, "7"), (signer.signed, 1, None, None)]
    latest = signer.latest
    assert signer.sign(signer.sign(score, 1), 1) is score
    signer.sign(score, 3, 100, "7")
    assert latest == (signer.signed, 3, 100, "7")
    assert str(sign(*latest)) == str(score.signature)
