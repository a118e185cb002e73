TOKENIZE_IDS: int
TOKENIZE_NONE: int
TOKENIZE_13A: int
TOKENIZE_ZH: int
TOKENIZE_CHAR: int
TOKENIZE_INTL: int
TOKENIZE_V11: int
TOKENIZE_T2T: int
TOKENIZE_CHRF_WORDS: int
TOKENIZE_EVERY_CHAR: int
TOKENIZERS: int

def prepare_t2t() -> None: ...
def use_instructions(level: int) -> None: ...
def tokenize(text: object, tokenizer: int, lowercase: bool = False) -> list[str]: ...
