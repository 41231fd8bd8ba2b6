"""Seeded edits on one vocabulary, as in tests/test_tokens_cuts.py but as many as you like.

usage: python tests/benchmarks/fuzz_cuts.py [VOCABULARY] [EDITS] [SEED]    (a name of tests/token_vocabularies.py: pair)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import token_laws
import token_vocabularies

if __name__ == "__main__":
    name, edits, seed = [*sys.argv[1:], *("o200k", "200000", "1")[len(sys.argv) - 1 :]]
    cuts = token_laws.fuzz(*token_vocabularies.pair(name), int(edits), int(seed))
    print(f"{name}: {edits} edits from seed {seed}, {cuts} safe cuts in every tenth text; nothing differs")
