"""SentencePiece tokenizers, with a model that sacreBLEU has downloaded or a model file of the user."""

from __future__ import annotations

import os
from functools import lru_cache
from threading import Lock

from ..errors import ArgumentValueError, untokenizable
from ..system.extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .names import ToTexts

_FLORES101 = (
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
)
#: For each tokenizer, its signature and the URL from which sacreBLEU downloads its model. sacreBLEU names the model
#: file after the last part of the URL.
_MODELS = {
    "spm": _FLORES101,
    "flores101": _FLORES101,
    "flores200": ("flores200", "https://tinyurl.com/flores200sacrebleuspm"),
    "spBLEU-1K": ("spBLEU-1K", "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model"),
}

#: A lock that is held while a model is read, so that threads do not read the same model twice.
_loading = Lock()


def load_sacrebleus_model(name: str) -> tuple[str, ToTexts]:
    """Load the model that sacreBLEU has downloaded for one of its tokenizers.

    Returns:
        The signature, and a function that returns texts with white space between the tokens.

    Raises:
        FileNotFoundError: The model is missing; the message says where it is expected.
        ImportError: SentencePiece is not installed.
        ValueError: The file is not a SentencePiece model.
    """
    signature, address = _MODELS[name]
    home = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    path = os.path.join(home, "models", address.rpartition("/")[2])
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"tokenize={name!r} needs the SentencePiece model {path!r}, which does not exist: save the file from "
            f"{address} there, as sacreBLEU does (the environment variable SACREBLEU names another "
            "directory than ~/.sacrebleu). To use a model of your own, give its path."
        )
    return signature, _load(name, path)[1]


def load_own_model(path: str) -> tuple[str, ToTexts]:
    """Load a model file of the user.

    Returns:
        The signature, which identifies the content of the file by a hash, and a function that returns texts with white
        space between the tokens.

    Raises:
        FileNotFoundError: The file is missing.
        ImportError: SentencePiece is not installed.
        ValueError: The file is not a SentencePiece model.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"tokenize names the SentencePiece model {path!r}, which does not exist")
    digest, to_texts = _load(path, path)
    plain = "_".join(os.path.basename(path).replace("|", " ").replace(":", " ").split())
    return f"spm-{plain}-{digest[:8]}", to_texts


def _load(name: str, path: str) -> tuple[str, ToTexts]:
    """Load a model file; return the SHA-256 of its content in hexadecimal, and the function that tokenizes texts."""
    with imports_of("spm", f"tokenize={name!r}"):
        from sentencepiece import SentencePieceProcessor
    file = os.stat(path)
    stamp = file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns
    with _loading:
        digest, processor = _read(SentencePieceProcessor, path, stamp)

    def to_text(text: str) -> str:
        try:
            return " ".join(processor.EncodeAsPieces(text))
        except (RuntimeError, TypeError, UnicodeError):  # The type depends on SentencePiece's version.
            raise untokenizable(text, "a lone surrogate", name) from None

    def to_texts(texts: list[str], threads: int) -> list[str]:
        if len(texts) > 1:  # A batch starts threads, which takes longer than one text.
            try:
                return [
                    " ".join(pieces) for pieces in processor.encode(texts, out_type=str, num_threads=threads)
                ]
            except (RuntimeError, TypeError, UnicodeError):
                pass  # `to_text` below raises an error that names the invalid text.
        return [to_text(text) for text in texts]

    return digest, to_texts


@lru_cache(maxsize=8)
def _read(
    processor_type: Any,
    path: str,
    stamp: tuple[int, ...],  # noqa: ARG001  # Only a part of the cache's key, so that a changed file is read again.
) -> tuple[str, Any]:
    """Read a model file; return the SHA-256 of its content and the SentencePiece processor. The results are cached."""
    from hashlib import sha256

    with open(path, "rb") as file:
        model = file.read()
    try:
        processor = processor_type(model_proto=model)
        processor.EncodeAsPieces("")  # Only this call fails for an empty file.
    except (RuntimeError, OSError) as error:
        no_model = f"is {path!r}, which is not a SentencePiece model: {error}"
        raise ArgumentValueError("tokenize", no_model, value=path) from error
    return sha256(model).hexdigest(), processor
