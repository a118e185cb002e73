class ScriptWatch:
    is_on: bool
    suspects: bool
    record: tuple[int, int]
    def turn_off(self) -> bool: ...
