"""Where two byte strings stop being equal."""

_FIRST_STEP = 1 << 12
_LAST_STEP = 1 << 18  # the copied slice still lies in the processor's cache


def common_prefix(a: bytes, b: bytes) -> int:
    """The number of leading bytes that `a` and `b` share.

    `startswith` compares in place, so each step copies one slice at most; steps grow while they are equal, and the
    step that differs is halved until one byte is left.
    """
    done, step = 0, _FIRST_STEP
    while done < len(b) and a.startswith(b[done : done + step], done):
        done += step
        step = min(2 * step, _LAST_STEP)
    low, high = min(done, len(b)), min(done + step, len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
