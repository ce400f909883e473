# looks at the machine: processors, memory, load, limits, free space
import os, platform, resource, shutil, sys, time
assert os.cpu_count() == 1 and platform.machine() and platform.system() == "Linux" and platform.python_version()
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 64 and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
assert shutil.which("sh") and shutil.disk_usage(os.environ["HOME"]).total > 0 and sys.executable
assert time.monotonic() > 0 and time.process_time() >= 0
assert abs(time.time() - time.clock_gettime(time.CLOCK_REALTIME)) < 1
open("/proc/meminfo").read(), os.getloadavg(), os.uname()
set_result("works")
