"""One thin module per system that computes BLEU: its names, its arguments and its numbers, counted by fastbleu."""
