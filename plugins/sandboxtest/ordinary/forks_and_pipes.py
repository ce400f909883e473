# forks, waits, and reads a pipe with select
import os, select
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.write(write, b"child")
    os._exit(5)
assert select.select([read], [], [], 20)[0] and os.read(read, 10) == b"child"
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
set_result("works")
