"""Drop-in replacements for other packages that compute BLEU, one per package, with equal names and numbers."""
