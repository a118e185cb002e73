"""Drop-in replacements for other packages that compute BLEU, with the names, arguments and scores of each package."""
