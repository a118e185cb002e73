"""The part of the installed sacreBLEU in `fastbleu`: chrF, TER and test sets. `calls` imports it."""
