"""What the installed sacreBLEU does for `fastbleu`: chrF, TER and test sets. `calls` imports it."""
