"""Prompts made up for a check: random, but the same for the same seed."""

import random

BLOCK = 16  # tokens: the block size of most engines, and a divisor of the others


def random_ids(vocabulary: int, count: int, seed: int) -> list[int]:
    """Token ids in which every position is another choice: repeats would hide an error of position."""
    generator = random.Random(seed)
    return [generator.randrange(vocabulary) for _ in range(count)]


def other(token: int, vocabulary: int) -> int:
    """Another token id."""
    return (token + 1) % vocabulary


def full_blocks(size: int) -> int:
    """Tokens of a prompt that fills blocks of a size, more than the five usual ones."""
    return size * -(-6 * BLOCK // size)
