# E18 raises its priority and locks memory
refused("nice", lambda: os.nice(-20))
refused("scheduler", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
denied("mlockall", "mlockall", 3)
denied("ioprio", "ioprio_set", 1, 0, (1 << 13))
import resource
refused("rlimit", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20)), allow=(OSError, ValueError))
def immune():
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(fd, b"-1000")
refused("made itself immune", immune)
held()
