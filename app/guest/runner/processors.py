# Reports one processor to scripts, on every machine. Programs split their work by the number of
# processors, and the last digits of a sum depend on the pieces. runnerEnv of airlock-init does the
# same for libraries, and for interpreters from 3.13 on.
import os


def count_one():
    """Makes the standard library count one processor. The kernel still uses all it may."""
    allowed = os.sched_getaffinity

    def cpu_count():
        """Return 1: results must not depend on the machine."""
        return 1

    def sched_getaffinity(pid):
        """Return the first of the processors that the process may use."""
        return {min(allowed(pid))}

    if os.cpu_count() != 1:
        os.cpu_count = cpu_count
    os.sched_getaffinity = sched_getaffinity
