"""What the rendering process may use; where the platform has such limits."""

import sys
from contextlib import suppress

CPU = 4  # seconds, of one rendering
MEMORY = 512 * 1024 * 1024  # bytes above what the process needs to start
WALL = 5  # seconds, of one rendering: kept by the parent, on every platform


def limit_process() -> None:
    """No core file, no writing of files, no further processes, and so much memory."""
    with suppress(ImportError):  # not on Windows
        import resource

        wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NPROC: 0}
        if sys.platform == "linux":
            with open("/proc/self/statm") as pages:
                wanted[resource.RLIMIT_AS] = int(pages.read().split()[0]) * resource.getpagesize() + MEMORY
        for which, most in wanted.items():
            with suppress(OSError, ValueError):  # a stricter limit is in force already
                resource.setrlimit(which, (most, most))


def limit_job() -> None:
    """So much CPU time from now on; the process is killed where it needs more."""
    with suppress(ImportError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        end = int(used.ru_utime + used.ru_stime) + CPU
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (end, resource.getrlimit(resource.RLIMIT_CPU)[1]))
