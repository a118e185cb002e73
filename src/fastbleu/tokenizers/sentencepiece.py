"""SentencePiece models: those that sacreBLEU downloads, and the user's own."""

from __future__ import annotations

import os
from functools import lru_cache
from threading import Lock

from ..errors import ArgumentValueError, show
from ..system.extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: As `names.ToTexts`.
    ToTexts: TypeAlias = Callable[[list[str], int], list[str]]

_FLORES101 = (
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
)
#: By tokenizer: signature, and where sacreBLEU downloads the model from. It names the file after the address.
_MODELS = {
    "spm": _FLORES101,
    "flores101": _FLORES101,
    "flores200": ("flores200", "https://tinyurl.com/flores200sacrebleuspm"),
    "spBLEU-1K": ("spBLEU-1K", "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model"),
}

#: Held while a model is read, so that each is read once.
_loading = Lock()


def load_sacrebleus_model(name: str) -> tuple[str, ToTexts]:
    """Loads a model that sacreBLEU has downloaded.

    Returns:
        The signature, and what makes texts of texts, with white space between the tokens.

    Raises:
        FileNotFoundError: The model is not there; the message says where it is looked for.
        ImportError, ValueError: As `load_own_model`.
    """
    signature, address = _MODELS[name]
    home = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    path = os.path.join(home, "models", address.rpartition("/")[2])
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"tokenize={name!r} needs the SentencePiece model {path!r}, which is not there: put the file from "
            f"{address} in that place, as sacreBLEU does (the environment variable SACREBLEU names another "
            "directory than ~/.sacrebleu). A model of your own is used by giving its path."
        )
    return signature, _load(name, path)[1]


def load_own_model(path: str) -> tuple[str, ToTexts]:
    """Loads a user's model; the signature tells one version of the file from another. Returns as above.

    Raises:
        FileNotFoundError: The file is not there.
        ImportError: SentencePiece is not installed.
        ValueError: The file is not a SentencePiece model.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"tokenize names the SentencePiece model {path!r}, which is not there")
    digest, to_texts = _load(path, path)
    plain = "_".join(os.path.basename(path).replace("|", " ").replace(":", " ").split())
    return f"spm-{plain}-{digest[:8]}", to_texts


def _load(name: str, path: str) -> tuple[str, ToTexts]:
    """The SHA-256 of a model file's bytes, and the tokenizer."""
    with imports_of("spm", f"tokenize={name!r}"):
        from sentencepiece import SentencePieceProcessor
    file = os.stat(path)
    stamp = file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns
    with _loading:
        digest, processor = _read(SentencePieceProcessor, path, stamp)

    def to_text(text: str) -> str:
        try:
            return " ".join(processor.EncodeAsPieces(text))
        except (RuntimeError, TypeError, UnicodeError):  # depending on the version of its wrapper
            raise ValueError(f"tokenize={name!r} cannot take a lone surrogate: {show(text)}") from None

    def to_texts(texts: list[str], threads: int) -> list[str]:
        if len(texts) > 1:  # A batch starts threads, which takes longer than one text.
            try:
                return [
                    " ".join(pieces) for pieces in processor.encode(texts, out_type=str, num_threads=threads)
                ]
            except (RuntimeError, TypeError, UnicodeError):
                pass  # `to_text` says which text is wrong.
        return [to_text(text) for text in texts]

    return digest, to_texts


@lru_cache(maxsize=8)
def _read(
    processor_type: Any,
    path: str,
    stamp: tuple[int, ...],  # noqa: ARG001  # tells apart the versions of a file that are kept
) -> tuple[str, Any]:
    """Read a model file, which is kept for the next call: the SHA-256 of its bytes, and what encodes."""
    from hashlib import sha256

    with open(path, "rb") as file:
        model = file.read()
    try:
        processor = processor_type(model_proto=model)
        processor.EncodeAsPieces("")  # only this finds that a file is empty
    except (RuntimeError, OSError) as error:
        no_model = f"is {path!r}, which is not a SentencePiece model: {error}"
        raise ArgumentValueError("tokenize", no_model, value=path) from error
    return sha256(model).hexdigest(), processor
