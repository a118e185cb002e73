from collections.abc import Callable

from typing_extensions import Self

class CompiledNLTKFormula:
    @property
    def unpenalised(self) -> Callable[[list[int], int], float]: ...
    def __new__(
        cls,
        method: int,
        weights: tuple[float, ...],
        counted: int,
        unpenalised: Callable[[list[int], int], float],
    ) -> Self: ...
