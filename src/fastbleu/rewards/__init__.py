"""BLEU as the reward function that each training stack calls."""
