"""The hostile and the honest archives of tests/corpus; make-corpus writes them."""
