from typing_extensions import Self

def use_instructions(level: int) -> None: ...

class IdRule:
    def __new__(
        cls,
        pad_id: int | tuple[int, ...] | None,
        eos_id: int | tuple[int, ...] | None,
        ignore_id: int | None,
        unk_id: int | None,
        vocabulary_size: int | None,
    ) -> Self: ...
