# How many processors a script is told of: one, on every machine. Programs cut their work into as many pieces as there are, and the last digits of a sum
# depend on the pieces. runnerEnv of airlock-init says the same to libraries, and to interpreters from 3.13 on.
import os


def count_one():
    """Makes what the standard library goes by say one. Which processors the kernel uses stays as it is."""
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
